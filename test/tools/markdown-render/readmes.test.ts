import assert from "node:assert/strict";
import { test } from "node:test";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { Random } from "./random.ts";
import { comparer, readmes } from "./readmes.ts";

/** A run takes a sample of the READMEs; TEST_READMES=all takes all of them, TEST_SEED draws the same sample again. */
const SAMPLE = 40;
const seed = Number(process.env["TEST_SEED"] ?? Date.now() % 2 ** 31);

test("a README keeps its title, its text, the descriptions of its images and the links within it", (t) => {
  const all = readmes();
  const random = new Random(seed);
  const documents =
    process.env["TEST_READMES"] === "all"
      ? all
      : random.several(SAMPLE, SAMPLE, () => random.pick(all));
  const { compare, losses, counts } = comparer(
    (markdown) => renderMarkdown(markdown, false, { headingIds: true }).html,
  );
  for (const document of documents) compare(document);
  t.diagnostic(`${documents.length} of ${all.length} READMEs, TEST_SEED=${seed}`);
  t.diagnostic(JSON.stringify(counts));
  for (const [what, lost] of Object.entries(losses)) {
    t.diagnostic(`lost ${what}: ${lost.length}`);
    assert.deepEqual(lost, [], what);
  }
});
