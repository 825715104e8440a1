import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkInput } from "#tools/check-input.ts";
import uuid from "#tools/uuid/tool.ts";
import { fixedToolContext } from "../support/tool-context.ts";

const run = (request: unknown, context = fixedToolContext()) => {
  const output = uuid.run(checkInput(uuid, request).input, context);
  assert.ok(!(output instanceof Promise));
  return output;
};
const withBytes = (byte: number) => ({
  ...fixedToolContext(),
  random: (count: number) => new Uint8Array(count).fill(byte),
});

test("without fields there is one UUID in lowercase", () => {
  const { ok, count, uppercase, uuids } = run({});
  assert.deepEqual([ok, count, uppercase, uuids.length], [true, 1, false, 1]);
});

test("only the version and variant bits of RFC 9562 are not random", () => {
  assert.deepEqual(run({}, withBytes(0x00)).uuids, ["00000000-0000-4000-8000-000000000000"]);
  assert.deepEqual(run({}, withBytes(0xff)).uuids, ["ffffffff-ffff-4fff-bfff-ffffffffffff"]);
  // RFC 9562, appendix A.3: the example of a version 4 UUID, generated from its own bits.
  const example = "919108f752d133205bacf847db4148a8";
  const random = () => Buffer.from(example, "hex");
  assert.deepEqual(run({}, { ...fixedToolContext(), random }).uuids, [
    "919108f7-52d1-4320-9bac-f847db4148a8",
  ]);
});

test("all bytes come from one draw of exactly sixteen for each UUID", () => {
  for (const count of [1, 2, 500]) {
    const context = fixedToolContext();
    run({ count }, context);
    assert.deepEqual(context.drawn, [16 * count]);
  }
});

test("the same random bytes give the same UUIDs, and stay as they were", () => {
  const bytes = Uint8Array.from({ length: 48 }, (_, i) => i * 5);
  const context = { ...fixedToolContext(), random: () => bytes };
  const first = run({ count: 3 }, context);
  assert.deepEqual(run({ count: 3 }, context), first);
  assert.equal(bytes[6], 30);
});

test("every count from 1 to 500 gives as many different UUIDs of version 4", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.boolean(), (count, uppercase) => {
      const response = run({ count, uppercase });
      assert.deepEqual(Object.keys(response), ["ok", "count", "uppercase", "uuids"]);
      assert.equal(response.count, count);
      assert.equal(new Set(response.uuids).size, count);
      const shape = uppercase
        ? /^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/
        : /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
      for (const value of response.uuids) assert.match(value, shape);
    }),
    { numRuns: 50 },
  );
});

test("a count may be written in any way that is a whole number from 1 to 500", () => {
  for (const [json, count] of [
    ["1", 1],
    ["500", 500],
    ["1e2", 100],
    ["1.0", 1],
    ["50e-1", 5],
  ] as const) {
    assert.equal(run(JSON.parse(`{"count":${json}}`)).count, count);
  }
});

test("a count that is not a whole number from 1 to 500 is rejected", () => {
  const table = ["0", "-0", "-1", "501", "1.5", "1e9", "1e400", "-1e400", "9007199254740993"];
  for (const json of [...table, '"5"', "null", "true", "[]", "[1]", "{}"]) {
    assert.throws(() => run(JSON.parse(`{"count":${json}}`)), { code: "invalid_request" }, json);
  }
});

test("uppercase is true or false and nothing that resembles it", () => {
  assert.equal(run({ uppercase: true }).uppercase, true);
  assert.equal(run({ uppercase: false }).uppercase, false);
  for (const uppercase of ["true", "", 1, 0, null, [], {}]) {
    assert.throws(() => run({ uppercase }), { code: "invalid_request" });
  }
});
