import assert from "node:assert/strict";
import { test } from "node:test";
import {
  counted,
  DAY_MS,
  dayOf,
  formatNumber,
  longDay,
  relative,
  signed,
} from "../../web/parts/numbers.ts";

test("thousands are separated, and a count is followed by the singular or plural", () => {
  assert.equal(formatNumber(1_234_567), "1,234,567");
  assert.equal(counted(0, "call"), "0 calls");
  assert.equal(counted(1, "call"), "1 call");
  assert.equal(counted(2000, "call"), "2,000 calls");
  assert.equal(counted(2, "entry", "entries"), "2 entries");
});

test("a signed number has a plus sign or a minus sign, not a hyphen", () => {
  assert.deepEqual([signed(100), signed(-3120), signed(0)], ["+100", "\u22123,120", "0"]);
});

test("days are in UTC", () => {
  const lastMoment = Date.UTC(2026, 10, 21, 23, 59, 59, 999);
  assert.equal(dayOf(lastMoment), "2026-11-21");
  assert.equal(dayOf(lastMoment + 1), "2026-11-22");
  assert.equal(longDay("2026-11-21"), "21 Nov 2026");
});

test("relative times are in days from two days on and in hours below that, rounded towards zero", () => {
  const now = Date.UTC(2026, 10, 21);
  assert.equal(relative(now + 30 * DAY_MS - 1, now), "in 29 days");
  assert.equal(relative(now + 2 * DAY_MS - 1, now), "in 47 hours");
  assert.equal(relative(now + 3_600_000, now), "in 1 hour");
  assert.equal(relative(now + 1, now), "in less than an hour");
  assert.equal(relative(now - 3 * DAY_MS, now), "3 days ago");
});
