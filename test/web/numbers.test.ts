import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DAY_MS,
  dayOf,
  longDay,
  signed,
  timeSince,
  timeUntil,
  wholeNumberIn,
} from "../../web/parts/numbers.ts";

test("a number that was typed may have its thousands in groups, and nothing else", () => {
  for (const text of ["12000", " 12,000", "12 000", "12.000", "12’000", "12\u00a0000 "])
    assert.equal(wholeNumberIn(text), 12_000, text);
  for (const text of ["", "1.5", "1,2", "-1", "1e3", "ten", "9007199254740993"])
    assert.equal(wholeNumberIn(text), null, text);
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

test("spans of time are in days from two days on and in hours below that, rounded to the nearest", () => {
  const now = Date.UTC(2026, 10, 21);
  const [MINUTE, HOUR] = [60_000, 3_600_000];
  const cases: [ms: number, text: string][] = [
    // Starter credits for 90 days, a minute and half a day after the sign-up, and a day.
    [90 * DAY_MS - MINUTE, "90 days"],
    [89.6 * DAY_MS, "90 days"],
    [89.4 * DAY_MS, "89 days"],
    [30 * DAY_MS - 1, "30 days"],
    [2 * DAY_MS - 1, "2 days"],
    [47.4 * HOUR, "47 hours"],
    [HOUR, "1 hour"],
    [40 * MINUTE, "1 hour"],
    [20 * MINUTE, "less than an hour"],
  ];
  for (const [ms, text] of cases) {
    assert.equal(timeUntil(now + ms, now), `in ${text}`);
    assert.equal(timeSince(now - ms, now), `${text} ago`);
  }
  assert.equal(timeUntil(now + 1, now), "in less than an hour");
});

test("what has happened is never in the future, even if the clock of the service is ahead", () => {
  const now = Date.UTC(2026, 10, 21);
  for (const at of [now + 5_000, now, now - 59_999]) assert.equal(timeSince(at, now), "just now");
});
