import assert from "node:assert/strict";
import { test } from "node:test";
import { PRICE_CREDITS_MAX } from "#limits.ts";
import { defineTool } from "#tools/define-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import uuid from "#tools/uuid/tool.ts";

test("the five tools of the specification cost one credit a call", () => {
  assert.deepEqual(
    TOOLS.slice(0, 5).map(({ price }) => price),
    [1, 1, 1, 1, 1],
  );
});

test("a price is a whole number of credits from 0 to 1,000,000", () => {
  for (const price of [0, 1, 7, PRICE_CREDITS_MAX]) {
    assert.equal(defineTool({ ...uuid, price }).price, price);
  }
  for (const price of [-1, 0.5, 1_000_001, Number.NaN, Number.POSITIVE_INFINITY, "1" as never]) {
    assert.throws(() => defineTool({ ...uuid, price }), {
      name: "RangeError",
      message: `The price of uuid must be a whole number of credits from 0 to 1000000; got ${price}.`,
    });
  }
});
