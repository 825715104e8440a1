import assert from "node:assert/strict";
import { test } from "node:test";
import { checkInput } from "#tools/check-input.ts";
import markdownRender from "#tools/markdown-render/tool.ts";
import { fixedToolContext } from "../support/tool-context.ts";

const run = (request: unknown) => {
  const output = markdownRender.run(checkInput(markdownRender, request).input, fixedToolContext());
  assert.ok(!(output instanceof Promise));
  return output;
};
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

test("fields that do not match the schema are rejected", () => {
  const bad = [
    {},
    { markdown: null },
    { markdown: 1 },
    { markdown: ["a"] },
    { markdown: "\ud800" },
  ];
  const more = [
    { markdown: "a", format: "plain" },
    { markdown: "a", format: null },
  ];
  for (const request of [...bad, ...more, { markdown: "a", html: true }]) {
    assert.throws(() => run(request), { code: "invalid_request" }, JSON.stringify(request));
  }
});

table(
  "GitHub-flavored Markdown",
  [
    ["# a\nb", "<h1>a</h1>\n<p>b</p>\n"],
    ["*a* **b** ~~c~~", "<p><em>a</em> <strong>b</strong> <del>c</del></p>\n"],
    ["a  \nb\nc", "<p>a<br />\nb\nc</p>\n"],
    ["---", "<hr />\n"],
    ["```js\na < b\n```", '<pre><code class="language-js">a &lt; b\n</code></pre>\n'],
    ["- [ ] a", '<ul>\n<li><input disabled="" type="checkbox"> a</li>\n</ul>\n'],
    ["- [x] a", '<ul>\n<li><input checked="" disabled="" type="checkbox"> a</li>\n</ul>\n'],
    ["- [x]a", "<ul>\n<li>[x]a</li>\n</ul>\n"],
    ["[ ] a", "<p>[ ] a</p>\n"],
    ["https://a.bc/d.", '<p><a href="https://a.bc/d">https://a.bc/d</a>.</p>\n'],
    ["www.a.com", '<p><a href="http://www.a.com">www.a.com</a></p>\n'],
    ["me@a.com", '<p><a href="mailto:me@a.com">me@a.com</a></p>\n'],
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
    ['![a *b*](c.png "d")', '<p><img src="c.png" alt="a b" title="d" /></p>\n'],
    ["[a]\n\n[a]: /b", '<p><a href="/b">a</a></p>\n'],
    [
      "|a|b|c|d|\n|-|:-|:-:|-:|\n|1|2|3|4|",
      '<table>\n<thead>\n<tr>\n<th>a</th>\n<th align="left">b</th>\n<th align="center">c</th>\n<th align="right">d</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align="left">2</td>\n<td align="center">3</td>\n<td align="right">4</td>\n</tr>\n</tbody>\n</table>\n',
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
    ["`<b>` &lt;b&gt; \\<b>", "<p><code>&lt;b&gt;</code> &lt;b&gt; &lt;b&gt;</p>\n"],
    ["    <b>", "<pre><code>&lt;b&gt;\n</code></pre>\n"],
    ["a <script>b</script> c", "<p>a  c</p>\n"],
    ["a <STYLE>b</sTyle  > c", "<p>a  c</p>\n"],
    ["a <title>b <title>c</title> d", "<p>a  d</p>\n"],
    ["a <xmp>b *c* [d](e) ![f](g)</xmp> h", "<p>a  h</p>\n"],
    ["a <iframe>b</iframe> <noembed>c</noembed> <textarea>d</textarea>", "<p>a   </p>\n"],
    ["a <script>b", "<p>a b</p>\n"],
    ["a<br>b<br/> c", "<p>a b c</p>\n"],
    ["- a\n  <p>\n  b</p>\n\n  c", "<ul>\n<li>\n<p>a</p>\n<p>c</p>\n</li>\n</ul>\n"],
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

test("links and images keep the schemes that cannot run anything, and relative addresses", () => {
  for (const url of [
    ...[
      "http://a.b/c?d=e#f",
      "HTTPS://a.b/",
      "mailto:a@b.c",
      "tel:+123",
      "xmpp:a@b.c",
      "ftp://a.b",
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
    ["a <b>c</b> <script>d</script>\n\n<div>e</div>\n\nf", "a c\n\nf"],
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

test("many references to a long address or title do not make a huge response", () => {
  const refer = (definition: string) => `[a]: ${definition}\n\n${"[a] ".repeat(10_000)}`;
  for (const definition of ["x".repeat(50_000), `x "${"t".repeat(50_000)}"`]) {
    const { html: out, text: plain } = run({ markdown: refer(definition), format: "text" });
    assert.ok(out.length < 2_000_000 && (plain?.length ?? 0) < 2_000_000);
  }
});
