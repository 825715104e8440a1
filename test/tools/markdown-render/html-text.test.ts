import assert from "node:assert/strict";
import { test } from "node:test";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { SEED } from "../../support/random.ts";
import { renderHtmlBlock } from "./html-block-text.ts";
import { openDocument } from "./html-document.ts";
import { Random } from "./random.ts";

/** `TEST_DIFF_RUNS` sets how many blocks are generated, `TEST_SEED` where they begin. */
const RUNS = Number(process.env["TEST_DIFF_RUNS"] ?? 1_000);

const html = (markdown: string) => renderMarkdown(markdown, false).html;

const PIECES = [
  ..."a|b c| |\t|\n|\n  |*d*|`e`|[f](g)|&lt;|&amp;lt;|&copy;|&|&#65;|&nbsp;|<|>|\"|'|< |</ x>|</>".split(
    "|",
  ),
  ..."<b>|</b>|<p>|</p>|<div>|</div>|<br>|<br/>|<td>|</tr>|<li>|<pre>|</pre>|<P\nx>|<x-y>|<p:q>".split(
    "|",
  ),
  ..."<img alt=h>|<img alt='i &amp; <j>'>|<img src=k ALT = \"l\nm\" />|<img alt>|<img title=alt=n>".split(
    "|",
  ),
  ...'<a o=\'>p\'>|<a q=">" r>|<a s=t"u>|<a v = w>|<a\ny\n=\nz>|<a b=\'|<a c="|\'>|">|<a|<a /'.split(
    "|",
  ),
  ..."<!-- a -->|<!--|-->|<!-->|<!--->|<![CDATA[|]]>|<?|?>|<!D>|<!".split("|"),
  ..."<script>|</script>|</script x|<style>|</STYLE >|<title>|</title>|<xmp>|</xmpx>|</xmp>|<textarea>".split(
    "|",
  ),
];

/** A block that no blank line ends: of kind 6, at its start and at its end without text of its own. */
function blockOf(random: Random): string {
  const pieces = random.several(1, 14, () => random.pick(PIECES));
  const text = `<div>${pieces.join("")}`;
  return `${text.replaceAll(/\n[ \t]*(?=\n|$)/g, "")}\n`;
}

test(`${RUNS} generated HTML blocks have the text that a reader of the whole finds in them`, (t) => {
  const written = { paragraphs: 0, code: 0, nothing: 0 };
  for (let seed = SEED; seed < SEED + RUNS; seed++) {
    const block = blockOf(new Random(seed));
    const expected = renderHtmlBlock(block);
    assert.equal(html(block), expected, `seed ${seed}: ${JSON.stringify(block)}`);
    // A hidden element ends with its block in a quote, and in the document where no closing tag follows.
    const inQuote = block.replaceAll(/^/gm, "> ").slice(0, -2);
    assert.equal(
      html(inQuote),
      `<blockquote>\n${expected}</blockquote>\n`,
      `seed ${seed}, in a quote: ${JSON.stringify(inQuote)}`,
    );
    if (expected === "") written.nothing++;
    if (expected.includes("<p>")) written.paragraphs++;
    if (expected.includes("<pre>")) written.code++;
  }
  t.diagnostic(`${RUNS} blocks from seed ${SEED}: ${JSON.stringify(written)}`);
  for (const count of Object.values(written)) assert.ok(count > RUNS / 200);
});

/** Pieces that a browser's tree builder leaves where they stand: no parts of tables, and nothing that only we end. */
const IN_ORDER = PIECES.filter(
  (piece) => !/td|tr|li|pre|CDATA|\?|<p|&(?!lt;|amp;|copy;|nbsp;)|<a|script x|=|<!/.test(piece),
);

test(`${RUNS} generated HTML blocks show the characters that a browser shows`, () => {
  const document = openDocument();
  for (let seed = SEED; seed < SEED + RUNS; seed++) {
    const random = new Random(seed);
    const block =
      `<div>${random.several(1, 12, () => random.pick(IN_ORDER)).join("")}\n`.replaceAll(
        /\n[ \t]*(?=\n)/g,
        "",
      );
    const shown = (text: string | null) => (text ?? "").replaceAll(/\s/g, "");
    const shownByBrowser = document.createElement("div");
    shownByBrowser.innerHTML = block;
    for (const hidden of shownByBrowser.querySelectorAll("script,style,title,textarea,xmp")) {
      hidden.remove();
    }
    const ours = document.createElement("div");
    ours.innerHTML = html(block);
    const label = `seed ${seed}: ${JSON.stringify(block)}`;
    assert.equal(shown(ours.textContent), shown(shownByBrowser.textContent), label);
  }
});

test("a hidden element hides no more than its block, its quote, or the text up to its closing tag", () => {
  for (const name of ["script", "style", "title", "textarea", "iframe", "plaintext", "xmp"]) {
    for (const [before, after] of [
      [`<div>a<${name}>`, "\n\n"],
      [`> <div>a<${name}>\n> b\n`, "\n"],
      [`- <div>a<${name}>\n\n  b\n`, "\n"],
      [`<div>a<${name}>\n\nb</${name}>\n`, "\n"],
    ] as const) {
      const document = `${before}${after}*shown*\n`;
      assert.match(html(document), /<p><em>shown<\/em><\/p>\n$/, document);
      assert.match(html(document), /<p>a<\/p>/, document);
    }
  }
});

test("no text of a tag, comment or hidden element is shown, wherever lines and containers end", () => {
  const secret = "SECRET";
  const open = [
    '<a x="',
    "<a x='",
    "<a ",
    "<a x=",
    "<!-- ",
    "<![CDATA[",
    "<?",
    "<!D ",
    "<script>",
    "<xmp>",
  ];
  for (const start of open) {
    for (const prefix of ["", "> ", "- ", "1. ", "> - "]) {
      const indent = prefix.replaceAll(/[-1.]/g, " ");
      const lines = [`${prefix}<div>`, `${indent}${start}${secret}`, `${indent}${secret}`];
      const { html: out, text = "" } = renderMarkdown(`${lines.join("\n")}\n`, true);
      assert.ok(!out.includes(secret) && !text.includes(secret), lines.join("\n"));
    }
  }
});
