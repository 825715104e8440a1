import assert from "node:assert/strict";
import { test } from "node:test";
import { type RenderOptions, renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { check, inParagraph } from "./cases.ts";

const render = (markdown: string, options: RenderOptions) =>
  renderMarkdown(markdown, false, options);

check(
  "every line ending is a line break",
  [
    ...inParagraph("GitHub's comments", [
      ["a\nb", "a<br />\nb"],
      ["a  \nb\\\nc\nd", "a<br />\nb<br />\nc<br />\nd"],
      ["a \n   b", "a<br />\nb"],
      ["*a\nb*", "<em>a<br />\nb</em>"],
      ["[a\nb](c)", '<a href="c">a<br />\nb</a>'],
      ["`a\nb`", "<code>a b</code>"],
      ["![a\nb](c)", '<img src="c" alt="a\nb" />'],
    ]),
    { markdown: "a\nb\n===", html: "<h1>a<br />\nb</h1>\n", source: "a setext heading" },
    { markdown: "```\na\nb\n```", html: "<pre><code>a\nb\n</code></pre>\n", source: "code" },
    { markdown: "<div>\na\nb\n</div>", html: "<p>a b</p>\n", source: "white space of raw HTML" },
    { markdown: "a\nb", text: "a\nb", source: "plain text has its lines anyway" },
  ],
  { breaks: true },
);

const INLINE = (formula: string) => `<span class="math math-inline">${formula}</span>`;
const DISPLAY = (formula: string) => `<span class="math math-display">${formula}</span>`;
const BLOCK = (formula: string) => `<div class="math math-display">${formula}</div>\n`;

check(
  "a formula is kept",
  [
    ...inParagraph("GitHub docs, Writing mathematical expressions", [
      ["$x$", INLINE("$x$")],
      ["a $x_1 + y_1$ b", `a ${INLINE("$x_1 + y_1$")} b`],
      ["$`a_b$c`$", INLINE("$a_b$c$")],
      ["($x$)", `(${INLINE("$x$")})`],
      ["a $$x$$ b", `a ${DISPLAY("$$x$$")} b`],
      ["**$a*b*c$**", `<strong>${INLINE("$a*b*c$")}</strong>`],
      ["$a<b>c</b>$", INLINE("$a&lt;b&gt;c&lt;/b&gt;$")],
      ["[$x$](y)", `<a href="y">${INLINE("$x$")}</a>`],
      ["![$x$](y)", '<img src="y" alt="$x$" />'],
      ["$a\nb$", INLINE("$a\nb$")],
    ]),
    ...inParagraph("Pandoc 3, tex_math_dollars: prices are text", [
      ["$10 or $20", "$10 or $20"],
      ["$ x$ and $x $", "$ x$ and $x $"],
      ["$a$1", "$a$1"],
      ["US$5 and CA$6", "US$5 and CA$6"],
      ["\\$x\\$", "$x$"],
      ["$x", "$x"],
      ["$$", "$$"],
      ["$$$x$$$", "$$$x$$$"],
      ["`$x$`", "<code>$x$</code>"],
      ["$a\\$b$", INLINE("$a\\$b$")],
    ]),
    ...inParagraph("KaTeX 0.16.22, auto-render's default delimiters", [
      ["\\(a*b*c\\)", INLINE("\\(a*b*c\\)")],
      ["a \\[a_b_\\] c", `a ${DISPLAY("\\[a_b_\\]")} c`],
      ["\\(a", "(a"],
      ["\\[a](b)", "[a](b)"],
      ["\\\\(a\\\\)", "\\(a\\)"],
    ]),
    ...[
      ["$$\na\n- b\n= c\n$$", BLOCK("$$\na\n- b\n= c\n$$")],
      ["$$ x $$", BLOCK("$$ x $$")],
      ["\\[\nx\n\\]", BLOCK("\\[\nx\n\\]")],
      ["a\n$$\nb\n$$\nc", `<p>a</p>\n${BLOCK("$$\nb\n$$")}<p>c</p>\n`],
      ["$$ x $$ y", `<p>${DISPLAY("$$ x $$")} y</p>\n`],
      ["$$\na\n\nb\n$$", "<p>$$\na</p>\n<p>b\n$$</p>\n"],
      ["> $$\n> a\n> $$", `<blockquote>\n${BLOCK("$$\na\n$$")}</blockquote>\n`],
      ["> $$\n> a\n\n$$", "<blockquote>\n<p>$$\na</p>\n</blockquote>\n<p>$$</p>\n"],
      ["```math\n\\a_b\n```", BLOCK("$$\n\\a_b\n$$")],
      ["```mathematica\na\n```", '<pre><code class="language-mathematica">a\n</code></pre>\n'],
      [
        "|$a$|\n|-|\n|$b\\|c$|",
        `<table>\n<thead>\n<tr>\n<th>${INLINE("$a$")}</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>${INLINE("$b|c$")}</td>\n</tr>\n</tbody>\n</table>\n`,
      ],
    ].map(([markdown = "", html = ""]) => ({ markdown, html, source: "blocks as on GitHub" })),
    { markdown: "$$\na_b_\n$$\n\n$c_d_$", text: "$$\na_b_\n$$\n\n$c_d_$", source: "plain text" },
  ],
  { math: "keep" },
);

check("without the option, a formula is Markdown", [
  ...inParagraph("CommonMark 0.31.2", [
    ["$a*b*c$ \\(x\\)", "$a<em>b</em>c$ (x)"],
    ["$$x$$", "$$x$$"],
  ]),
]);

test("front matter is read as Markdown, left out or returned", () => {
  const rows: [markdown: string, data: string | undefined, html: string][] = [
    ["---\na: 1\n---\nb", "a: 1\n", "<p>b</p>\n"],
    ["\ufeff---\r\na: 1\r\n---\r\nb", "a: 1\n", "<p>b</p>\n"],
    ["--- \na: 1\n...\t\nb", "a: 1\n", "<p>b</p>\n"],
    ["---\n---\nb", "", "<p>b</p>\n"],
    ["---\n\na: |\n\n  b\n---", "\na: |\n\n  b\n", ""],
    ["+++\na = 1\n+++\n# b", "a = 1\n", "<h1>b</h1>\n"],
    ["+++\na = 1\n---\nb", undefined, "<h2>+++\na = 1</h2>\n<p>b</p>\n"],
    ["---\na: 1", undefined, "<hr />\n<p>a: 1</p>\n"],
    ["a\n---\nb: 1\n---", undefined, "<h2>a</h2>\n<h2>b: 1</h2>\n"],
    ["\n---\na: 1\n---", undefined, "<hr />\n<h2>a: 1</h2>\n"],
    [" ---\na: 1\n---", undefined, "<hr />\n<h2>a: 1</h2>\n"],
    ["----\na: 1\n---", undefined, "<hr />\n<h2>a: 1</h2>\n"],
    ["---\na: 1\n ---\n---b\n---", "a: 1\n ---\n---b\n", ""],
  ];
  for (const [markdown, data, html] of rows) {
    const returned = render(markdown, { frontMatter: "data" });
    assert.deepEqual(returned, { html, ...(data !== undefined && { frontMatter: data }) });
    assert.deepEqual(render(markdown, { frontMatter: "skip" }), { html });
    assert.deepEqual(render(markdown, { frontMatter: "markdown" }), render(markdown, {}));
  }
});

test("an outline has the headings, the title and the number of words", () => {
  const markdown =
    "## A *b* [c](d)\n# Title ![badge](e)\n\n> ## A b c\n\n# ![Logo](f)\n\n#\n\nTwo\nlines\n===\n";
  assert.deepEqual(render(markdown, { outline: true }), {
    html: render(markdown, {}).html,
    outline: [
      { level: 2, text: "A b c", id: "user-content-a-b-c" },
      { level: 1, text: "Title", id: "user-content-title-" },
      { level: 2, text: "A b c", id: "user-content-a-b-c-1" },
      { level: 1, text: "Logo" },
      { level: 1, text: "Two lines", id: "user-content-twolines" },
    ],
    title: "Title",
    words: 9,
  });
});

test("the ids of an outline are those that headings get", () => {
  const markdown = "# a\n## a\n## A!\n### 😀\n# a-1\n";
  const { html, outline = [] } = render(markdown, { outline: true, headingIds: true });
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  assert.deepEqual(
    outline.flatMap(({ id }) => id ?? []),
    ids,
  );
});

test("an outline has what headings show of raw HTML", () => {
  // On GitHub, the id is made of the text of the elements, in which a line break has no characters.
  const rows: [markdown: string, entry: object][] = [
    ["# a<br>b", { level: 1, text: "a b", id: "user-content-ab" }],
    ["# a<p>b", { level: 1, text: "a b", id: "user-content-ab" }],
    ["# <img src=a alt='A logo'>", { level: 1, text: "A logo" }],
    ["# <img src=a alt='A logo'> b", { level: 1, text: "b", id: "user-content--b" }],
    ["# x<sup>2</sup>", { level: 1, text: "x2", id: "user-content-x2" }],
  ];
  for (const [markdown, entry] of rows) {
    for (const html of ["strip", "safe"] as const) {
      assert.deepEqual(render(markdown, { outline: true, html }).outline, [entry], markdown);
    }
  }
});

test("without a heading of level 1, the title is the first heading; without any, it is empty", () => {
  assert.equal(render("### a\n\n## b", { outline: true }).title, "a");
  assert.deepEqual(render("a b", { outline: true }), {
    html: "<p>a b</p>\n",
    outline: [],
    title: "",
    words: 2,
  });
});

test("words are counted", () => {
  const rows: [markdown: string, words: number][] = [
    ["one two-three, it's - four!", 4],
    ["你好 world", 3],
    ["日本語とEnglish", 5],
    ["안녕 세상", 2],
    ["https://example.com/a/b", 1],
    ["`two words`", 2],
    ["```\nnot counted\n```", 0],
    ["    not counted", 0],
    ["![not counted](a)", 0],
    ["| a | b |\n|---|---|\n| c d | |", 4],
    ["a[^1]\n\n[^1]: b c", 3],
    ["a\n\n[^1]: unused", 1],
    ["> [!NOTE]\n> a", 1],
    ["a**b**c &amp; d", 2],
    ["<div>a <b>b</b></div>", 2],
    ["a<br>b c<li>d", 4],
    ["a <img alt='not counted'>", 1],
    ["", 0],
  ];
  for (const [markdown, words] of rows) {
    assert.equal(render(markdown, { outline: true }).words, words, markdown);
  }
});

test("the number of entries of an outline is bounded", () => {
  const { outline, title } = render("## a\n".repeat(10_001), { outline: true });
  assert.equal(outline?.length, 10_000);
  assert.equal(title, "a");
});

test("links that leave the page get attributes", () => {
  const rows: [links: RenderOptions["links"], attributes: string][] = [
    [{ rel: "nofollow" }, ' rel="nofollow"'],
    [{ rel: "UGC  nofollow ugc" }, ' rel="ugc nofollow"'],
    [{ target: "_blank" }, ' rel="noopener" target="_blank"'],
    [{ rel: "noreferrer", target: "_blank" }, ' rel="noreferrer" target="_blank"'],
    [{ rel: "noopener", target: "_blank" }, ' rel="noopener" target="_blank"'],
    [{}, ""],
  ];
  for (const [links, attributes] of rows) {
    const all = (markdown: string) => render(markdown, { links }).html;
    assert.equal(all("[a](/b 'c')"), `<p><a href="/b" title="c"${attributes}>a</a></p>\n`);
    assert.equal(all("<http://b.c>"), `<p><a href="http://b.c"${attributes}>http://b.c</a></p>\n`);
    assert.equal(all("www.b.c"), `<p><a href="http://www.b.c"${attributes}>www.b.c</a></p>\n`);
    assert.equal(all("[a]\n\n[a]: HTTPS://b"), `<p><a href="HTTPS://b"${attributes}>a</a></p>\n`);
    for (const stays of [
      "[a](#b)",
      "[a]()",
      "a@b.cd",
      "[a](mailto:b@c.d)",
      "[a](tel:1)",
      "a[^1]\n\n[^1]: b",
    ]) {
      assert.equal(all(stays), render(stays, {}).html);
    }
  }
});
