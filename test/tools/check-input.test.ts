import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as z from "zod/mini";
import { ApiError } from "#errors.ts";
import { checkInput } from "#tools/check-input.ts";
import { constraintsOf } from "#tools/constraints.ts";
import type { Tool } from "#tools/define-tool.ts";
import hash from "#tools/hash/tool.ts";
import markdownRender from "#tools/markdown-render/tool.ts";
import { nearestName } from "#tools/nearest-name.ts";
import qrCode from "#tools/qr-code/tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { utf8Length } from "#tools/text.ts";
import uuid from "#tools/uuid/tool.ts";
import { anyCharacter } from "../support/arbitraries.ts";
import fc from "../support/properties.ts";
import { errorOf } from "./run-tool.ts";

const MB = 1024 * 1024;

const problem = (tool: Tool<unknown>, value: unknown) => errorOf(() => checkInput(tool, value));

/** A row for each body that has one fault. */
const ONE_FAULT = readFileSync(path.join(import.meta.dirname, "check-input-faults.txt"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((row) => row.split(" | "));

for (const [name, body = "", pointer = "", detail = "", sentence] of ONE_FAULT) {
  test(`${name} says of ${body}: ${detail}`, () => {
    const tool = TOOLS.find((each) => each.name === name) as Tool<unknown>;
    const fault = problem(tool, JSON.parse(body));
    assert.equal(fault.code, "invalid_request");
    assert.deepEqual(fault.details.errors, [{ pointer, detail }]);
    assert.equal(fault.message, sentence ?? `\`${pointer.slice(1)}\` ${detail}.`);
  });
}

test("every fault is listed, each field once", () => {
  const fault = problem(qrCode, { width: null, format: 1, txt: "a", colour: 1 });
  assert.deepEqual(
    fault.details.errors?.map(({ pointer }) => pointer),
    ["/format", "/width", "/txt", "/colour", "/text"],
  );
  assert.equal(
    fault.message,
    "`format` must be one of `png`, `svg`, `utf8`; got 1. " +
      "`width` must be a number; got null. `txt`: unknown field; did you mean `text`? " +
      "`colour`: unknown field; the fields are `text`, `format`, `errorCorrectionLevel`, `width`, `margin`, `dark`, `light`, `base64`, `eci`, `invert`. " +
      "`text` is required, or `base64` in its place.",
  );
});

test("faults between fields are listed with those of other fields, and not where a field itself is wrong", () => {
  const pointersOf = (tool: Tool<unknown>, value: unknown) =>
    problem(tool, value).details.errors?.map(({ pointer }) => pointer);
  assert.deepEqual(pointersOf(hash, { algorithm: "md5" }), ["/algorithm", "/text"]);
  assert.deepEqual(pointersOf(hash, { txt: "a" }), ["/txt", "/text"]);
  assert.deepEqual(pointersOf(hash, { text: 1 }), ["/text"]);
  assert.deepEqual(pointersOf(hash, { base64: "?" }), ["/base64"]);
  const pale = { text: "a", dark: "#fff" };
  assert.deepEqual(pointersOf(qrCode, { ...pale, width: "wide" }), ["/width", "/dark"]);
  assert.deepEqual(pointersOf(qrCode, { ...pale, light: "x" }), ["/light"]);
  const text = { text: "a", format: "utf8", dark: "#000", light: "#fff" };
  assert.deepEqual(pointersOf(qrCode, text), ["/dark", "/light"]);
});

test("without a body the required fields are named", () => {
  const fault = problem(markdownRender, undefined);
  assert.equal(fault.message, "The body is empty: `markdown` is required.");
  assert.deepEqual(fault.details.errors, [{ pointer: "/markdown", detail: "is required" }]);
});

test("an empty object is enough for a tool whose body is optional", () => {
  assert.deepEqual(checkInput(uuid, {}), { input: { count: 1, uppercase: false } });
});

test("long values and names are cut, and control characters do not break the line", () => {
  const fault = problem(uuid, { count: `${"x".repeat(39)}😀y`, [`k\n${"k".repeat(5000)}`]: 1 });
  assert.ok(fault.message.length < 300, fault.message);
  assert.match(fault.message, /got "x{39}…"\. `k\\nk{38}…`: unknown field/);
  assert.equal(fault.details.errors?.[1]?.pointer, "");
});

test("a body full of unknown fields does not make a long response", () => {
  const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, i]));
  const { errors } = problem(uuid, body).details;
  assert.equal(errors?.length, 21);
  assert.equal(errors?.at(-1)?.detail, "has 99,980 more faults");
});

for (const [tool, field, max] of [
  [markdownRender, "markdown", MB],
  [hash, "text", MB],
  [qrCode, "text", 4096],
] as const) {
  test(`${tool.name} takes ${max} bytes of UTF-8 in \`${field}\`, and not one more`, () => {
    for (const letter of ["a", "é", "€", "😀"]) {
      const bytes = Buffer.byteLength(letter);
      const within = letter.repeat(Math.floor(max / bytes));
      assert.doesNotThrow(() => checkInput<unknown>(tool, { [field]: within }));
      const over = within + "a".repeat(max - Buffer.byteLength(within) + 1);
      const fault = problem(tool, { [field]: over });
      assert.equal(fault.code, "too_large");
      assert.equal(
        fault.message,
        `\`${field}\` is ${max + 1} bytes of UTF-8; the limit is ${max}.`,
      );
    }
  });
}

test("a field that is too large is said before anything else", () => {
  const fault = problem(hash, { text: `${"a".repeat(MB)}\ud800`, algorithm: 5, more: 1 });
  assert.equal(fault.code, "too_large");
});

test("the bytes of UTF-8 are counted as they would be encoded", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom("", "\ud800", "\udc00"),
      (a, b) => {
        assert.equal(utf8Length(a + b + a), Buffer.byteLength(a + b + a));
      },
    ),
  );
});

test("whatever the body is, the only thing thrown is a Fault", () => {
  const names = fc.constantFrom("text", "markdown", "count", "width", "format", "algorithm");
  const bodies = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.oneof(names, fc.string()), fc.oneof(fc.jsonValue(), fc.double())),
    fc.constant(undefined),
  );
  fc.assert(
    fc.property(fc.constantFrom(...TOOLS), bodies, (tool, body) => {
      try {
        checkInput(tool, body);
      } catch (fault) {
        assert.ok(fault instanceof ApiError);
        assert.doesNotThrow(() => encodeURIComponent(fault.message));
      }
    }),
    { numRuns: 300 },
  );
});

test("the nearest known name is found, and none if none is near", () => {
  const known = ["text", "format", "errorCorrectionLevel", "width", "algorithm"];
  for (const [given, nearest] of [
    ["txt", "text"],
    ["TEXT", "text"],
    ["tetx", "text"],
    ["formt", "format"],
    ["fromat", "format"],
    ["errorcorrectionlevel", "errorCorrectionLevel"],
    ["error-correction-level", "errorCorrectionLevel"],
    ["errorLevel", undefined],
    ["errorCorrection", "errorCorrectionLevel"],
    ["algo", "algorithm"],
    ["widht", "width"],
    ["ecl", undefined],
    ["size", undefined],
    ["", undefined],
    ["t", undefined],
  ] as const) {
    assert.equal(nearestName(given, known), nearest, given);
  }
});

test("messages and the OpenAPI description agree on the constraints of every field", () => {
  for (const { name, input } of TOOLS) {
    const schema = z.toJSONSchema(input, { io: "input" }) as Record<string, unknown>;
    assert.deepEqual(constraintsOf(input), constraintsIn(schema), name);
  }
});

/** Keeps the members of a JSON Schema that messages use. */
function constraintsIn(schema: Record<string, unknown>): object {
  const kept = ["type", "enum", "minimum", "maximum", "minLength", "required"];
  const properties = schema["properties"] as Record<string, Record<string, unknown>> | undefined;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([member]) => kept.includes(member))),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([field, value]) => [field, constraintsIn(value)]),
      ),
    }),
  };
}
