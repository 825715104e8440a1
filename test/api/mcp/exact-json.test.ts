import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { survivesParsing } from "#api/mcp/exact-json.ts";

/** Against `JSON.parse` with the source text of numbers (TC39 proposal JSON.parse source text access, in V8 since 11.4). */
const RUNS = Number(process.env["TEST_DIFF_RUNS"] ?? 2_000);

const number = fc.oneof(
  fc.constantFrom("0", "-0", "1.0", "1e2", "1E400", "1e-400", "0.1", "-2.50", "1e21", "1e+21"),
  fc.constantFrom("9007199254740991", "9007199254740993", "12345678901234567890"),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
const NAMES = ["a", "b", "\\u0061", "1", "01", "__proto__", "toString", "", "é", "\\ud83d\\ude00"];
const space = fc.constantFrom("", "", " ", "\n\t");
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    fc.constantFrom("null", "true", "false", '"{"', '"1.0"', '"\\"1.0"', '"\\ud800"', '"\\\\"'),
    fc.array(fc.tuple(space, tie("value"), space), { maxLength: 3 }).map(listOf("[", "]")),
    fc
      .array(
        fc
          .tuple(space, fc.constantFrom(...NAMES), space, tie("value"))
          .map(([before, name, after, each]) => [before, `"${name}"${after}:`, each]),
        { maxLength: 3 },
      )
      .map(listOf("{", "}")),
  ),
}));

function listOf(open: string, close: string) {
  return (items: string[][]) => `${open}${items.map((parts) => parts.join("")).join(",")}${close}`;
}

type Source = { source?: string };

/** What is lost when the text is parsed, found in another way: numbers by their source, names by their count and order. */
function isSame(json: string): boolean {
  let same = true;
  let members = 0;
  JSON.parse(json, function (this: unknown, name, each: unknown, { source }: Source = {}) {
    if (typeof each === "number") same &&= source === JSON.stringify(each);
    if (typeof each === "string") same &&= each.isWellFormed();
    if (!Array.isArray(this)) members += 1;
    if (!Array.isArray(this)) same &&= !/^(?:\d+|__proto__)$/.test(name) && name.isWellFormed();
    return each;
  } as Parameters<typeof JSON.parse>[1]);
  const written = json.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").match(/:/g)?.length ?? 0;
  // The whole value counts as a member of an object around it.
  return same && members === written + 1;
}

test(`${RUNS} texts: what survives is what has the same numbers and names after parsing`, () => {
  let survived = 0;
  fc.assert(
    fc.property(value, (json) => {
      assert.equal(survivesParsing(json), isSame(json), json);
      if (survivesParsing(json)) survived += 1;
    }),
    { numRuns: RUNS },
  );
  assert.ok(survived > RUNS / 20 && survived < RUNS, `${survived} of ${RUNS} survived`);
});

test("long texts are looked at once", () => {
  const size = 1024 * 1024;
  for (const json of [
    `"${"a".repeat(size)}"`,
    `"${"\\n".repeat(size / 2)}"`,
    `${"[".repeat(size / 2)}${"]".repeat(size / 2)}`,
    `[${"1,".repeat(size / 2)}1]`,
  ]) {
    assert.equal(survivesParsing(json), true);
  }
});
