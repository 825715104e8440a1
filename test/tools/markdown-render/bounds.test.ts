import assert from "node:assert/strict";
import { test } from "node:test";
import { BASE_URL_CHARS_MAX } from "#limits.ts";
import {
  CONTAINERS_MAX,
  filledCellsMax,
  INLINE_NESTING_MAX,
  LABEL_CHARS_MAX,
  LINK_PARENTHESES_MAX,
  referenceCharsMax,
  resolvedCharsMax,
  TEXT_PREFIX_CHARS_MAX,
  waysBackMax,
} from "#tools/markdown-render/bounds.ts";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { countSteps, loadCountedEngine } from "./counted-engine.ts";

/** At each bound: content within it is structure, content beyond it is text, and no text is lost. */
const html = (markdown: string) => renderMarkdown(markdown, false).html;
const count = (text: string, part: string) => text.split(part).length - 1;

test("containers nest up to the bound, and deeper marks are text", () => {
  const deepest = CONTAINERS_MAX - 1;
  const quotes = html(`${">".repeat(deepest + 5)} a`);
  assert.equal(count(quotes, "<blockquote>"), deepest);
  assert.match(quotes, /<p>&gt;&gt;&gt;&gt;&gt; a<\/p>/);
  const items = html(`${"- ".repeat(deepest)}a`);
  assert.ok(count(items, "<li>") >= deepest / 2 - 1);
  assert.ok(count(items, "<ul>") + count(items, "<li>") <= CONTAINERS_MAX);
  assert.match(items, /- - a<\/li>/);
});

test("emphasis nests up to the bound, and its text stays", () => {
  const n = INLINE_NESTING_MAX + 20;
  const out = html(`${"*a **b ".repeat(n / 2)}${"c** d* ".repeat(n / 2)}`);
  assert.equal(count(out, "<em>") + count(out, "<strong>"), INLINE_NESTING_MAX);
  assert.equal(count(out, "</em>") + count(out, "</strong>"), INLINE_NESTING_MAX);
  const text = out.replaceAll(/<[^>]*>/g, "");
  for (const letter of "abcd") assert.equal(count(text, letter), n / 2);
});

test("a label of 999 characters is one, and a longer one is text", () => {
  const label = "a".repeat(LABEL_CHARS_MAX);
  assert.equal(html(`[${label}]\n\n[${label}]: /b`), `<p><a href="/b">${label}</a></p>\n`);
  assert.match(html(`[a${label}]\n\n[a${label}]: /b`), /^<p>\[a+\]<\/p>\n<p>\[a+\]: \/b<\/p>\n$/);
});

test("parentheses in an address nest up to the bound", () => {
  const link = (depth: number) => `[a](${"(".repeat(depth)}b${")".repeat(depth)})`;
  assert.match(html(link(LINK_PARENTHESES_MAX)), /^<p><a href=/);
  assert.equal(html(link(LINK_PARENTHESES_MAX + 1)), `<p>${link(LINK_PARENTHESES_MAX + 1)}</p>\n`);
});

test("references beyond the bound of their addresses are text", () => {
  const address = "/".repeat(1000);
  const markdown = `[a]: ${address}\n\n${"[a] ".repeat(10_000)}`;
  const out = html(markdown);
  assert.equal(count(out, "<a href"), Math.floor(referenceCharsMax(markdown.length + 1) / 1000));
  // Without the links, the text is complete.
  assert.equal(count(out.replaceAll(/<[^>]*>/g, ""), "a"), 10_000);
});

test("short rows are filled up to the bound, and beyond it end where their text ends", () => {
  const columns = 200;
  const markdown = `${"|a".repeat(columns)}\n${"|-".repeat(columns)}\n${"b\n".repeat(5000)}`;
  const out = html(markdown);
  assert.equal(count(out, "<td>b</td>"), 5000);
  assert.equal(count(out, "<td></td>"), filledCellsMax(markdown.length));
});

test("the first references to a footnote get a way back", () => {
  const markdown = `${"[^a] ".repeat(500)}\n\n[^a]: b\n`;
  const out = html(markdown);
  const waysBack = 1 + waysBackMax(markdown.length);
  assert.equal(count(out, 'class="footnote-ref"><a'), 500);
  assert.equal(count(out, ' id="user-content-fnref'), waysBack);
  assert.equal(count(out, 'class="footnote-backref '), waysBack);
});

test("links that a long base URL would make huge become their text", () => {
  const baseUrl = `https://a.b/${"c".repeat(BASE_URL_CHARS_MAX - 13)}/`;
  for (const markdown of ["[a](d)".repeat(10_000), `${"[a] ".repeat(20_000)}\n\n[a]: d`]) {
    const { html: out } = renderMarkdown(markdown, false, { baseUrl });
    const links = Math.floor(resolvedCharsMax(markdown.length + 1) / (baseUrl.length - 1));
    assert.ok(Math.abs(count(out, "<a href") - links) <= 1, `${count(out, "<a href")} of ${links}`);
    assert.equal(
      count(out.replaceAll(/<[^>]*>/g, ""), "a"),
      count(markdown, "[a]") - count(markdown, "]:"),
    );
  }
});

test("ids of headings and a base URL take linear time, and output of at most thirty times the document", async () => {
  const kinds: ((n: number) => string)[] = [
    (n) => "# a\n".repeat(n),
    (n) => "#\n".repeat(n),
    (n) => Array.from({ length: n }, (_, i) => `# a-${i}\n# a\n`).join(""),
    (n) => Array.from({ length: n }, (_, i) => `# a${"-1".repeat(i % 5)}\n`).join(""),
    (n) => `# ${"a *b* ".repeat(n)}`,
    (n) => `# ${"!".repeat(n)}`,
    (n) => `[a](#b) `.repeat(n),
    (n) => `[a](b) `.repeat(n),
    (n) => `[a](${"../".repeat(n)})`,
    (n) => `[a](#${"%41".repeat(n)})\n# a`,
    (n) => `${"[a]".repeat(n)}\n\n[a]: b`,
  ];
  const options = { headingIds: true, baseUrl: "https://a.bc/d/e" };
  const render = await loadCountedEngine();
  for (const make of kinds) {
    const [short, long] = [500, 4_000].map((n) => {
      const markdown = make(n);
      const { result, steps } = countSteps(Infinity, () => render(markdown, false, options));
      assert.ok(result.html.length <= 30 * markdown.length + 1000, markdown.slice(0, 40));
      return steps / markdown.length;
    }) as [number, number];
    // As many steps for each character; quadratic would be eight times as many.
    assert.ok(long < 2 * short, `${make(1)}: ${short} steps for a character, then ${long}`);
  }
});

test("the prefix of a line of plain text has a bound", () => {
  const { text = "" } = renderMarkdown(`${"1. ".repeat(40)}a\nb\n`, true);
  const last = text.split("\n").at(-1) ?? "";
  assert.equal(last.trim(), "b");
  assert.ok(last.length >= TEXT_PREFIX_CHARS_MAX && last.length < TEXT_PREFIX_CHARS_MAX + 15);
});
