import assert from "node:assert/strict";
import { test } from "node:test";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { EXPECTATIONS, REFUSED } from "./expectations.ts";
import { normalizeInputs, normalizeStripped } from "./normalize-html.ts";
import { hasRawHtml, isAllowed, renderCommonMark, renderStripped } from "./reference-engines.ts";
import {
  commonMarkExamples,
  type Example,
  examplesIn,
  gfmExamples,
  gfmExtensionExamples,
} from "./spec-examples.ts";

/** How an example is judged; the test prints these counts. */
type Judgement = "as written" | "after stripping" | "without a refused link" | "as listed";
type Counts = Record<Judgement, number>;

const FAILURES_SHOWN = 20;

conforms("CommonMark 0.31.2", commonMarkExamples(), {
  "as written": 573,
  "after stripping": 72,
  "without a refused link": 3,
  "as listed": 4,
});
conforms("GFM 0.29", gfmExamples(), {
  "as written": 593,
  "after stripping": 70,
  "without a refused link": 3,
  "as listed": 7,
});
conforms("GFM's extensions", gfmExtensionExamples(), {
  "as written": 25,
  "after stripping": 0,
  "without a refused link": 0,
  "as listed": 3,
});

/** `counts`: how many examples are judged in each way, so that no example silently moves to a weaker one. */
function conforms(specification: string, examples: Example[] | string, counts: Counts): void {
  if (typeof examples === "string") {
    test(`${specification}: every example renders as expected`, { skip: examples });
    return;
  }
  const passed: Counts = {
    "as written": 0,
    "after stripping": 0,
    "without a refused link": 0,
    "as listed": 0,
  };
  for (const [section, inSection] of Map.groupBy(examples, (example) => example.section)) {
    test(`${specification}: every example of "${section}" renders as expected`, () => {
      const failures: string[] = [];
      for (const example of inSection) {
        const judgement = judgementOf(example);
        const failure = judge(example, judgement);
        if (failure === undefined) passed[judgement]++;
        else failures.push(failure);
      }
      const shown = failures.slice(0, FAILURES_SHOWN).join("\n\n");
      assert.equal(failures.length, 0, `${failures.length} fail:\n\n${shown}\n`);
    });
  }
  test(`${specification}: no example is left out`, (t) => {
    const sum = Object.values(passed).reduce((total, count) => total + count, 0);
    const ways = Object.entries(passed).filter(([, count]) => count > 0);
    const parts = ways.map(([judgement, count]) => `${count} ${judgement}`).join(", ");
    t.diagnostic(`${specification}: ${sum} of ${examples.length} examples: ${parts}`);
    assert.deepEqual(passed, counts);
  });
}

function judgementOf({ name, markdown }: Example): Judgement {
  if (name in EXPECTATIONS) return "as listed";
  if (name in REFUSED) return "without a refused link";
  return hasRawHtml(markdown) ? "after stripping" : "as written";
}

/** The fault, or undefined. */
function judge(example: Example, judgement: Judgement): string | undefined {
  const normalize = judgement === "as written" ? normalizeInputs : normalizeStripped;
  const expected = normalize(expectationOf(example, judgement));
  const actual = normalize(renderMarkdown(example.markdown, false).html);
  if (actual === expected) return undefined;
  return [
    `${example.name}, ${judgement}`,
    `markdown: ${JSON.stringify(example.markdown)}`,
    `expected: ${JSON.stringify(expected)}`,
    `actual:   ${JSON.stringify(actual)}`,
  ].join("\n");
}

function expectationOf({ name, markdown, html }: Example, judgement: Judgement): string {
  switch (judgement) {
    case "as listed":
      return EXPECTATIONS[name]?.html ?? "";
    case "without a refused link":
      return html.replaceAll(/<a href="([^"]*)">(.*?)<\/a>/g, (link, url: string, text: string) =>
        isAllowed(url) ? link : text,
      );
    case "after stripping":
      // Only an engine that agrees with the specification on this example can show what remains of it.
      assert.equal(renderCommonMark(markdown), html, `commonmark.js on ${name}`);
      return renderStripped(markdown);
    case "as written":
      return withOurIds(html);
  }
}

/** The ids of footnotes have a prefix, so that a document cannot use an id of the surrounding page. */
const withOurIds = (html: string) => html.replaceAll(/(id="|href="#)(?=fn)/g, "$1user-content-");

test("every listed exception is necessary: our output differs from the specification", () => {
  const examples = [
    ...commonMarkExamples(),
    ...examplesIn(gfmExamples()),
    ...examplesIn(gfmExtensionExamples()),
  ];
  for (const { name, html } of examples) {
    if (name in EXPECTATIONS) assert.notEqual(EXPECTATIONS[name]?.html, html, name);
    if (name in REFUSED) assert.match(html, /<a href="/, name);
  }
});
