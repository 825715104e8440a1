import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequestCounts } from "#accounts/request-counts.ts";
import fc from "../support/properties.ts";

/** Counts in memory, and the clock that they read. */
function openCounts(at = 0) {
  const clock = { at };
  return { clock, ...createRequestCounts(() => clock.at) };
}

const RULE = { window: 60, max: 3 };
const ALLOWED = { allowed: true, retryAfter: null };

test("a window has its number of requests, from the first of them on", () => {
  const { clock, count } = openCounts();
  for (clock.at of [0, 20_000, 59_000]) assert.deepEqual(count("x", RULE), ALLOWED);
  assert.deepEqual(count("x", RULE), { allowed: false, retryAfter: 1 });
  assert.deepEqual(count("y", RULE), ALLOWED);
  clock.at = 60_000;
  assert.deepEqual(count("x", RULE), ALLOWED);
});

test("a request that is given back may be made again", () => {
  const { count, giveBack } = openCounts();
  for (let times = 0; times < 3; times += 1) count("x", RULE);
  giveBack("x");
  giveBack("unknown");
  assert.deepEqual(count("x", RULE), ALLOWED);
  assert.equal(count("x", RULE).allowed, false);
  for (let times = 0; times < 9; times += 1) giveBack("x");
  for (let times = 0; times < 3; times += 1) assert.deepEqual(count("x", RULE), ALLOWED);
  assert.equal(count("x", RULE).allowed, false);
});

test("whatever comes when, no window that begins with a request has more than its number", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(90_000), { maxLength: 60 }), (gaps) => {
      const { clock, count } = openCounts();
      const allowed: number[] = [];
      let begins = Number.NEGATIVE_INFINITY;
      let inWindow = 0;
      for (const gap of gaps) {
        clock.at += gap;
        if (!count("x", RULE).allowed) continue;
        allowed.push(clock.at);
        if (clock.at >= begins + 60_000) [begins, inWindow] = [clock.at, 0];
        inWindow += 1;
        assert.ok(inWindow <= 3, `${allowed}`);
      }
    }),
    { numRuns: 200 },
  );
});

test("a hundred thousand names leave only a bounded number of entries", () => {
  const { count } = openCounts();
  for (let times = 0; times < 3; times += 1) count("first", RULE);
  for (let turn = 0; turn < 100_000; turn += 1) count(`n${turn}`, RULE);
  // The entry used longest ago is evicted, the newest is not.
  assert.deepEqual(count("first", RULE), ALLOWED);
  for (let times = 0; times < 2; times += 1) count("n99999", RULE);
  assert.equal(count("n99999", RULE).allowed, false);
});

test("a clock that goes back neither throws nor allows more requests", () => {
  const { clock, count } = openCounts(100_000);
  for (let times = 0; times < 3; times += 1) count("x", RULE);
  clock.at = 95_000;
  assert.equal(count("x", RULE).allowed, false);
});

test("counts from a clock that was a year ahead lock nobody out", () => {
  const at = Date.UTC(2026, 10, 21);
  const { clock, count } = openCounts(at + 365 * 24 * 3_600_000);
  for (let times = 0; times < 4; times += 1) count("x", RULE);
  clock.at = at;
  for (let times = 0; times < 3; times += 1) assert.deepEqual(count("x", RULE), ALLOWED);
  assert.deepEqual(count("x", RULE), { allowed: false, retryAfter: 60 });
  clock.at = at - 9_000;
  assert.equal(count("x", RULE).allowed, false, "clocks differ by seconds");
});
