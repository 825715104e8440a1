import assert from "node:assert/strict";
import { test } from "node:test";
import markdownRender from "#tools/markdown-render/tool.ts";
import { runTool } from "./run-tool.ts";

const run = (request: unknown) => runTool(markdownRender, request);
const html = (markdown: string) => run({ markdown }).html;
const text = (markdown: string) => run({ markdown, format: "text" }).text;

function table(title: string, rows: [string, string][], render: (markdown: string) => unknown) {
  for (const [markdown, expected] of rows) {
    test(`${title}: ${JSON.stringify(markdown)}`, () => assert.equal(render(markdown), expected));
  }
}

test("the answer has `text` only where it was asked for, behind `html`", () => {
  assert.deepEqual(run({ markdown: "a" }), { ok: true, html: "<p>a</p>\n" });
  assert.deepEqual(Object.keys(run({ markdown: "a", format: "html" })), ["ok", "html"]);
  assert.deepEqual(Object.keys(run({ markdown: "a", format: "text" })), ["ok", "html", "text"]);
  assert.deepEqual(run({ markdown: "", format: "text" }), { ok: true, html: "", text: "" });
});

table(
  "GitHub-flavored Markdown",
  [
    ["[ ] a", "<p>[ ] a</p>\n"],
    ["https://a.bc/d.", '<p><a href="https://a.bc/d">https://a.bc/d</a>.</p>\n'],
    ["README.md and a.com", "<p>README.md and a.com</p>\n"],
    ["\ufeff# a", "<h1>a</h1>\n"],
    ["*a***b*", "<p><em>a</em>*<em>b</em></p>\n"],
    ["[a](b '')", '<p><a href="b">a</a></p>\n'],
    ["xmpp:a@b.c/d/e", '<p><a href="xmpp:a@b.c/d">xmpp:a@b.c/d</a>/e</p>\n'],
    ["_a@b.c", '<p><a href="mailto:_a@b.c">_a@b.c</a></p>\n'],
    ["_a@b.c_", '<p><em><a href="mailto:a@b.c">a@b.c</a></em></p>\n'],
    [
      "[x http://a.b/?c&amp;d=e",
      '<p>[x <a href="http://a.b/?c&amp;amp;d=e">http://a.b/?c&amp;amp;d=e</a></p>\n',
    ],
    [
      "[http://a.b/&<img/src=x onerror=y//",
      '<p>[<a href="http://a.b/&amp;">http://a.b/&amp;</a>&lt;img/src=x onerror=y//</p>\n',
    ],
    ["> [!IMPORTANTx\n> a", "<blockquote>\n<p>[!IMPORTANTx\na</p>\n</blockquote>\n"],
    [
      "> [!TIP]\n> a",
      '<div class="markdown-alert markdown-alert-tip">\n<p class="markdown-alert-title">Tip</p>\n<p>a</p>\n</div>\n',
    ],
  ],
  html,
);

table(
  "raw HTML vanishes",
  [
    ["a <b>c</b> d", "<p>a c d</p>\n"],
    ['a <span onclick="x()">b</span>', "<p>a b</p>\n"],
    ["<div onload=x>\n\n*a*\n\n</div>", "<p><em>a</em></p>\n"],
    ["<script>\nalert(1)\n\nalert(2)\n</script>\na", "<p>a</p>\n"],
    ["a <!-- b --> c", "<p>a  c</p>\n"],
    ["<!-- a\n\nb -->", ""],
    ["<b></b>", ""],
    ["- <b></b>", "<ul>\n<li></li>\n</ul>\n"],
    ["a <?php x ?> <!DOCTYPE x> <![CDATA[y]]> b", "<p>a    b</p>\n"],
    ["a <script>b</script> c", "<p>a  c</p>\n"],
    ["a <STYLE>b</sTyle  > c", "<p>a  c</p>\n"],
    ["a <title>b <title>c</title> d", "<p>a  d</p>\n"],
    ["a <xmp>b *c* [d](e) ![f](g)</xmp> h", "<p>a  h</p>\n"],
    ["a <iframe>b</iframe> <noembed>c</noembed> <textarea>d</textarea>", "<p>a   </p>\n"],
    ["a <script>b", "<p>a b</p>\n"],
    ["a<br>b<br/> c", "<p>a b c</p>\n"],
    // In a browser each of these elements is a paragraph or line of its own.
    ["a<p>b</p>c", "<p>a b c</p>\n"],
    ["1</li><li>0 <b>x</b><HR/>**y**", "<p>1 0 x <strong>y</strong></p>\n"],
    ["a <div>b</div>\nc<b>d</b><i>e</i><pre>f", "<p>a b\ncdef</p>\n"],
    ["# 1<td>2", "<h1>1 2</h1>\n"],
    [
      "| <ul><li>1</li><li>0</li></ul> |\n|-|",
      "<table>\n<thead>\n<tr>\n<th>1 0</th>\n</tr>\n</thead>\n</table>\n",
    ],
    ["- a\n  <p>\n  b</p>\n\n  c", "<ul>\n<li>\n<p>a</p>\n<p>b</p>\n<p>c</p>\n</li>\n</ul>\n"],
    ["- [\n  <!A>\n  b", "<ul>\n<li>[\nb</li>\n</ul>\n"],
    ["a </script>b", "<p>a b</p>\n"],
    ["a <scripty>b</scripty>", "<p>a b</p>\n"],
    ["a *b <script>c* d</script> e", "<p>a *b  e</p>\n"],
    ["[a <script>b](c) d</script> e", "<p>[a  e</p>\n"],
    ["![a <b>c</b> <script>d</script>](e)", '<p><img src="e" alt="a c " /></p>\n'],
    [
      "|a|\n|-|\n|<b>c</b>|",
      "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>c</td>\n</tr>\n</tbody>\n</table>\n",
    ],
  ],
  html,
);

/** Each with the HTML and the plain text. */
const HTML_BLOCKS: [markdown: string, html: string, text: string][] = [
  ['<h1 align="center">My Project</h1>', "<p>My Project</p>\n", "My Project"],
  [
    '<p align=center>\n  <img alt="logo" src="a.png">\n  <a href="b">text</a>\n</p>',
    "<p>logo text</p>\n",
    "logo text",
  ],
  [
    "<details>\n<summary>More</summary>\n\n*m*\n\n</details>",
    "<p>More</p>\n<p><em>m</em></p>\n",
    "More\n\nm",
  ],
  [
    "<table><tr><th>a</th><th>b</th></tr>\n<tr><td>c</td>\n<td></td><td>d</td></tr></table>",
    "<p>a b</p>\n<p>c d</p>\n",
    "a b\n\nc d",
  ],
  ["<ul><li>a<li>b</ul>", "<p>a</p>\n<p>b</p>\n", "a\n\nb"],
  ["<div>*a* [b](c) `d`</div>", "<p>*a* [b](c) `d`</p>\n", "*a* [b](c) `d`"],
  // References are decoded once, and then escaped.
  [
    "<p>&lt;b&gt; &amp;lt; &copy;&#65;&nosuch; &#0;</p>",
    "<p>&lt;b&gt; &amp;lt; ©A&amp;nosuch; \ufffd</p>\n",
    "<b> &lt; ©A&nosuch; \ufffd",
  ],
  ["<p>a&#32;&Tab;\n b&nbsp; c</p>", "<p>a b\u00a0 c</p>\n", "a b\u00a0 c"],
  ["<p>a<br>b <br/>\n<BR> c<br></p>", "<p>a<br />\nb<br />\nc</p>\n", "a\nb\nc"],
  ["<p>a < b <3 </ c> d <</p>", "<p>a &lt; b &lt;3 d &lt;</p>\n", "a < b <3 d <"],
  [
    "<pre>\n  a\n\n   <b>b</b>  &lt;<br>c\n</pre>",
    "<pre><code>  a\n\n   b  &lt;\nc\n</code></pre>\n",
    "  a\n\n   b  <\nc",
  ],
  ["<pre> \n</pre>", "", ""],
  ["<div>a<pre>b</pre>c</div>", "<p>a</p>\n<pre><code>b\n</code></pre>\n<p>c</p>\n", "a\n\nb\n\nc"],
  // Quotes, unclosed tags and line endings.
  [`<p title="a>b" id='>' x=>c</p>`, "<p>c</p>\n", "c"],
  ['<p>a <a\nhref="x\ny>"\n>b</a>', "<p>a b</p>\n", "a b"],
  ["<p>a <b\n*c*", "<p>a</p>\n", "a"],
  ['<p>a <b c="\n>d', "<p>a</p>\n", "a"],
  ["<p>a <b>c", "<p>a c</p>\n", "a c"],
  ["<div>a\r\n<p>b\r\r\n\r\nc", "<p>a</p>\n<p>b</p>\n<p>c</p>\n", "a\n\nb\n\nc"],
  ["<div><p:x>a</p:x>", "<p>a</p>\n", "a"],
  // Images.
  ["<p><img src=a ALT = x&amp;y alt=z><img alt=''></p>", "<p>x&amp;y</p>\n", "x&y"],
  [`<img title=" alt='no'" alt="yes\n">`, "<p>yes</p>\n", "yes"],
  ['<div><img alt="<script>">', "<p>&lt;script&gt;</p>\n", "<script>"],
  ["<div><img alt><img data-alt=a></div>", "", ""],
  ["# <img alt='A'> B", "<h1>A B</h1>\n", "A B"],
  ['a <img src="b" alt="c"> [<img alt="d">](e)', '<p>a c <a href="e">d</a></p>\n', "a c d (e)"],
  ['a\n<img alt="b">', "<p>a\nb</p>\n", "a\nb"],
  // In lists and quotes.
  [
    "- a\n  <p>b</p>\n- <div>c<p>d",
    "<ul>\n<li>a\n<p>b</p>\n</li>\n<li>\n<p>c</p>\n<p>d</p>\n</li>\n</ul>\n",
    "- a\n  b\n- c\n  d",
  ],
  [
    "> <div>a\n> <p>b\n\nc",
    "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>\n<p>c</p>\n",
    "> a\n>\n> b\n\nc",
  ],
  [
    "> <pre>\n>\ta\n> </pre>",
    "<blockquote>\n<pre><code>  a\n</code></pre>\n</blockquote>\n",
    ">   a",
  ],
  [
    "a[^1]\n\n[^1]: <p>b</p>",
    '<p>a<sup class="footnote-ref"><a href="#user-content-fn1" id="user-content-fnref1" data-footnote-ref="" aria-label="Footnote 1">1</a></sup></p>\n<section class="footnotes" data-footnotes="" aria-label="Footnotes">\n<ol>\n<li id="user-content-fn1">\n<p>b</p>\n<a href="#user-content-fnref1" class="footnote-backref data-footnote-backref" data-footnote-backref="" aria-label="Back to reference 1">↩</a>\n</li>\n</ol>\n</section>\n',
    "a[1]\n\n[1] b",
  ],
  // Comments and the like.
  ["<!-- a --> b", "<p>b</p>\n", "b"],
  [
    "<div>a<!-- b\n<p>c --> d<!--> e<!---> f<![CDATA[ g ]]><?h > ?><!I> j",
    "<p>a d e f j</p>\n",
    "a d e f j",
  ],
  ["<div>a <!-- b", "<p>a</p>\n", "a"],
  // Contents that a browser does not show.
  ["<div>a<script>b</script>c<style>\nd\n</style >e", "<p>ace</p>\n", "ace"],
  ["<div>a<script>b</div>\n\nc\n\n</SCRIPT>d\n\ne", "<p>ad</p>\n<p>e</p>\n", "ad\n\ne"],
  ["<div>a<script>b</div>\nc\n\nd", "<p>a</p>\n<p>d</p>\n", "a\n\nd"],
  ["<script>\n'</pre>'\n\na\n</script> b\n\nc", "<p>b</p>\n<p>c</p>\n", "b\n\nc"],
  ["<!-- --><script>a\n\nb\n</script>\nc", "<p>c</p>\n", "c"],
  ["<script>\na\n\n*b*", "", ""],
  ["> <script>\n> a\n\nb", "<blockquote>\n</blockquote>\n<p>b</p>\n", ">\n\nb"],
  [
    "<div><!-- <script> -->a\n\n*b*\n\n<p></script>c",
    "<p>a</p>\n<p><em>b</em></p>\n<p>c</p>\n",
    "a\n\nb\n\nc",
  ],
  ["<svg>\n<title>a</title><text>b</text>\n</svg>", "<p>b</p>\n", "b"],
  ["<div><title>\u0130</title>a<title>b", "<p>a</p>\n", "a"],
  ["<div><scripty>a</scripty><script:x>b", "<p>ab</p>\n", "ab"],
];

for (const [markdown, expectedHtml, expectedText] of HTML_BLOCKS) {
  test(`of raw HTML the text stays: ${JSON.stringify(markdown)}`, () => {
    const { html: actualHtml, text: actualText } = run({ markdown, format: "text" });
    assert.deepEqual([actualHtml, actualText], [expectedHtml, expectedText]);
  });
}

for (const name of "script style title textarea iframe noembed noframes plaintext xmp".split(" ")) {
  test(`the contents of ${name} go in a block, in a paragraph, and behind a blank line`, () => {
    assert.equal(html(`<div>a<${name}>b</${name}>c</div>`), "<p>ac</p>\n");
    assert.equal(html(`a <${name}>b</${name}>c`), "<p>a c</p>\n");
    assert.equal(html(`<div>a<${name}>\n\n*b*\n\n</${name}>c</div>`), "<p>ac</p>\n");
    assert.equal(html(`<${name}>\n*b*\n</${name}>`), "");
  });
}

const withIds = (markdown: string) => run({ markdown, headingIds: true }).html;

table(
  "headings get GitHub's ids, and links follow",
  [
    ["# Hello *World*!", '<h1 id="user-content-hello-world">Hello <em>World</em>!</h1>\n'],
    [
      "# a\n# a\n## A-1\n# a",
      '<h1 id="user-content-a">a</h1>\n<h1 id="user-content-a-1">a</h1>\n<h2 id="user-content-a-1-1">A-1</h2>\n<h1 id="user-content-a-2">a</h1>\n',
    ],
    ["`a_b` & c\n===", '<h1 id="user-content-a_b--c"><code>a_b</code> &amp; c</h1>\n'],
    [
      "### [a](b) &lt;c&gt; \\* d",
      '<h3 id="user-content-a-c--d"><a href="b">a</a> &lt;c&gt; * d</h3>\n',
    ],
    ["# ![x](y) <img alt=q> Z", '<h1 id="user-content---z"><img src="y" alt="x" /> q Z</h1>\n'],
    ["# 中文 É", '<h1 id="user-content-中文-é">中文 É</h1>\n'],
    [
      "# 🚀\n#\n# ❤\n",
      '<h1>🚀</h1>\n<h1 id="user-content--1"></h1>\n<h1 id="user-content--2">❤</h1>\n',
    ],
    ["a\nb\n---", '<h2 id="user-content-ab">a\nb</h2>\n'],
    [
      "[x](#b-c) [y]\n\n[y]: #b-c\n\n# B c",
      '<p><a href="#user-content-b-c">x</a> <a href="#user-content-b-c">y</a></p>\n<h1 id="user-content-b-c">B c</h1>\n',
    ],
    [
      "[x](#É) [y](#%C3%A9) [z](#%ff) [u](#user-content-é)\n# é",
      '<p><a href="#user-content-%C3%A9">x</a> <a href="#user-content-%C3%A9">y</a> <a href="#%ff">z</a> <a href="#user-content-%C3%A9">u</a></p>\n<h1 id="user-content-é">é</h1>\n',
    ],
    [
      "[x](#) [y](#top) [z](a#b)\n# b\n# ☺",
      '<p><a href="#">x</a> <a href="#top">y</a> <a href="a#b">z</a></p>\n<h1 id="user-content-b">b</h1>\n<h1>☺</h1>\n',
    ],
    ["# fn1", '<h1 id="user-content-fn1">fn1</h1>\n'],
    ["# fnref2-3\n\n[^a]: b", "<h1>fnref2-3</h1>\n"],
    ["# a[^b]\n\n[^b]: c", withoutOption("# a[^b]\n\n[^b]: c", "<h1>", '<h1 id="user-content-a">')],
    [
      "> # a\n\n- # a",
      withoutOption(
        "> # a\n\n- # a",
        "<h1>",
        '<h1 id="user-content-a">',
        '<h1 id="user-content-a-1">',
      ),
    ],
  ],
  withIds,
);

/** What the document renders to without ids, but with each of the replacements in place of the next `part`. */
function withoutOption(markdown: string, part: string, ...replacements: string[]): string {
  return replacements.reduce((all, replacement) => all.replace(part, replacement), html(markdown));
}

test("ids of headings change nothing of the plain text", () => {
  const markdown = "[a](#b) [c][] # d\n\n# B\n\n[c]: #b";
  const withOption = run({ markdown, headingIds: true, format: "text" });
  assert.equal(withOption.text, text(markdown));
  assert.equal(run({ markdown, headingIds: false }).html, html(markdown));
});

test("ids are unique and every slug is github-slugger's, however headings repeat", () => {
  const names = ["a", "a-1", "a 1", "A", "a-1-1", "b", "a-2", "fn1", "-1", "", "fnref1-2"];
  const seen = new Set<string>();
  const markdown = Array.from({ length: 400 }, (_, i) => `# ${names[(i * 7 + (i >> 3)) % 11]}\n`);
  const ids = [...withIds(`${markdown.join("")}x[^1]\n\n[^1]: y`).matchAll(/ id="([^"]*)"/g)];
  for (const [, id = ""] of ids) {
    assert.ok(!seen.has(id), id);
    seen.add(id);
  }
});

const BASE = "https://example.com/docs/guide/README.md?v=1#top";
const withBase = (markdown: string) => run({ markdown, baseUrl: BASE }).html;

test("relative links and images are resolved against the base URL", () => {
  for (const [address, expected] of [
    ["a.md", "https://example.com/docs/guide/a.md"],
    ["../a b.png", "https://example.com/docs/a%20b.png"],
    ["/a?b=c&d#e", "https://example.com/a?b=c&amp;d#e"],
    ["//b.c/d", "https://b.c/d"],
    ["?q", "https://example.com/docs/guide/README.md?q"],
    [".", "https://example.com/docs/guide/"],
    ["../../../../x", "https://example.com/x"],
    ["ü", "https://example.com/docs/guide/%C3%BC"],
    ["&quot;&gt;&lt;", "https://example.com/docs/guide/%22%3E%3C"],
    ["1a:b", "https://example.com/docs/guide/1a:b"],
    // Nothing to resolve: within the page, absolute, or no URL with any base.
    ["#a", "#a"],
    ["", ""],
    ["http://b.c", "http://b.c"],
    ["mailto:a@b.c", "mailto:a@b.c"],
    ["//[", "//%5B"],
  ]) {
    const [link, image] = [`<a href="${expected}">x</a>`, `<img src="${expected}" alt="x" />`];
    assert.equal(withBase(`[x](<${address}>)`), `<p>${link}</p>\n`);
    assert.equal(withBase(`![x](<${address}>)`), `<p>${image}</p>\n`);
    assert.equal(withBase(`[x]\n\n[x]: <${address}>`), `<p>${link}</p>\n`);
  }
  const response = run({
    markdown: "[a](b) <http://c.d> www.e.f",
    baseUrl: "HTTP://[::1]:80/x/",
    format: "text",
  });
  assert.equal(response.text, "a (http://[::1]/x/b) http://c.d www.e.f");
});

test("a base URL allows no other scheme", () => {
  for (const url of ["javascript:alert(1)", "java&Tab;script:x", "data:x", "&#9;javascript:x"]) {
    assert.equal(withBase(`[x](<${url}>) ![y](<${url}>)`), "<p>x y</p>\n", url);
  }
  for (const url of ["/\\\\a.b", "\\\\a.b/c", "/&#92;a.b"]) {
    assert.match(withBase(`[x](<${url}>)`), /^<p><a href="https:\/\/example\.com\/[^"]*">/, url);
  }
});

test("what is no absolute http or https URL is refused by name", () => {
  const bad = [
    "",
    "/a",
    "a.b",
    "//a.b",
    "https:a.b",
    "ftp://a.b",
    "javascript:x",
    "data:,",
    "https://",
    "http://a b",
  ];
  const more = [`https://a.b/${"c".repeat(2048)}`, "https://a.b/\ud800", null, 1, ["https://a.b"]];
  for (const baseUrl of [...bad, ...more]) {
    assert.throws(() => run({ markdown: "a", baseUrl }), {
      code: "invalid_request",
      message: /^`baseUrl` must be /,
    });
  }
  const longest = `https://a.b/${"c".repeat(2048 - 12)}`;
  assert.equal(run({ markdown: "[a](#b)", baseUrl: longest }).html, html("[a](#b)"));
});

test("links and images keep the schemes that cannot run anything, and relative addresses", () => {
  for (const url of [
    ...[
      "http://a.b/c?d=e#f",
      "HTTPS://a.b/",
      "mailto:a@b.c",
      "tel:+123",
      "xmpp:a@b.c",
      "ftp://a.b",
      "irc://a.b/c",
      "IRCS://a.b",
    ],
    ...["/a", "a/b:c", "?a", "#a", "./a", "../a", "//a.b/c", "", "%6aavascript:a", "1a:b"],
  ]) {
    assert.equal(html(`[x](<${url}>)`), `<p><a href="${url}">x</a></p>\n`);
    assert.equal(html(`![x](<${url}>)`), `<p><img src="${url}" alt="x" /></p>\n`);
  }
});

test("links and images with any other scheme become their text", () => {
  for (const url of [
    ...[
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "vbscript:x",
      "data:text/html,x",
      "file:///a",
    ],
    ...["data:image/png;base64,AAAA", "blob:x", "view-source:x", "about:blank", "a+b-c.d:e"],
    ...["javascript&colon;alert(1)", "java&#115;cript:x", "&#x6A;avascript:x", "javascript\\:x"],
    ...["java&Tab;script:x", "java&NewLine;script:x", "&#9;javascript:x"],
    ...["java\u0001script:x", " javascript:x", "\u001fjavascript:x", "javascript&#58;x"],
  ]) {
    assert.equal(html(`[x *y*](<${url}>)`), "<p>x <em>y</em></p>\n", url);
    assert.equal(html(`![x *y*](<${url}>)`), "<p>x <em>y</em></p>\n", url);
    assert.equal(html(`[x]\n\n[x]: <${url}>`), "<p>x</p>\n", url);
  }
  assert.equal(html("<javascript:alert(1)>"), "<p>javascript:alert(1)</p>\n");
  assert.equal(html("[![x](javascript:y)](z)"), '<p><a href="z">x</a></p>\n');
  assert.equal(html("[![x](y)](javascript:z)"), '<p><img src="y" alt="x" /></p>\n');
});

test("the emitted address is the one that was checked", () => {
  assert.equal(html("[a](ht&Tab;tp://b.c)"), '<p><a href="http://b.c">a</a></p>\n');
  assert.equal(html("[a](http://b/&quot;&gt;&lt;)"), '<p><a href="http://b/%22%3E%3C">a</a></p>\n');
  assert.equal(
    html(`[a](b '" onclick="x')`),
    '<p><a href="b" title="&quot; onclick=&quot;x">a</a></p>\n',
  );
});

table(
  "plain text",
  [
    ["# a\n\nb *c* `d` &amp; \\*", "a\n\nb c d & *"],
    ["a\nb  \nc", "a\nb\nc"],
    ["[a](http://b.c)", "a (http://b.c)"],
    ["<http://b.c> www.a.com me@a.com", "http://b.c www.a.com me@a.com"],
    ["[ü](ü)", "ü"],
    ["[a](javascript:x)", "a"],
    ["![a *b*](c)", "a b"],
    ["- a\n- b\n  - c\n    d", "- a\n- b\n  - c\n    d"],
    ["- a\n\n- b\n\n  c", "- a\n\n- b\n\n  c"],
    ["9. a\n10. b\n\n    c", "9. a\n\n10. b\n\n    c"],
    ["3) a", "3) a"],
    ["- [ ] a\n- [x] b", "- [ ] a\n- [x] b"],
    ["-\n- a", "-\n- a"],
    ["> a\n>\n> - b\n>   > c\n\nd", "> a\n>\n> - b\n>   > c\n\nd"],
    ["```js\na  <b>\n\n  c\n```", "a  <b>\n\n  c"],
    ["- a\n\n      b\n\n      c", "- a\n\n  b\n\n  c"],
    ["|a|b|\n|-|-|\n|1|**2**|\n||3|", "a\tb\n1\t2\n\t3"],
    ["a\n\n---\n\nb", "a\n\n---\n\nb"],
    ["a <b>c</b> <script>d</script>\n\n<div>e</div>\n\nf", "a c\n\ne\n\nf"],
    ["- a\n\nb", "- a\n\nb"],
    [">", ">"],
    ["<http://b.c/ü> [http://b.c](http://b.c) [b](mailto:b)", "http://b.c/ü http://b.c b"],
    ["![a [b](c) `d` <http://e.f>](g)", "a b d http://e.f"],
    ["[![a](b)](c)", "a (c)"],
    ["&nbsp;&#65;&hearts;", "\u00a0A\u2665"],
    ["|a|\n|-|\n|b\tc|", "a\nb c"],
    ["> [!NOTE]\n> a", "> Note\n>\n> a"],
    [
      "a[^x] b[^y] c[^x]\n\n[^y]: d\n[^x]: e\n    f\n\n    g\n[^z]: h",
      "a[1] b[2] c[1]\n\n[1] e\n    f\n\n    g\n\n[2] d",
    ],
    ["- a\n  ```\n  b\n  ```\n- > c", "- a\n  b\n- > c"],
    ["* a\n+ b\n1. c\n2) d", "- a\n\n- b\n\n1. c\n\n2) d"],
    ["[http://b.c](http://b.c) [b.c](http://b.c)", "http://b.c b.c (http://b.c)"],
    ["[a b](a%20b) [a](%ff) [%20](%20)", "a b a (%ff) %20"],
    ["a\n\n![](x)\n\n#\n\n```\n```\n\nb", "a\n\nb"],
    ["|a|\n|-|\n|b&#10;c|", "a\nb c"],
    ["a\n===\n\n<!-- b -->\n\nc\\\nd", "a\n\nc\nd"],
  ],
  text,
);
