import assert from "node:assert/strict";
import { test } from "node:test";
import { CallRates } from "#ledger/call-ledger.ts";
import { createThrottle } from "#ledger/throttle.ts";
import fc from "../support/properties.ts";

const START = Date.UTC(2026, 0, 15, 10);

test("the rate limit holds in whatever order the times of several clocks arrive", () => {
  const skewed = fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 400 });
  fc.assert(
    fc.property(skewed, (skews) => {
      const throttle = createThrottle(3);
      const times = skews.map((skew) => START + skew);
      const taken = times.filter((at) => throttle.take("acc", at).allowed).length;
      const seconds = (Math.max(START, ...times) - Math.min(START, ...times)) / 1_000;
      assert.ok(taken <= 6 + Math.ceil(seconds * 3), `${taken} in ${seconds} s`);
    }),
  );
});

test("two clocks that differ by 200 ms do not refill a bucket", () => {
  const throttle = createThrottle(100);
  let taken = 0;
  for (let call = 0; call < 10_000; call += 1) {
    if (throttle.take("acc", START + (call % 2) * 200).allowed) taken += 1;
  }
  assert.ok(taken <= 220, String(taken));
});

test("a clock that was set back by an hour does not reject calls for an hour", () => {
  const throttle = createThrottle(1);
  for (let call = 0; call < 3; call += 1) throttle.take("acc", START);
  const back = START - 3_600_000;
  assert.equal(throttle.take("acc", back).allowed, false);
  assert.equal(throttle.take("acc", back + 1_000).allowed, true);
});

test("a repeated order is not rejected because of the rate that it used up itself", async () => {
  const rates = new CallRates(1);
  const ledger = {
    debit: () => ({ outcome: "debited", charged: 1, balance: 5 }) as const,
    keyStatus: () => ({ outcome: "good", balance: 5, freeCall: false }) as const,
  };
  const order = {
    ...{ account: "acc", keySha256: "a", callId: "call", tool: "hash" },
    ...{ now: START, credits: 1, freeCallCredits: 1, idempotency: null },
  };
  const ask = (isAgain: boolean) => rates.ask("debit", ledger, order, START, isAgain);
  assert.equal((await ask(false)).outcome.outcome, "debited");
  assert.equal((await ask(false)).outcome.outcome, "debited");
  assert.equal((await ask(false)).outcome.outcome, "rate_limited");
  assert.equal((await ask(true)).outcome.outcome, "debited");
});

test("isUsedUp does not count a call", () => {
  const throttle = createThrottle(1);
  assert.equal(throttle.isUsedUp("acc", START), false);
  for (let call = 0; call < 2; call += 1) {
    assert.equal(throttle.take("acc", START).allowed, true);
  }
  for (const ms of [0, 500, 500, 999]) assert.equal(throttle.isUsedUp("acc", START + ms), true);
  for (const ms of [1_000, 1_000]) assert.equal(throttle.isUsedUp("acc", START + ms), false);
  assert.equal(throttle.take("acc", START + 1_000).allowed, true);
  assert.equal(createThrottle(0).isUsedUp("acc", START), false);
});

test("of many names, those that have used up their rate are not forgotten", () => {
  const throttle = createThrottle(1);
  for (let name = 0; name < 25_000; name += 1) {
    const at = START + name;
    if (name % 500 === 0) while (throttle.take("busy", at).allowed);
    throttle.take(`name ${name}`, at);
    assert.ok(throttle.isUsedUp("busy", at));
  }
});
