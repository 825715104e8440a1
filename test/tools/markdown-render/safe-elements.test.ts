import assert from "node:assert/strict";
import { test } from "node:test";
import { type RenderOptions, renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import fc from "../../support/properties.ts";
import {
  type Elements,
  judgeElements,
  SAFE_ELEMENTS,
  STRIPPED_ELEMENTS,
} from "./allowed-elements.ts";
import { check, inParagraph } from "./cases.ts";
import { scanHtml, VOID } from "./hostile-html.ts";
import { openDocument } from "./html-document.ts";
import { VECTORS } from "./xss-vectors.ts";

const SAFE: RenderOptions = { html: "safe" };
const html = (markdown: string, options: RenderOptions = {}) =>
  renderMarkdown(markdown, false, { ...SAFE, ...options }).html;

check(
  "an element within a paragraph is kept",
  [
    ...inParagraph("READMEs", [
      ["2<sup>64</sup> H<sub>2</sub>O", "2<sup>64</sup> H<sub>2</sub>O"],
      ["<kbd>Ctrl</kbd>+<KBD>C</KBD>", "<kbd>Ctrl</kbd>+<kbd>C</kbd>"],
      ["a<br>b<br/>c<br />\nd", "a<br />b<br />c<br />\nd"],
      [
        'a <img src="b.png" alt="c" width="10" height=20px>',
        'a <img src="b.png" alt="c" width="10" height="20" />',
      ],
      // all-contributors 6 writes `100px;` for pictures. Browsers read the digits (HTML, section 2.3.4.4).
      ['a <img src=b width="100px;" height=7.9>', 'a <img src="b" width="100" height="7" />'],
      ['a <img src=b width="14.28%" height=auto>', 'a <img src="b" />'],
      ["a <img src=b width=100000 height='50.%'>", 'a <img src="b" />'],
      ['a <a href="b" title="c">*d*</a>', 'a <a href="b" title="c"><em>d</em></a>'],
      ['a <a name="b"></a>c', 'a <a id="user-content-b"></a>c'],
      ["a <a id='b'/>c", 'a <a id="user-content-b"></a>c'],
      ['a <a id="b">c</a>', 'a <a id="user-content-b"></a>c'],
      ['a <span id="b">c</span> <span>d</span>', 'a <span id="user-content-b"></span>c d'],
      ["a <tt>b</tt> <strike>c</strike>", "a <code>b</code> <s>c</s>"],
      ["a <i>b *c* `d`</i>", "a <i>b <em>c</em> <code>d</code></i>"],
    ]),
    ...inParagraph("what is not listed goes, as without the option", [
      ["a <b class=x style=y onclick=z>b</b>", "a <b>b</b>"],
      ["a <font color=red>b</font> <x-y>c</x-y>", "a b c"],
      ["a <script>b</script> <style>c</style>", "a  "],
      ["a <div>b</div> <h1>c</h1> <td>d</td>", "a b c d"],
      ["a<ul><li>b</li><li>c</li></ul>d", "a b c d"],
      ["a <!-- b --> <?c?>", "a  "],
      ["a <img alt=b> <img src='data:x' alt=c>", "a b c"],
      ["a <source srcset=b>", "a "],
      ["&lt;b&gt;a&lt;/b&gt;", "&lt;b&gt;a&lt;/b&gt;"],
      ["`<b>`", "<code>&lt;b&gt;</code>"],
      ["\\<b>a", "&lt;b&gt;a"],
    ]),
    ...inParagraph("a tag without its partner goes", [
      ["a <b>b", "a b"],
      ["a</b> b", "a b"],
      ["a <b><i>b</b></i>", "a <b>b</b>"],
      ["*a <b>b* c</b>", "<em>a b</em> c"],
      ["<b>a *b</b> c*", "a <em>b c</em>"],
      ["[a <b>b](c) d</b>", '<a href="c">a b</a> d'],
      ["a <picture><b>b</picture></b>", "a <picture>b</picture>"],
    ]),
    ...inParagraph("links do not nest (HTML, section 4.5.1)", [
      ["a <a href=b>http://c.d</a>", 'a <a href="b">http://c.d</a>'],
      ["a <a href=b>[c](d)</a>", 'a <a href="b">c</a>'],
      ["[a <a href=b>c</a>](d)", '<a href="d">a c</a>'],
      ["a <a href=b>c <a href=d>e</a></a>", 'a <a href="b">c e</a>'],
      ["a <a href=b><img src=c></a>", 'a <a href="b"><img src="c" /></a>'],
    ]),
    ...inParagraph("addresses are judged as those of links", [
      ["a <a href='javascript:b'>c</a>", "a c"],
      ["a <a href=' java&#10;script:b'>c</a>", "a c"],
      ["a <a href='data:b'>c</a> <a href=vbscript:d>e</a>", "a c e"],
      ["a <a href='b c\"d'>e</a>", 'a <a href="b%20c%22d">e</a>'],
      ["a <a href=mailto:b@c.d>e</a>", 'a <a href="mailto:b@c.d">e</a>'],
      ["a <a href=b href=javascript:c>d</a>", 'a <a href="b">d</a>'],
    ]),
    ...inParagraph("values are judged (HTML, section 2.3)", [
      ["a <img src=b width=100% height=-1 align=RIGHT>", 'a <img src="b" align="right" />'],
      ["a <img src=b width=1e9 align=x title='\"<>'>", 'a <img src="b" title="&quot;&lt;&gt;" />'],
      ["a <b id='x y'>b</b> <b id=''>c</b>", "a <b>b</b> <b>c</b>"],
      ["a <b id='\"><'>b</b>", 'a <b id="user-content-&quot;&gt;&lt;">b</b>'],
    ]),
  ],
  SAFE,
);

check(
  "each candidate of a srcset is judged",
  [
    ["a.png", "a.png"],
    ["a.png 1x, b.png 2x", "a.png 1x, b.png 2x"],
    ["a.png 100w,b.png 1.5x", "a.png 100w, b.png 1.5x"],
    ["a.png, javascript:b 2x, data:c, d.png 3x", "a.png, d.png 3x"],
    ["a,b.png 1x", "a,b.png 1x"],
    ["a.png onerror=b, c.png 2x", "c.png 2x"],
    [" ,, a.png 1x ,,", "a.png 1x"],
    ["javascript:a", undefined],
    ["", undefined],
  ].map(([srcset, expected]) => ({
    markdown: `<picture><source media="(prefers-color-scheme: dark)" srcset="${srcset}"><img src="z"></picture>`,
    html: `<p><picture>${expected === undefined ? "" : `<source srcset="${expected}" media="(prefers-color-scheme: dark)" />`}<img src="z" /></picture></p>\n`,
    source: "HTML, section 4.8.4.2",
  })),
  SAFE,
);

const blocks = (source: string, rows: readonly [string, string][]) =>
  rows.map(([markdown, expected]) => ({ markdown, html: expected, source }));

check(
  "an HTML block is kept",
  [
    ...blocks("READMEs", [
      [
        '<h1 align="center">a <b>b</b></h1>\n\n<p align="center">\n  <a href="c"><img src="d"></a>\n</p>',
        '<h1 align="center">a <b>b</b></h1>\n<p align="center"><a href="c"><img src="d" /></a></p>\n',
      ],
      [
        "<details>\n<summary>a</summary>\n\n*b*\n\n- c\n\n</details>\n\nd",
        "<details>\n<summary>a</summary>\n<p><em>b</em></p>\n<ul>\n<li>c</li>\n</ul>\n</details>\n<p>d</p>\n",
      ],
      [
        "<details open><summary><h3>a</h3></summary>b</details>c",
        '<details open="">\n<summary>\n<h3>a</h3>\n</summary>\nb\n</details>\n<p>c</p>\n',
      ],
      [
        '<div align="center">\n\n# a\n\n</div>\n\nb',
        '<div align="center">\n<h1>a</h1>\n</div>\n<p>b</p>\n',
      ],
      ["<center>a<br>b</center>", '<div align="center">\na<br />b\n</div>\n'],
      [
        "<table>\n<tr><th>a<th>b\n<tr><td colspan=2>\n\n```\nc\n```\n\n</td></tr>\n</table>\nd",
        '<table>\n<tbody>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n<tr>\n<td colspan="2">\n<pre><code>c\n</code></pre>\n</td>\n</tr>\n</tbody>\n</table>\n<p>d</p>\n',
      ],
      ["<ol start=3><li>a<li>b</ol>", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>\n'],
      ["<dl><dt>a<dd>b</dl>", "<dl>\n<dt>a</dt>\n<dd>b</dd>\n</dl>\n"],
      ["<pre>\na <b>b</b>\n</pre>", "<pre><code>a b\n</code></pre>\n"],
      ["<hr>", "<hr />\n"],
      ["<p>a &amp;lt; <!-- b --> c</p>", "<p>a &amp;lt; c</p>\n"],
      ["<section>a</section><section>b</section>", "<div>\na\n</div>\n<div>\nb\n</div>\n"],
      ["<p dir=rtl>a", '<p dir="rtl">a</p>\n'],
      ["<img src=a\nwidth=1>", '<p><img src="a" width="1" /></p>\n'],
    ]),
    ...blocks("the output is balanced, whatever the source", [
      [
        "> <details>\n> a\n\n</details>\nb",
        "<blockquote>\n<details>\na\n</details>\n</blockquote>\n<p>b</p>\n",
      ],
      [
        "- <div>\n\n  a\n- b</div>",
        "<ul>\n<li>\n<div>\n<p>a</p>\n</div>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>\n",
      ],
      ["<div>\n\n> </div>\n\na", "<div>\n<blockquote>\n</blockquote>\n<p>a</p>\n</div>\n"],
      ["<div><details>a</div>b", "<div>\n<details>\na\n</details>\n</div>\n<p>b</p>\n"],
      ["<details>\n\na</details>\n\nb", "<details>\n<p>a</p>\n</details>\n<p>b</p>\n"],
      ["<p><b>a<div>b</b></div>", "<p>a</p>\n<div>\nb\n</div>\n"],
      ["<h1>a<h2>b", "<h1>a</h1>\n<h2>b</h2>\n"],
      ["<td>a</td><li>b</li><summary>c</summary>", "<p>a</p>\n<p>b</p>\n<p>c</p>\n"],
      ["<ul>a<li>b", "<ul>\n</ul>\n<p>a</p>\n<p>b</p>\n"],
      ["<table>\n\na", "<table>\n</table>\n<p>a</p>\n"],
      [
        "<table><td><table><td>a</table>b</table>",
        "<table>\n<tbody>\n<tr>\n<td>\n<table>\n<tbody>\n<tr>\n<td>a</td>\n</tr>\n</tbody>\n</table>\nb</td>\n</tr>\n</tbody>\n</table>\n",
      ],
      [
        "<div><table><td></div>a",
        "<div>\n<table>\n<tbody>\n<tr>\n<td>a</td>\n</tr>\n</tbody>\n</table>\n</div>\n",
      ],
      ["<div\na", ""],
      ["<script>a</script>\n\n<style>\nb\n\nc</style>d", "<p>d</p>\n"],
    ]),
  ],
  SAFE,
);

test("ids have the prefix, are unique, and links within the page follow", () => {
  const options = { headingIds: true };
  assert.equal(
    html('[a](#b) <a id="b"></a> <a name="b"></a> <a id="user-content-c"></a> [d](#c) [e](#C)'),
    '<p><a href="#user-content-b">a</a> <a id="user-content-b"></a>  <a id="user-content-c"></a> <a href="#user-content-c">d</a> <a href="#user-content-c">e</a></p>\n',
  );
  assert.equal(
    html("<a name=a-b></a>\n\n## A b\n\n[c](#a-b) <a href=#a-b>d</a>", options),
    '<h2 id="user-content-a-b">A b</h2>\n<p><a href="#user-content-a-b">c</a> <a href="#user-content-a-b">d</a></p>\n',
  );
  assert.equal(
    html('<h2>A</h2>\n<h2 id="own">A</h2>\n\n# A\n\n[b](#own) [c](#a-1) [d](#none)', options),
    '<h2 id="user-content-a">A</h2>\n<h2 id="user-content-own">A</h2>\n<h1 id="user-content-a-1">A</h1>\n<p><a href="#user-content-own">b</a> <a href="#user-content-a-1">c</a> <a href="#none">d</a></p>\n',
  );
  assert.match(html("<div id=a></div>\n\n[b](#a)"), /<div id="user-content-a">.*#user-content-a"/s);
  assert.doesNotMatch(html("<b id=fn1>a</b>[^1]\n\n[^1]: b"), /<b id/);
});

test("base URL, attributes of links and the outline include raw HTML", () => {
  const markdown =
    "<h1>A <img src=i alt=x></h1>\n\n<a href=b>c</a> d <img src=e>\n\n<img srcset=f src=g>";
  const { html: written, ...rest } = renderMarkdown(markdown, false, {
    ...SAFE,
    baseUrl: "https://h.i/j/",
    links: { rel: "nofollow" },
    outline: true,
  });
  assert.match(written, /<img src="https:\/\/h\.i\/j\/i" alt="x" \/>/);
  assert.match(written, /<a href="https:\/\/h\.i\/j\/b" rel="nofollow">c<\/a>/);
  assert.deepEqual(rest, {
    outline: [{ level: 1, text: "A", id: "user-content-a-" }],
    title: "A",
    words: 3,
  });
});

test("plain text is the same as without the option", () => {
  for (const markdown of [
    "<h1>a</h1>\n\nb<br>c <img src=d alt=e>",
    "<ul><li>a<li>b</ul>\n\n<details>\n\n- c\n\n</details>",
  ]) {
    const { text } = renderMarkdown(markdown, true, SAFE);
    assert.equal(text, renderMarkdown(markdown, true).text);
  }
});

test("nesting is bounded", () => {
  for (const markdown of [
    "<div>".repeat(1000),
    "<ul><li>".repeat(1000),
    "<table><tr><td>".repeat(1000),
    `a ${"<b>".repeat(1000)}b${"</b>".repeat(1000)}`,
    `${"> <div>\n".repeat(3)}${"> ".repeat(90)}<div><div>`,
    "<div>\n\n- ".repeat(300),
  ]) {
    const { depth, fault } = scanHtml(html(markdown));
    assert.equal(fault, null);
    assert.ok(depth <= 320, `${depth}`);
  }
});

const PIECES = [
  ..."b i a p h1 h2 div details summary table tbody tr td th caption ul ol li dl dt dd img br picture source sup center section pre hr blockquote span script style svg math form select option textarea template iframe noscript plaintext"
    .split(" ")
    .flatMap((name) => [`<${name}>`, `</${name}>`]),
  ...`<a href=x>|<a href="javascript:a">|<a name=q>|<a id=q href=#q>|<p id=q align=center>|<img src=i.png onerror=a>|<img src="|<img alt='<b>' src=x>|<source srcset="a 1x, javascript:b 2x">|<td colspan=2 style=a>|<b onclick=x>|<details open>|<b |<|>|"|'|<!--|-->|<![CDATA[|]]>|<?|?>`.split(
    "|",
  ),
  ..."*|**|_|~~|[|](u)|![|`|\n|\n\n|\n> |\n- |\n1. |\n# |[^1]|\n\n[^1]: n |http://a.bc |a@b.cd|text|&lt;|&amp;|\\|$|$$|\n$$\n|    |\t|\n```\n|[x]: y\n".split(
    "|",
  ),
  ...`](javascript:c)|![a](data:b)|<javascript:a>|java&Tab;script:|&#x6a;|&colon;|&quot;|&#60;|http://a.bc/"onclick=x|www.a.bc`.split(
    "|",
  ),
  ...`[http://a.b/|[a@b.c|&<|"<|<img/src=x onerror=y|<svg/onload=a>|- [x] |> [!NOTE]\n> |\n[a]: | "t" onclick=x|](#|](//|](../"|](\\\\|](?<`.split(
    "|",
  ),
  ..."<sub class=x> <SUP/> <title> <xmp> </xmp>".split(" "),
  "\n| a | b |\n|---|---|\n| ",
  " | ",
];

const WAYS: Record<string, { elements: Elements; options: RenderOptions; more: RenderOptions }> = {
  "removed raw HTML": {
    elements: STRIPPED_ELEMENTS,
    options: { html: "strip" },
    more: { headingIds: true, baseUrl: "https://a.bc/d/?'\"<>" },
  },
  "safe raw HTML": {
    elements: SAFE_ELEMENTS,
    options: SAFE,
    more: { headingIds: true, math: "keep", breaks: true },
  },
};

for (const [way, { elements, options, more }] of Object.entries(WAYS)) {
  test(`with ${way}, for any source, the output is the tree that a browser reads, of listed elements`, () => {
    const document = openDocument();
    const read = (source: string) => {
      const root = document.createElement("div");
      root.innerHTML = source;
      return root;
    };
    const pieces = fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), fc.boolean(), (parts, hasMore) => {
        const output = html(parts.join(""), { ...options, ...(hasMore && more) });
        assert.equal(scanHtml(output).fault, null);
        const text = output.replaceAll(/<[^>]*>/g, "");
        assert.doesNotMatch(text, /[<>"]|&(?!(?:amp|lt|gt|quot);)/);
        const root = read(output);
        // A browser that had to repair the nesting would have another tree.
        assert.deepEqual(
          tagsOf(root).slice(1, -1),
          [...output.matchAll(TAGS)].map(([, slash, name]) => `${slash}${name}`),
        );
        assert.equal(read(root.innerHTML).innerHTML, root.innerHTML);
        judgeElements(root.querySelectorAll("*"), elements);
      }),
      { numRuns: Number(process.env["TEST_SAFE_RUNS"] ?? 800) },
    );
  });
}

const TAGS = /<(\/?)([a-z0-9]+)/g;

/** The tags of a tree, in the order of its source. */
function tagsOf(root: unknown): string[] {
  const { localName, children } = root as { localName: string; children: Iterable<unknown> };
  const inner = [...children].flatMap(tagsOf);
  return [localName, ...inner, ...(VOID.has(localName) ? [] : [`/${localName}`])];
}

test("no hostile document makes the output anything else", () => {
  const document = openDocument();
  const all = {
    headingIds: true,
    math: "keep",
    breaks: true,
    links: { target: "_blank" },
  } as const;
  for (const options of [{}, all]) {
    for (const { markdown } of VECTORS) {
      const root = document.createElement("div");
      root.innerHTML = html(markdown, options);
      judgeElements(root.querySelectorAll("*"), SAFE_ELEMENTS);
    }
  }
});
