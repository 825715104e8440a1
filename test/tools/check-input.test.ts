import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
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

const MB = 1024 * 1024;

function problem(tool: Tool<unknown>, value: unknown): ApiError {
  try {
    checkInput(tool, value);
  } catch (fault) {
    assert.ok(fault instanceof ApiError);
    return fault;
  }
  assert.fail("was not refused");
}

/**
 * The tool, the body as JSON, the pointer and detail of the only fault, and the sentence if it is not the usual one.
 */
const ONE_FAULT: [Tool<unknown>, string, string, string, string?][] = [
  [uuid, '{"count":501}', "/count", "must be a whole number from 1 to 500; got 501"],
  [uuid, '{"count":0.5}', "/count", "must be a whole number from 1 to 500; got 0.5"],
  [uuid, '{"count":-0}', "/count", "must be a whole number from 1 to 500; got 0"],
  [uuid, '{"count":1e300}', "/count", "must be a whole number from 1 to 500; got 1e+300"],
  [
    uuid,
    '{"count":1e400}',
    "/count",
    "must be a whole number from 1 to 500; got a number too large",
  ],
  [
    uuid,
    '{"count":-1e400}',
    "/count",
    "must be a whole number from 1 to 500; got a number too small",
  ],
  [uuid, '{"count":"5"}', "/count", 'must be a whole number from 1 to 500; got "5"'],
  [uuid, '{"count":null}', "/count", "must be a whole number from 1 to 500; got null"],
  [uuid, '{"uppercase":"yes"}', "/uppercase", 'must be true or false; got "yes"'],
  [uuid, '{"uppercase":[]}', "/uppercase", "must be true or false; got an array"],
  [hash, "{}", "/text", "is required, or `base64` in its place"],
  [
    hash,
    '{"text":"","base64":""}',
    "/base64",
    "must not be combined with `text` or with a raw body",
  ],
  // A secret is not repeated in a message.
  [hash, '{"text":"","hmacKey":4711}', "/hmacKey", "must be a string"],
  [hash, '{"text":"","hmacKey":""}', "/hmacKey", "must not be empty"],
  [
    hash,
    '{"text":"","encoding":"b64"}',
    "/encoding",
    'must be one of `hex`, `base64`, `base64url`; got "b64"',
  ],
  [hash, '{"text":{}}', "/text", "must be a string; got an object"],
  [
    hash,
    '{"text":"","algorithm":"md5"}',
    "/algorithm",
    'must be one of `sha1`, `sha256`, `sha384`, `sha512`; got "md5"',
  ],
  [
    hash,
    '{"text":"a\\ud800"}',
    "/text",
    "contains a lone surrogate (half of a UTF-16 pair), which has no UTF-8 form",
  ],
  [qrCode, '{"text":""}', "/text", "must not be empty"],
  [qrCode, '{"text":"a","width":"64"}', "/width", 'must be a number; got "64"'],
  [
    qrCode,
    '{"text":"a","format":"PNGs"}',
    "/format",
    'must be one of `png`, `svg`, `utf8`; got "PNGs"',
  ],
  [
    qrCode,
    '{"text":"a","errorCorrectionLevel":"x"}',
    "/errorCorrectionLevel",
    'must be one of `L`, `M`, `Q`, `H`; got "x"',
  ],
  [qrCode, '{"text":"a","margin":17}', "/margin", "must be a whole number from 0 to 16; got 17"],
  [qrCode, '{"text":"a","dark":"red"}', "/dark", "must be a color as `#rgb` or `#rrggbb`"],
  [
    qrCode,
    '{"text":"a","light":"white"}',
    "/light",
    "must be a color as `#rgb` or `#rrggbb`, or `transparent`",
  ],
  [
    qrCode,
    '{"text":"a","light":"#fff","format":"utf8"}',
    "/light",
    "must be left out for `utf8`, which has no colors",
  ],
  [
    qrCode,
    '{"text":"a","dark":"#aaa"}',
    "/dark",
    "must be darker than `light` by at least 50 % of the brightness of white, so that scanners can read it; got 33 %",
  ],
  [uuid, '{"version":5}', "/version", "must be one of `4`, `7`; got 5"],
  [uuid, '{"version":"7"}', "/version", 'must be one of `4`, `7`; got "7"'],
  [
    qrCode,
    '{"text":"a","error_correction_level":"M"}',
    "/error_correction_level",
    "unknown field; did you mean `errorCorrectionLevel`?",
    "`error_correction_level`: unknown field; did you mean `errorCorrectionLevel`?",
  ],
  [
    uuid,
    '{"a/b~c":1}',
    "/a~1b~0c",
    "unknown field; the fields are `count`, `uppercase`, `version`",
    "`a/b~c`: unknown field; the fields are `count`, `uppercase`, `version`.",
  ],
  [
    uuid,
    '{"__proto__":{"count":3}}',
    "/__proto__",
    "unknown field; the fields are `count`, `uppercase`, `version`",
    "`__proto__`: unknown field; the fields are `count`, `uppercase`, `version`.",
  ],
  [
    uuid,
    "[]",
    "",
    "must be a JSON object; got an array",
    "The body must be a JSON object; got an array.",
  ],
  [
    uuid,
    "null",
    "",
    "must be a JSON object; got null",
    "The body must be a JSON object; got null.",
  ],
  [uuid, "7", "", "must be a JSON object; got 7", "The body must be a JSON object; got 7."],
];

for (const [tool, body, pointer, detail, sentence] of ONE_FAULT) {
  test(`${tool.name} says of ${body}: ${detail}`, () => {
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
  assert.equal(errors?.at(-1)?.detail, "has 99980 more unknown fields");
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
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom("", "\ud800", "\udc00"), (a, b) => {
      assert.equal(utf8Length(a + b + a), Buffer.byteLength(a + b + a));
    }),
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
    { numRuns: 1000 },
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
