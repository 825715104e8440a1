import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createRequestCounts } from "#accounts/counted-throttle.ts";
import { type Attempt, createSignInThrottle } from "#accounts/sign-in-throttle.ts";

const OWNER = "owner@example.com";
const outsider = (address = "9.9.9.9", email = OWNER): Attempt => ({
  ...{ email, address, isKnownBrowser: false },
});
const atHome: Attempt = { email: OWNER, address: "1.1.1.1", isKnownBrowser: true };
const abroad: Attempt = { email: OWNER, address: "2.2.2.2", isKnownBrowser: false };
const RUNS = 200;

test("the first wrong passwords are free, then each wait doubles up to four seconds", () => {
  const throttle = createSignInThrottle();
  const waits = Array.from({ length: 10 }, (_, turn) => throttle.ask(outsider(`a${turn}`), 0));
  const queue = [0, 0, 0, 0, 500, 1_500, 3_500, 7_500, 11_500, 15_500];
  assert.deepEqual(
    waits,
    queue.map((waitMs) => ({ waitMs })),
  );
});

test("a right password clears earlier mistakes", () => {
  const throttle = createSignInThrottle();
  for (let turn = 0; turn < 6; turn += 1) throttle.ask(outsider(`a${turn}`), 0);
  throttle.succeeded(abroad);
  assert.deepEqual(throttle.ask(abroad, 1), { waitMs: 0 });
});

test("mistakes are forgotten 15 minutes after the last one", () => {
  const throttle = createSignInThrottle();
  for (let turn = 0; turn < 5; turn += 1) throttle.ask(outsider(`a${turn}`), 0);
  const quarter = 15 * 60_000;
  assert.deepEqual(throttle.ask(outsider("b"), quarter - 1), { waitMs: 1_000 });
  assert.deepEqual(throttle.ask(outsider("c"), 2 * quarter), { waitMs: 0 });
});

test("one network has ten attempts, then one every six seconds, whatever the account", () => {
  const throttle = createSignInThrottle();
  const outcomes = Array.from({ length: 12 }, (_, turn) =>
    throttle.ask(outsider("9.9.9.9", `user${turn}@example.com`), 0),
  );
  assert.deepEqual(outcomes.slice(0, 10), Array(10).fill({ waitMs: 0 }));
  assert.deepEqual(outcomes.slice(10), Array(2).fill({ retryAfterMs: 6_000 }));
  assert.deepEqual(throttle.ask(outsider("9.9.9.9", "x@example.com"), 6_000), { waitMs: 0 });
  assert.deepEqual(throttle.ask(outsider("8.8.8.8", "x@example.com"), 6_000), { waitMs: 0 });
});

const anyTries = fc.array(
  fc.record({
    address: fc.integer({ min: 0, max: 40 }).map((number) => `3.3.3.${number}`),
    after: fc.constantFrom(0, 1, 100, 3_000, 20_000),
    times: fc.integer({ min: 1, max: 15 }),
  }),
  { maxLength: 60 },
);

test("whatever strangers try, a known browser is neither rejected nor slowed down", () => {
  fc.assert(
    fc.property(anyTries, (tries) => {
      const throttle = createSignInThrottle();
      let at = 0;
      for (const { address, after, times } of tries) {
        at += after;
        for (let turn = 0; turn < times; turn += 1) throttle.ask(outsider(address), at);
      }
      assert.deepEqual(throttle.ask(atHome, at), { waitMs: 0 });
    }),
    { numRuns: RUNS },
  );
});

test("one network alone can make a user wait in other browsers, but not get them rejected", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(8_000), { maxLength: 200 }), (gaps) => {
      const throttle = createSignInThrottle();
      let at = 0;
      for (const gap of gaps) {
        at += gap;
        throttle.ask(outsider(), at);
      }
      const outcome = throttle.ask(abroad, at);
      assert.ok("waitMs" in outcome && outcome.waitMs <= 20_000);
    }),
    { numRuns: RUNS },
  );
});

test("guesses at one user are limited to one in four seconds, from however many networks", () => {
  fc.assert(
    fc.property(anyTries, (tries) => {
      const throttle = createSignInThrottle();
      let at = 0;
      const done: number[] = [];
      let networks = 0;
      for (const { after, times } of tries) {
        at += after;
        for (let turn = 0; turn < times; turn += 1) {
          networks += 1;
          const outcome = throttle.ask(outsider(`4.4.${networks}`), at);
          if ("waitMs" in outcome) done.push(at + outcome.waitMs);
        }
      }
      // Four are free, and four more come within the first waits; the queue reaches 20 seconds ahead.
      assert.ok(done.length <= 8 + (at + 20_000) / 4_000, `${done.length} by ${at}`);
      assert.deepEqual(
        done,
        done.toSorted((a, b) => a - b),
      );
    }),
    { numRuns: RUNS },
  );
});

test("a hundred thousand strangers leave only a bounded number of entries", () => {
  const throttle = createSignInThrottle();
  for (let turn = 0; turn < 6; turn += 1) throttle.ask(outsider(`a${turn}`, "first@x.test"), 0);
  for (let turn = 0; turn < 100_000; turn += 1) {
    throttle.ask(outsider(`n${turn}`, `p${turn}@x.test`), 0);
  }
  // The entry used longest ago is evicted, the newest is not.
  assert.deepEqual(throttle.ask(outsider("b", "first@x.test"), 0), { waitMs: 0 });
  for (let turn = 0; turn < 4; turn += 1) throttle.ask(outsider(`c${turn}`, "p99999@x.test"), 0);
  assert.deepEqual(throttle.ask(outsider("d", "p99999@x.test"), 0), { waitMs: 1_500 });
});

test("a clock that goes back neither throws nor allows more attempts", () => {
  const throttle = createSignInThrottle();
  for (let turn = 0; turn < 10; turn += 1) throttle.ask(outsider(), 1_000_000);
  assert.ok("retryAfterMs" in throttle.ask(outsider(), 0));
});

test("counts from a clock that was a year ahead lock nobody out", () => {
  const year = 365 * 24 * 60 * 60_000;
  const at = Date.UTC(2026, 10, 21);
  const throttle = createSignInThrottle();
  const attempt = { email: "ann@example.com", address: "192.0.2.1", isKnownBrowser: false };
  for (let tries = 0; tries < 9; tries += 1) throttle.ask(attempt, at + year);
  assert.deepEqual(throttle.ask(attempt, at), { waitMs: 0 });

  const rule = { window: 60, max: 3 };
  const count = createRequestCounts();
  for (let times = 0; times < 4; times += 1) count("sign-up", rule, at + year);
  const allowed = { allowed: true, retryAfter: null };
  for (let times = 0; times < 3; times += 1) assert.deepEqual(count("sign-up", rule, at), allowed);
  assert.deepEqual(count("sign-up", rule, at), { allowed: false, retryAfter: 60 });
  assert.equal(count("sign-up", rule, at - 9_000).allowed, false, "clocks differ by seconds");
});
