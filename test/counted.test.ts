import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, formatNumber } from "#counted.ts";

test("thousands are separated, and a count is followed by the singular or plural", () => {
  assert.equal(formatNumber(1_234_567), "1,234,567");
  assert.equal(formatNumber(1_234.5), "1,234.5");
  assert.equal(counted(0, "call"), "0 calls");
  assert.equal(counted(1, "call"), "1 call");
  assert.equal(counted(2000, "call"), "2,000 calls");
  assert.equal(counted(2, "entry", "entries"), "2 entries");
});
