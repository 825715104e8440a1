import assert from "node:assert/strict";
import { test } from "node:test";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { generateMarkdown } from "./generate-markdown.ts";
import { judge, render } from "./judge.ts";
import { shrink } from "./shrink.ts";
import { commonMarkExamples, examplesIn, gfmExamples } from "./spec-examples.ts";

/**
 * Generated documents, rendered by our engine and two others. A number always gives the same document. The others have faults that
 * nobody knows yet, so a plain run has the same documents each time; `TEST_DIFF_DOCUMENTS` sets how many follow from `TEST_SEED`.
 */
const DRAWN = Number(process.env["TEST_DIFF_DOCUMENTS"] ?? 0);
const COUNT = DRAWN || 600;
const FIRST = DRAWN === 0 ? 1 : 1 + DRAWN * Number(process.env["TEST_SEED"] ?? 1);
const FAILURES_SHOWN = 20;

const examples = [...commonMarkExamples(), ...examplesIn(gfmExamples())].map(
  ({ markdown }) => markdown,
);

if (typeof gfmExamples() === "string")
  test("documents are generated from the examples of GFM too", { skip: String(gfmExamples()) });

test(`${COUNT} generated documents render as commonmark.js or micromark have them`, (t) => {
  const counts = new Map<string, number>();
  const failures: { seed: number; markdown: string }[] = [];
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
    const markdown = generateMarkdown(seed, examples);
    const verdict = judge(markdown);
    const names = typeof verdict === "string" ? [verdict] : ["explained", ...verdict.reasons];
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (verdict === "unexplained") failures.push({ seed, markdown });
  }
  t.diagnostic(`${COUNT} documents from number ${FIRST}`);
  for (const [name, count] of [...counts].sort(([, a], [, b]) => b - a)) {
    t.diagnostic(`${count} ${name}`);
  }
  assert.equal(failures.length, 0, `${failures.length} differ:\n\n${shown(failures)}\n`);
});

test("micromark applies the rule of three to what is left of a run, commonmark.js and we to the whole", () => {
  const { ours, commonMark, micromark } = render("a **b* c*d");
  assert.equal(ours, "<p>a *<em>b</em> c*d</p>");
  assert.equal(commonMark, ours);
  assert.notEqual(micromark, ours);
  // Where a bare address leaves micromark as the only judge, the difference is a known one.
  const verdict = judge("]**~www.c* ]*^");
  assert.ok(typeof verdict === "object");
  assert.match(verdict.reasons[0] ?? "", /^the rule of three/);
});

/** Faults that an engine might have, applied to the output of ours. */
const FAULTS: Readonly<Record<string, (html: string) => string>> = {
  "strong emphasis is emphasis": (html) => html.replaceAll(/(<\/?)strong>/g, "$1em>"),
  "emphasis is text": (html) => html.replaceAll(/<\/?em>/g, "*"),
  "hard line breaks are soft": (html) => html.replaceAll("<br />", ""),
  "lists begin with 1": (html) => html.replaceAll(/<ol start="\d+">/g, "<ol>"),
  "loose lists are tight": (html) => html.replaceAll(/<li>\n<p>(.*)<\/p>\n<\/li>/g, "<li>$1</li>"),
  "tight lists are loose": (html) => html.replaceAll(/<li>(\w+)<\/li>/g, "<li>\n<p>$1</p>\n</li>"),
  "empty items are left out": (html) => html.replaceAll("<li></li>\n", ""),
  "titles are left out": (html) => html.replaceAll(/ title="[^"]*"/g, ""),
  "links are text": (html) => html.replaceAll(/<a href="\/u">(.*?)<\/a>/g, "$1"),
  "descriptions are left out": (html) => html.replaceAll(/ alt="[^"]*"/g, ' alt=""'),
  "code has no line endings": (html) => html.replaceAll(/\n(?=[^<]*<\/code><\/pre>)/g, ""),
  "code spans are trimmed": (html) => html.replaceAll(/<code> +(?=\w)/g, "<code>"),
  "languages are left out": (html) => html.replaceAll(/ class="language-[^"]*"/g, ""),
  "character references are decoded twice": (html) => html.replaceAll("&amp;lt;", "&lt;"),
  "quotes do not end": (html) => html.replaceAll("</blockquote>\n<p>", "<p>"),
  "headings are of the first level": (html) => html.replaceAll(/(<\/?)h\d>/g, "$1h1>"),
  "columns have no side": (html) => html.replaceAll(/ align="[a-z]+"/g, ""),
  "short rows stay short": (html) => html.replaceAll("<td></td>\n", ""),
  "deletions are text": (html) => html.replaceAll(/<\/?del>/g, "~"),
  "no task is done": (html) => html.replaceAll(' checked=""', ""),
  "bare addresses are text": (html) => html.replaceAll(/<a href="[^"]*">(www.*?)<\/a>/g, "$1"),
  "mail addresses are text": (html) => html.replaceAll(/<a href="mailto:[^"]*">(.*?)<\/a>/g, "$1"),
  "footnotes are left out": (html) => html.replaceAll(/<section[^>]*>.*<\/section>\n/gs, ""),
};

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`an engine in which ${name} is found out`, () => {
    const faulty = (markdown: string) => fault(renderMarkdown(markdown, false).html);
    const finds = (seed: number) => {
      const markdown = generateMarkdown(seed, examples);
      const { html } = renderMarkdown(markdown, false);
      return fault(html) !== html && judge(markdown, faulty) === "unexplained";
    };
    const seeds = Array.from({ length: 5000 }, (_, index) => 1 + index);
    assert.ok(seeds.some(finds));
  });
}

test("in every generated document each link to a footnote or back leads to one id", () => {
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
    const markdown = generateMarkdown(seed, examples);
    const { html } = renderMarkdown(markdown, false);
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, markdown);
    for (const [, target] of html.matchAll(/<a href="#(user-content-[^"]*)"/g)) {
      assert.ok(ids.includes(target), markdown);
    }
  }
});

/** The first failures, each shrunk to a short document that still fails. */
function shown(failures: readonly { seed: number; markdown: string }[]): string {
  const fails = (markdown: string) => judge(markdown) === "unexplained";
  const shrunk = failures.slice(0, FAILURES_SHOWN).map(({ seed, markdown }) => {
    const short = shrink(markdown, fails);
    const { ours, commonMark, micromark } = render(short);
    return [
      `document ${seed}: ${JSON.stringify(short)}`,
      `ours:          ${JSON.stringify(ours)}`,
      `commonmark.js: ${JSON.stringify(commonMark)}`,
      `micromark:     ${JSON.stringify(micromark)}`,
    ].join("\n");
  });
  return shrunk.join("\n\n");
}
