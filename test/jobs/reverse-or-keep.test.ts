import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { callRef } from "#ids.ts";
import { reverseOrKeep } from "#jobs/reverse-calls.ts";
import type { CallRef } from "#ledger/port.ts";

/** Calls that are given back where no process is sure to outlive its answer. */
const CALL = { account: "acc_Ada", callId: "call_1", at: 7 };
type Trouble = "fails" | "finds nothing" | null;

function openFixture(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const tried: number[] = [];
  const kept: CallRef[] = [];
  const loggedErrors: string[] = [];
  const lifelines: Promise<unknown>[] = [];
  const fixture = { trouble: null as Trouble, keepFails: false, now: 100 };
  const wiring = {
    ledger: {
      async reverse(order: CallRef & { now: number }) {
        tried.push(order.now);
        assert.deepEqual([order.account, order.callId, order.at], ["acc_Ada", "call_1", 7]);
        if (fixture.trouble === "fails") throw new Error("no ledger");
        return { reversed: fixture.trouble === null };
      },
    },
    now: () => fixture.now,
    logError: (message: string) => void loggedErrors.push(message),
  };
  const keep = async (call: CallRef) => {
    if (fixture.keepFails) throw new Error("no database");
    kept.push(call);
  };
  return Object.assign(fixture, {
    ...{ tried, kept, loggedErrors, lifelines },
    add() {
      lifelines.push(reverseOrKeep(wiring, CALL, () => keep(CALL)));
    },
    async pass(ms: number) {
      for (let turns = 0; turns < 10; turns += 1) await turn();
      fixture.now += ms;
      t.mock.timers.tick(ms);
      for (let turns = 0; turns < 10; turns += 1) await turn();
    },
  });
}

test("a call is reversed immediately, and the platform waits for it", async (t) => {
  const fixture = openFixture(t);
  fixture.add();
  assert.equal(fixture.lifelines.length, 1);
  await fixture.lifelines[0];
  await fixture.pass(60_000);
  assert.deepEqual([fixture.tried, fixture.kept, fixture.loggedErrors], [[100], [], []]);
});

test("a reversal that fails is attempted twice more within seconds, and then queued", async (t) => {
  const fixture = openFixture(t);
  fixture.trouble = "fails";
  fixture.add();
  await fixture.pass(499);
  assert.deepEqual(fixture.tried, [100]);
  await fixture.pass(1);
  assert.deepEqual(fixture.tried, [100, 600]);
  assert.deepEqual(fixture.kept, []);
  await fixture.pass(2_000);
  assert.deepEqual(fixture.tried, [100, 600, 2_600]);
  await Promise.all(fixture.lifelines);
  assert.deepEqual(fixture.kept, [{ account: "acc_Ada", callId: "call_1", at: 7 }]);
  assert.deepEqual(fixture.loggedErrors, []);
});

test("if the ledger recovers within seconds, nothing is queued", async (t) => {
  const fixture = openFixture(t);
  fixture.trouble = "fails";
  fixture.add();
  await fixture.pass(0);
  fixture.trouble = null;
  await fixture.pass(500);
  await Promise.all(fixture.lifelines);
  assert.deepEqual([fixture.tried.length, fixture.kept], [2, []]);
});

test("a call whose debit is not found is not queued, because the ledger rejects a debit that arrives later", async (t) => {
  const fixture = openFixture(t);
  fixture.trouble = "finds nothing";
  fixture.add();
  await fixture.pass(60_000);
  await Promise.all(fixture.lifelines);
  assert.deepEqual([fixture.tried.length, fixture.kept, fixture.loggedErrors], [1, [], []]);
});

test("if a call cannot be queued either, it is logged, and nothing is thrown", async (t) => {
  const fixture = openFixture(t);
  fixture.trouble = "fails";
  fixture.keepFails = true;
  fixture.add();
  for (const ms of [500, 2_000]) await fixture.pass(ms);
  await Promise.all(fixture.lifelines);
  assert.deepEqual(fixture.loggedErrors, [
    `The call ${callRef(CALL)} could neither be reversed nor queued for reversal. To see whether it was charged, run \`npm run -s toolbooth -- calls show ${callRef(CALL)}\`; calls reverse reverses it.`,
  ]);
});

test("the platform waits until the call is queued", async (t) => {
  const fixture = openFixture(t);
  fixture.trouble = "fails";
  fixture.add();
  const settled = Promise.all(fixture.lifelines);
  for (const ms of [500, 2_000]) await fixture.pass(ms);
  await settled;
  assert.equal(fixture.kept.length, 1);
});
