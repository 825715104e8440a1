import assert from "node:assert/strict";
import { test } from "node:test";
import { type Runtime, runtimesFor } from "../../support/runtimes.ts";
import { drawSample } from "../../support/sample.ts";
import { type Document, documents } from "./everywhere-documents.ts";
import { renderList, toAscii } from "./everywhere-run.ts";
import { gfmExamples } from "./spec-examples.ts";

if (typeof gfmExamples() === "string")
  test("the examples of GFM are among the documents", { skip: String(gfmExamples()) });

type Rendered = [html: string, text: string, withOptions: string];

/** Documents per message. */
const LIST_LENGTH = 500;

const script = {
  entry: 'import { renderList } from "./everywhere-run.ts";\nconst respondList = renderList;\n',
  resolveDir: import.meta.dirname,
};

const RUNTIMES = "runtimes beside Node, documents";

const node: Runtime = { name: "Node", run: async (lists) => lists.map(renderList) };

async function render(runtime: Runtime, all: readonly Document[]): Promise<Rendered[]> {
  const lists: string[] = [];
  for (let at = 0; at < all.length; at += LIST_LENGTH) {
    lists.push(toAscii(all.slice(at, at + LIST_LENGTH).map(({ markdown }) => markdown)));
  }
  return (await runtime.run(lists)).flatMap((response) => JSON.parse(response) as Rendered[]);
}

/** Throws an error with the first document that is rendered differently. */
function assertSame(
  runtime: string,
  all: readonly Document[],
  rendered: readonly Rendered[],
  expected: readonly Rendered[],
): void {
  assert.equal(rendered.length, expected.length, runtime);
  const differing = all.flatMap((_, index) => {
    const isSame = rendered[index]?.every((output, which) => output === expected[index]?.[which]);
    return isSame === true ? [] : [index];
  });
  const [first] = differing;
  if (first === undefined) return;
  const message = `${differing.length} differ in ${runtime}, first ${JSON.stringify(all[first])}`;
  assert.deepEqual(rendered[first], expected[first], message);
}

test("Node, workerd and Chromium give the same HTML and the same text", async (t) => {
  const all = documents();
  const expected = await render(node, all);
  t.diagnostic(`${all.length} documents, ${expected.flat().join("").length} characters of output`);
  assert.equal(expected.length, all.length);
  const takesAll = process.env["TEST_EDGE"] === "all";
  for (const runtime of drawSample(RUNTIMES, runtimesFor(script), 1, takesAll)) {
    assertSame(runtime.name, all, await render(runtime, all), expected);
  }
});

test("a difference of one character in one document is reported", () => {
  const all = ["a", "b"].map((markdown) => ({ name: markdown, markdown }));
  const expected: Rendered[] = [
    ["<p>a</p>", "a", "c"],
    ["<p>b</p>", "b", "c"],
  ];
  const check = (html: string, text: string, withOptions: string) => () =>
    assertSame(
      "a runtime",
      all,
      [
        ["<p>a</p>", "a", "c"],
        [html, text, withOptions],
      ],
      expected,
    );
  check("<p>b</p>", "b", "c")();
  const message = /^1 differ in a runtime, first {"name":"b"/;
  assert.throws(check("<p>B</p>", "b", "c"), { message });
  assert.throws(check("<p>b</p>", "b\n", "c"), { message });
  assert.throws(check("<p>b</p>", "b", "C"), { message });
});
