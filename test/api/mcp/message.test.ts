import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsOf, readField, readMessages } from "#api/mcp/message.ts";
import { RpcError } from "#api/mcp/protocol.ts";
import { ApiError } from "#errors.ts";
import { MCP_ENVELOPE_BYTES_MAX } from "#limits.ts";
import { anyCharacter } from "../../support/arbitraries.ts";
import fc from "../../support/properties.ts";

/** Arguments are cut out of a message by their position, and the rest is what `JSON.parse` makes of it. */
const numRuns = Number(process.env["TEST_DIFF_RUNS"] ?? 1_000);
const utf8 = new TextEncoder();
const text = new TextDecoder();

/** A value of JSON as a client might write it: any white space, any spelling of the characters, names repeated. */
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const written = (value: string, escaped: number) =>
  `"${[...value].map((unit, at) => (at % 7 < escaped ? escapeUnits(unit) : JSON.stringify(unit).slice(1, -1))).join("")}"`;
const escapeUnits = (character: string) =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
const spelled = (value: fc.Arbitrary<string>) =>
  fc.tuple(value, fc.nat(7)).map(([each, escaped]) => written(each, escaped));

const NAMES = [
  ...["params", "arguments", "name", "method", "id", "_meta", "body", "", '"', "é{"],
].flatMap((each) => [each, `\ufeff${each}`]);
// V8 13.6 mistakes `"\\u0022"` for an earlier name `"\\\\"` in JSON.parse, so no name contains a backslash.
const plainName = fc
  .string({ unit: anyCharacter, maxLength: 5 })
  .filter((each) => !each.includes("\\"));
const name = spelled(fc.oneof(fc.constantFrom(...NAMES), plainName));

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom("null", "true", "-0.5e-7", "12345678901234567890", "1.0"),
    spelled(fc.string({ unit: anyCharacter, maxLength: 8 })),
    list(tie("value"), "[]"),
    list(member(tie("value")), "{}"),
  ),
}));

function list(item: fc.Arbitrary<string>, [open, close]: string): fc.Arbitrary<string> {
  const items = fc.array(fc.tuple(space, item, space), { maxLength: 4 });
  return fc
    .tuple(items, space)
    .map(([all, gap]) => `${open}${all.map((parts) => parts.join("")).join(",")}${gap}${close}`);
}

function member(item: fc.Arbitrary<string>, named = name): fc.Arbitrary<string> {
  return fc
    .tuple(named, space, space, item)
    .map(([written, before, after, is]) => `${written}${before}:${after}${is}`);
}

/** An object that often has this member, and others like it. */
const objectWith = (known: string, item: fc.Arbitrary<string>) =>
  list(fc.oneof(member(value), member(item, spelled(fc.constant(known)))), "{}");

const messageObject = objectWith("params", objectWith("arguments", objectWith("body", value)));
const message = fc.oneof(value, messageObject, list(fc.oneof(value, messageObject), "[]"));

test("arguments are found where JSON.parse finds them", () => {
  let found = 0;
  fc.assert(
    fc.property(message, fc.boolean(), (json, hasMark) => {
      const body = utf8.encode((hasMark ? "\ufeff" : "") + json);
      const read = readMessages(body);
      const expected: unknown = JSON.parse(json);
      const isBatch = Array.isArray(expected);
      const pairs = isBatch
        ? expected.map((each, at) => [each, (read as unknown[])[at]])
        : [[expected, read]];
      for (const [whole, cut] of pairs) {
        const args = argumentsIn(whole);
        if (!isObject(args)) {
          assert.deepEqual(cut, whole);
          continue;
        }
        found += 1;
        const bytes = argumentsOf(body, argumentsIn(cut) as Record<string, unknown>);
        assert.ok(bytes !== null);
        assert.deepEqual(JSON.parse(text.decode(bytes)), args);
        assert.deepEqual(without(cut), without(whole));
        const { value: field, others } = readField(bytes, "body");
        assert.equal(field === null, !Object.hasOwn(args, "body"));
        if (field !== null) assert.deepEqual(JSON.parse(text.decode(field)), args["body"]);
        const names = Object.keys(args).filter((each) => each !== "body");
        assert.deepEqual(new Set(others), new Set(names));
      }
    }),
    { numRuns },
  );
  assert.ok(found > numRuns / 10, `only ${found} messages had arguments`);
});

test("bytes that are not JSON outside of the arguments are not read", () => {
  const outside = [
    ...["", " ", "{", "{]", "[{}", '{"a" 1}', '{"a":1,}', "{}x", "tru", "{a:1}", '"\\"'],
    ...['{"params":{"arguments":{}}', '{"params":{"arguments":{}}]'],
    `{"params":{"arguments":{"a":"}}}`,
  ];
  const parseError = { code: -32_700 };
  for (const json of outside) {
    assert.throws(() => readMessages(utf8.encode(json)), parseError, json);
  }
  const inside = '{"params":{"arguments":{"a":nothing,}}}';
  assert.deepEqual(readMessages(utf8.encode(inside)), {
    params: { arguments: { start: 23, end: 37 } },
  });
  assert.throws(() => readMessages(new Uint8Array([0x22, 0xff, 0x22])), parseError);
});

test("random bytes throw only JSON-RPC errors", () => {
  const syntax = fc.stringMatching(/^[{}[\]":,\\pa 01]{0,40}$/);
  const begun = fc.constantFrom("", '{"params":{"arguments":', '[{"params":{"arguments":{');
  fc.assert(
    fc.property(fc.tuple(begun, syntax), (parts) => {
      const json = parts.join("");
      let parsed: unknown;
      try {
        parsed = JSON.parse(json);
      } catch {
        try {
          readMessages(utf8.encode(json));
        } catch (error) {
          assert.ok(error instanceof RpcError);
        }
        return;
      }
      assert.deepEqual(typeof readMessages(utf8.encode(json)), typeof parsed);
    }),
    { numRuns },
  );
});

test("the message around the arguments has a limit, and hostile bodies are rejected", () => {
  const size = 6 * 1024 * 1024;
  const hostile = [
    `{${'"\\u0061":1,'.repeat(size / 11)}"b":1}`,
    `[${"{},".repeat(size / 3)}1]`,
    `{"params":{"arguments":${"[".repeat(size)}`,
    `{"a":"${"\\".repeat(size)}`,
    `${"{".repeat(size)}`,
    `{"params":${'{"params":'.repeat(size / 10)}`,
  ];
  // Quadratic work on one of these would take hours.
  for (const json of hostile)
    assert.throws(
      () => readMessages(utf8.encode(json)),
      (error) =>
        (error instanceof ApiError && error.code === "too_large") || error instanceof RpcError,
    );
  const meta = (bytes: number) => utf8.encode(`{"_meta":"${"x".repeat(bytes - 12)}"}`);
  assert.ok(readMessages(meta(MCP_ENVELOPE_BYTES_MAX)) !== undefined);
  assert.throws(() => readMessages(meta(MCP_ENVELOPE_BYTES_MAX + 1)), { code: "too_large" });
});

const isObject = (each: unknown): each is Record<string, unknown> =>
  typeof each === "object" && each !== null && !Array.isArray(each);

function argumentsIn(each: unknown): unknown {
  const params = isObject(each) && Object.hasOwn(each, "params") ? each["params"] : undefined;
  return isObject(params) && Object.hasOwn(params, "arguments") ? params["arguments"] : undefined;
}

function without(each: unknown): unknown {
  const { params, ...rest } = each as { params: Record<string, unknown> };
  return { ...rest, params: { ...params, arguments: null } };
}
