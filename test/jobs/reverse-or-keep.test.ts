import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { reverseOrKeep } from "#jobs/reverse-calls.ts";
import type { CallRef } from "#ledger/port.ts";

/** Calls that are given back where no process is sure to outlive its answer. */
type Trouble = "fails" | "finds nothing" | null;

function openScene(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const tried: number[] = [];
  const kept: CallRef[] = [];
  const complaints: string[] = [];
  const lifelines: Promise<unknown>[] = [];
  const scene = { trouble: null as Trouble, keepFails: false, now: 100 };
  const wiring = {
    ledger: {
      async reverse(order: CallRef & { now: number }) {
        tried.push(order.now);
        assert.deepEqual([order.account, order.callId, order.at], ["acc_Ada", "call_1", 7]);
        if (scene.trouble === "fails") throw new Error("no ledger");
        return { reversed: scene.trouble === null };
      },
    },
    now: () => scene.now,
    logError: (message: string) => void complaints.push(message),
  };
  const keep = async (call: CallRef) => {
    if (scene.keepFails) throw new Error("no database");
    kept.push(call);
  };
  return Object.assign(scene, {
    ...{ tried, kept, complaints, lifelines },
    add() {
      const call = { account: "acc_Ada", callId: "call_1", at: 7 };
      lifelines.push(reverseOrKeep(wiring, call, () => keep(call)));
    },
    async pass(ms: number) {
      for (let turns = 0; turns < 10; turns += 1) await turn();
      scene.now += ms;
      t.mock.timers.tick(ms);
      for (let turns = 0; turns < 10; turns += 1) await turn();
    },
  });
}

test("a call is given back at once, and the platform told to wait for it", async (t) => {
  const scene = openScene(t);
  scene.add();
  assert.equal(scene.lifelines.length, 1);
  await scene.lifelines[0];
  await scene.pass(60_000);
  assert.deepEqual([scene.tried, scene.kept, scene.complaints], [[100], [], []]);
});

test("a reversal that fails is tried twice more within seconds, then the call is kept", async (t) => {
  const scene = openScene(t);
  scene.trouble = "fails";
  scene.add();
  await scene.pass(499);
  assert.deepEqual(scene.tried, [100]);
  await scene.pass(1);
  assert.deepEqual(scene.tried, [100, 600]);
  assert.deepEqual(scene.kept, []);
  await scene.pass(2_000);
  assert.deepEqual(scene.tried, [100, 600, 2_600]);
  await Promise.all(scene.lifelines);
  assert.deepEqual(scene.kept, [{ account: "acc_Ada", callId: "call_1", at: 7 }]);
  assert.deepEqual(scene.complaints, []);
});

test("a ledger that is well again within seconds keeps nothing", async (t) => {
  const scene = openScene(t);
  scene.trouble = "fails";
  scene.add();
  await scene.pass(0);
  scene.trouble = null;
  await scene.pass(500);
  await Promise.all(scene.lifelines);
  assert.deepEqual([scene.tried.length, scene.kept], [2, []]);
});

test("a call whose debit is not there is kept: the debit may still be on its way", async (t) => {
  const scene = openScene(t);
  scene.trouble = "finds nothing";
  scene.add();
  for (const ms of [500, 2_000]) await scene.pass(ms);
  assert.deepEqual([scene.tried.length, scene.kept.length, scene.complaints], [3, 1, []]);
});

test("where it cannot be kept either, the operator is told which call it is, and nothing is thrown", async (t) => {
  const scene = openScene(t);
  scene.trouble = "fails";
  scene.keepFails = true;
  scene.add();
  for (const ms of [500, 2_000]) await scene.pass(ms);
  await Promise.all(scene.lifelines);
  assert.deepEqual(scene.complaints, [
    "The call call_1 of acc_Ada could neither be reversed nor kept for later",
  ]);
});

test("what the platform is told to wait for ends when the call is kept", async (t) => {
  const scene = openScene(t);
  scene.trouble = "fails";
  scene.add();
  const settled = Promise.all(scene.lifelines);
  for (const ms of [500, 2_000]) await scene.pass(ms);
  await settled;
  assert.equal(scene.kept.length, 1);
});
