import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import * as mini from "zod/mini";
import { IN_WORDS } from "#issue-text.ts";

/** What is wrong with a value, with its place within the value. */
const textsOf = (schema: z.core.$ZodType, value: unknown) =>
  mini
    .safeParse(schema, value, IN_WORDS)
    .error?.issues.map(({ path, message }) => [...path, message].join(" "));

const nested = z.object({ a: z.object({ b: z.int() }) });

for (const [name, schema, value, texts] of [
  ["a type", z.string(), 1, ["must be a string"]],
  ["a type within", nested, { a: { b: 0.5 } }, ["a b must be a whole number"]],
  ["a boolean", z.boolean(), "yes", ["must be true or false"]],
  ["a type without a name of ours", z.map(z.string(), z.string()), 1, ["must be of the type map"]],
  ["nothing", nested, { a: {} }, ["a b is required"]],
  ["one value", z.literal("a"), "b", ["must be `a`"]],
  ["one of several values", z.enum(["a", "b"]), "c", ["must be one of `a`, `b`"]],
  ["a least length", z.string().min(2), "a", ["must have at least 2 characters"]],
  ["an empty text", z.string().min(1), "", ["must not be empty"]],
  ["an exact length", z.array(z.int()).length(1), [], ["must have exactly 1 item"]],
  ["a greatest length", z.array(z.int()).max(1), [1, 2], ["must have at most 1 item"]],
  ["a least number", z.number().min(0.5), 0, ["must be at least 0.5"]],
  ["a bound beyond which numbers are", z.number().gt(3), 3, ["must be more than 3"]],
  ["a bound below which numbers are", z.number().lt(3), 3, ["must be less than 3"]],
  ["a time", z.date().max(new Date(0)), new Date(1), ["must be at most 1970-01-01T00:00:00.000Z"]],
  ["a multiple", z.number().multipleOf(5), 3, ["must be a multiple of 5"]],
  ["a format", z.email(), "x", ["must be an email address"]],
  ["a format without a name of ours", z.ulid(), "x", ["must be in the format ulid"]],
  ["a pattern", z.string().regex(/^a+$/), "b", ["must match the pattern `/^a+$/`"]],
  ["a beginning", z.string().startsWith("a"), "b", ["must begin with `a`"]],
  ["an end", z.string().endsWith("a"), "b", ["must end with `a`"]],
  ["a part", z.string().includes("a"), "b", ["must contain `a`"]],
  ["an unknown field", z.strictObject({}), { "a\n": 1 }, ['has the unknown field "a\\n"']],
  ["unknown fields", z.strictObject({}), { a: 1, b: 1 }, ['has the unknown fields "a", "b"']],
  ["a type or null", z.string().nullable(), 1, ["must be a string"]],
  ["alternatives", z.union([z.int(), z.null()]), "a", ["must be a number or null"]],
  [
    "an alternative of its type",
    z.union([z.enum(["a", "b"]), z.int()]),
    "c",
    ["must be one of `a`, `b`"],
  ],
  [
    "an alternative that is wrong in a part",
    z.union([nested, z.null()]),
    { a: {} },
    ["is not valid: `a.b` is required"],
  ],
  [
    "alternatives that are wrong in parts",
    z.union([nested, z.object({ c: z.int() })]),
    {},
    ["must have one of the forms in its description"],
  ],
  [
    "alternatives with a name",
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a") }),
      z.object({ kind: z.literal("b") }),
    ]),
    { kind: "c" },
    ["kind must be one of `a`, `b`"],
  ],
  ["a rule without a message", z.string().refine(() => false), "a", ["is not valid"]],
  ["a message of the author's", z.string("must be a name"), 1, ["must be a name"]],
  ["a rule with a message", z.string().refine(() => false, "must rhyme"), "a", ["must rhyme"]],
] as const)
  test(`an issue is told in plain words: ${name}`, () =>
    assert.deepEqual(textsOf(schema, value), texts));

test("no message shows the value", () => {
  for (const schema of [z.int(), z.email(), z.enum(["a"]), z.string().max(1), z.uuid()])
    assert.doesNotMatch(String(textsOf(schema, "hunter2")), /hunter2/);
});
