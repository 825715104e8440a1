import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolContext } from "#tools/define-tool.ts";
import uuid from "#tools/uuid/tool.ts";
import fc from "../support/properties.ts";
import { fixedToolContext } from "../support/tool-context.ts";
import { runTool } from "./run-tool.ts";

const run = (request: unknown, context?: ToolContext) => runTool(uuid, request, context);
const withBytes = (byte: number) => ({
  ...fixedToolContext(),
  random: (count: number) => new Uint8Array(count).fill(byte),
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

test("the version is 4 where none is named, and in the response only where one is", () => {
  const [plain, four] = [run({ count: 3 }), run({ count: 3, version: 4 })];
  assert.deepEqual(Object.keys(plain), ["ok", "count", "uppercase", "uuids"]);
  assert.equal(JSON.stringify(four), JSON.stringify({ ...plain, version: 4 }));
  assert.equal(JSON.stringify(run({ version: 7 })).endsWith('],"version":7}'), true);
});

test("version 7 has the bits of RFC 9562, section 5.7", () => {
  // Appendix A.6, but for the highest bit of rand_a, which is 0 in the first UUID of a response (section 6.2).
  const random = (count: number) => {
    assert.equal(count, 10);
    return Buffer.from("fcc318c4dc0c0c07398f", "hex");
  };
  const context = { ...fixedToolContext(), receivedAt: 0x017f22e279b0, random };
  assert.deepEqual(run({ version: 7 }, context).uuids, ["017f22e2-79b0-74c3-98c4-dc0c0c07398f"]);
  const at = (receivedAt: number, byte: number) =>
    run({ version: 7 }, { ...withBytes(byte), receivedAt }).uuids;
  assert.deepEqual(at(0, 0x00), ["00000000-0000-7000-8000-000000000000"]);
  assert.deepEqual(at(2 ** 48 - 1, 0xff), ["ffffffff-ffff-77ff-bfff-ffffffffffff"]);
});

test("the UUIDs of version 7 begin with the time, and ascend within a response by one", () => {
  const counts = fc.integer({ min: 1, max: 500 });
  const times = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  const bytes = fc.infiniteStream(fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(counts, times, bytes, fc.boolean(), (count, receivedAt, stream, uppercase) => {
      const random = (length: number) =>
        Uint8Array.from({ length }, () => stream.next().value as number);
      const context = { ...fixedToolContext(), receivedAt, random };
      const { uuids } = run({ count, uppercase, version: 7 }, context);
      assert.equal(uuids.length, count);
      let last: bigint | undefined;
      for (const uuid of uuids) {
        const digits = uuid.replaceAll("-", "");
        assert.match(
          uuid,
          uppercase
            ? /^[0-9A-F]{8}-[0-9A-F]{4}-7[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/
            : /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
        assert.equal(Number.parseInt(digits.slice(0, 12), 16), receivedAt);
        const counter = BigInt(`0x${digits.slice(13, 16)}`);
        if (last !== undefined) assert.equal(counter, last + 1n);
        last = counter;
      }
      assert.deepEqual(uuids, [...uuids].sort());
      assert.equal(new Set(uuids).size, count);
    }),
    { numRuns: 100 },
  );
});

test("the counter has room for 500 after the highest start", () => {
  const { uuids } = run({ count: 500, version: 7 }, withBytes(0xff));
  assert.equal(uuids[0]?.slice(14, 18), "77ff");
  assert.equal(uuids.at(-1)?.slice(14, 18), "79f2");
});

test("version 7 takes one draw, and a replay of it gives the same UUIDs", () => {
  const context = fixedToolContext();
  const first = run({ count: 20, version: 7 }, context);
  assert.deepEqual(context.drawn, [2 + 8 * 20]);
  const drawn = fixedToolContext().random(2 + 8 * 20);
  const replay = { ...context, random: () => drawn };
  assert.deepEqual(run({ count: 20, version: 7 }, replay), first);
  assert.deepEqual(run({ count: 20, version: 7 }, replay), first);
  const later = { ...replay, receivedAt: context.receivedAt + 1 };
  const after = run({ count: 20, version: 7 }, later).uuids;
  assert.ok((first.uuids.at(-1) as string) < (after[0] as string));
});
