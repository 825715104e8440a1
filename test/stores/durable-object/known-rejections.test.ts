import assert from "node:assert/strict";
import { test } from "node:test";
import { CallRates } from "#ledger/call-ledger.ts";
import type { DebitOrder, DebitOutcome, KeyStatus, KeyStatusOrder } from "#ledger/port.ts";
import { FINAL_MS } from "#stores/durable-object/known-rejections.ts";
import { callLedgerOfObjects } from "#stores/durable-object/ledger.ts";
import type { CallResult } from "#stores/durable-object/rpc.ts";
import fc from "../../support/properties.ts";

const START = Date.UTC(2026, 0, 15, 10);
const ACCOUNT = "acc_Ada";

const orderOf = (keySha256: string, now: number, more: Partial<DebitOrder> = {}): DebitOrder => ({
  ...{ account: ACCOUNT, keySha256, callId: "call", tool: "hash", now },
  ...{ credits: 1, freeCallCredits: 1, idempotency: null, ...more },
});

/** An object that counts the rate and knows the keys `a` and `b`. `asked`: the calls that reached it. */
function createObject(callsPerSecond: number, isFinal = true) {
  const rates = new CallRates(callsPerSecond);
  const isGood = (keySha256: string) => keySha256 === "a" || keySha256 === "b";
  const object = {
    asked: 0,
    async call(_: string, order: unknown): Promise<CallResult> {
      object.asked += 1;
      const sent = order as DebitOrder;
      const keyStatus = ({ keySha256 }: KeyStatusOrder): KeyStatus =>
        isGood(keySha256)
          ? { outcome: "good", balance: 5, freeCall: false }
          : { outcome: "invalid_key" };
      const debit = ({ keySha256 }: DebitOrder): DebitOutcome =>
        isGood(keySha256)
          ? { outcome: "debited", charged: 1, balance: 5 }
          : { outcome: "invalid_key" };
      const value = await rates.ask("debit", { debit, keyStatus }, sent, sent.now);
      const isBad = value.outcome.outcome === "invalid_key";
      return isBad && isFinal ? { value, isFinal } : { value };
    },
  };
  return object;
}

const isolateOf = (object: ReturnType<typeof createObject>, callsPerSecond: number) =>
  callLedgerOfObjects(() => object as never, callsPerSecond);

test("the response to a call over the rate limit is the object's own, whether or not it is asked", async () => {
  const steps = fc.array(
    fc.record({ ms: fc.integer({ min: 0, max: 40 }), key: fc.constantFrom("a", "b", "c") }),
    { minLength: 40, maxLength: 200 },
  );
  let saved = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1, 3, 20), steps, async (rate, calls) => {
      const [object, everyCall] = [createObject(rate, false), createObject(rate, false)];
      const isolates = [isolateOf(object, rate), isolateOf(object, rate)];
      let now = START;
      for (const [index, { ms, key }] of calls.entries()) {
        now += ms;
        const order = orderOf(key, now);
        const outcome = await isolates[index % 2]?.debit(order, false);
        assert.deepEqual(withoutTime(outcome), withoutTime(await ownOutcome(everyCall, order)));
      }
      saved += calls.length - object.asked;
    }),
  );
  assert.ok(saved > 100, `${saved} calls were not sent`);
});

const ownOutcome = async (object: ReturnType<typeof createObject>, order: DebitOrder) => {
  const result = await object.call("debit", order);
  return "value" in result ? result.value : assert.fail();
};

/** The time is a fraction, so its last digits depend on when the bucket was last filled. */
const withoutTime = (outcome: unknown) =>
  JSON.parse(JSON.stringify(outcome), (name, value) => (name === "availableAt" ? 0 : value));

test("a call with another tool or from another address is sent: its own errors come first", async () => {
  const object = createObject(1);
  const calls = isolateOf(object, 1);
  for (let call = 0; call < 5; call += 1) await calls.debit(orderOf("a", START), false);
  assert.equal(object.asked, 3);
  for (const more of [{ tool: "uuid" }, { address: "192.0.2.1" }])
    await calls.debit(orderOf("a", START, more), false);
  await calls.debit(orderOf("b", START), false);
  assert.equal(object.asked, 6);
});

test("a clock that was set back does not prolong a rejection", async () => {
  const object = createObject(1);
  const calls = isolateOf(object, 1);
  for (let call = 0; call < 4; call += 1) await calls.debit(orderOf("a", START), false);
  const back = await calls.debit(orderOf("a", START - 3_600_000), false);
  assert.equal(object.asked, 4, "the object is asked again");
  assert.equal(back.outcome.outcome, "rate_limited");
  const later = await calls.debit(orderOf("a", START - 3_600_000 + 1_000), false);
  assert.equal(later.outcome.outcome, "debited");
});

test("a key's own limit is not remembered, because its owner may change it", async () => {
  let asked = 0;
  const rate = { source: "key", callsPerSecond: 1, allowed: false, remaining: 0 } as const;
  const by = { ...rate, retryAfterSeconds: 1, resetSeconds: 2, availableAt: START + 1_000 };
  const call = async () => {
    asked += 1;
    return { value: { outcome: { outcome: "rate_limited", balance: 5, by }, rate: by } };
  };
  const calls = callLedgerOfObjects(() => ({ call }) as never, 100);
  for (let time = 0; time < 3; time += 1) await calls.debit(orderOf("a", START), false);
  assert.equal(asked, 3);
});

test("a key that can never become good is rejected without the object, for a minute", async () => {
  const object = createObject(100);
  const calls = isolateOf(object, 100);
  const outcomes = [];
  for (const now of [START, START + 1, START + FINAL_MS - 1, START + FINAL_MS])
    outcomes.push(await calls.debit(orderOf("forged", now), false));
  assert.equal(object.asked, 2);
  for (const outcome of outcomes)
    assert.deepEqual(outcome, { outcome: { outcome: "invalid_key" }, rate: null });
});

test("a key of an account that may still be imported is asked for each time", async () => {
  const object = createObject(100, false);
  const calls = isolateOf(object, 100);
  for (let time = 0; time < 3; time += 1) await calls.debit(orderOf("forged", START), false);
  assert.equal(object.asked, 3);
});
