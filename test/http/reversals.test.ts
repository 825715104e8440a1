import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { AppContext } from "#http/app-context.ts";
import { createReversals } from "#http/reversals.ts";
import { type CallRef, NotCarriedOut } from "#ledger/port.ts";
import { createMemoryLedger } from "#stores/memory/memory.ts";
import { createBackstage } from "../doors/backstage.ts";
import { assertAnswer, assertProblem, createCaller, openDoor } from "../doors/door.ts";
import { openInProcess } from "../doors/in-process.ts";

/** Calls that are given back, over a ledger that answers as the test tells it, with a clock that the test moves. */
type Reverse = CallRef & { now: number };

function openScene(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const tried: Reverse[] = [];
  const reversed: string[] = [];
  const complaints: string[] = [];
  /** Calls whose reversal fails. */
  const failing = new Set<string>();
  let atOnce = 0;
  let atOnceMax = 0;
  let now = 0;
  /** Calls on which the ledger is slow. */
  const held = new Map<string, Promise<void>>();
  const ledger = {
    async reverse(order: Reverse) {
      tried.push(order);
      atOnce += 1;
      atOnceMax = Math.max(atOnceMax, atOnce);
      await (held.get(order.callId) ?? turn());
      atOnce -= 1;
      if (failing.has("all") || failing.has(order.callId)) throw new Error("no ledger");
      reversed.push(order.callId);
      return { reversed: true };
    },
  };
  const reversals = createReversals({
    ledger,
    afterwards: null,
    now: () => now,
    logError: (message: string) => complaints.push(message),
  } as unknown as AppContext);
  return {
    reversals,
    tried,
    reversed,
    complaints,
    failing,
    add: (callId: string) => reversals.add({ account: "acc_Ada", callId, now: 7 }),
    atOnceMax: () => atOnceMax,
    triedIds: () => tried.map(({ callId }) => callId),
    resetAtOnce: () => {
      atOnceMax = 0;
    },
    /** The ledger does not answer for this call until the returned function is called. */
    hold(callId: string): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(callId, promise);
      return resolve;
    },
    async tick(ms: number) {
      now += ms;
      t.mock.timers.tick(ms);
      await settled();
    },
  };
}

/** What is under way has come to where it waits for the clock. */
async function settled() {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

test("a call is given back at once, by the name of its debit", async (t) => {
  const scene = openScene(t);
  scene.add("call_1");
  await settled();
  assert.deepEqual(scene.tried, [{ account: "acc_Ada", callId: "call_1", at: 7, now: 0 }]);
  await scene.tick(100_000);
  assert.equal(scene.tried.length, 1);
});

test("a reversal that fails is tried again, after 1 s, then later each time up to a minute", async (t) => {
  const scene = openScene(t);
  scene.failing.add("all");
  scene.add("call_1");
  await settled();
  for (const waitMs of [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000)) {
    const before = scene.tried.length;
    await scene.tick(waitMs - 1);
    assert.equal(scene.tried.length, before, `before ${waitMs} ms`);
    await scene.tick(1);
    assert.equal(scene.tried.length, before + 1, `after ${waitMs} ms`);
  }
  scene.failing.clear();
  await scene.tick(60_000);
  assert.deepEqual(scene.reversed, ["call_1"]);
  assert.equal(scene.tried.at(-1)?.at, 7, "the debit's time, not that of the trial");
  assert.deepEqual(scene.complaints, []);

  scene.failing.add("all");
  scene.add("call_2");
  await settled();
  const before = scene.tried.length;
  await scene.tick(1_000);
  assert.equal(scene.tried.length, before + 1, "a ledger that was well again is tried soon");
});

test("those that wait are given back one after the other, in the order in which they came", async (t) => {
  const scene = openScene(t);
  scene.failing.add("all");
  const ids = Array.from({ length: 10 }, (_, at) => `call_${at}`);
  for (const id of ids) scene.add(id);
  await settled();
  scene.failing.clear();
  scene.resetAtOnce();
  await scene.tick(1_000);
  await settled();
  assert.deepEqual(scene.reversed, ids);
  assert.equal(scene.atOnceMax(), 1);
});

test("while the ledger is slow with one, no other of those that wait is tried", async (t) => {
  const scene = openScene(t);
  scene.failing.add("call_1");
  scene.failing.add("call_2");
  scene.add("call_1");
  await settled();
  const release = scene.hold("call_1");
  await scene.tick(1_000);
  scene.add("call_2");
  await settled();
  assert.deepEqual(scene.triedIds(), ["call_1", "call_1", "call_2"]);
  scene.failing.clear();
  await scene.tick(60_000);
  assert.equal(scene.tried.length, 3);
  release();
  await scene.tick(60_000);
  assert.deepEqual(scene.reversed, ["call_1", "call_2"]);
});

test("one that cannot be given back does not hold up the others", async (t) => {
  const scene = openScene(t);
  scene.failing.add("all");
  for (const id of ["call_1", "call_2", "call_3"]) scene.add(id);
  await settled();
  scene.failing.clear();
  scene.failing.add("call_1");
  await scene.tick(1_000);
  await scene.tick(2_000);
  assert.deepEqual(scene.reversed, ["call_2", "call_3"]);
  assert.deepEqual(scene.triedIds().slice(3), ["call_1", "call_2", "call_3", "call_1"]);
});

test("the backlog is bounded: beyond it the operator is told which call is left", async (t) => {
  const scene = openScene(t);
  scene.failing.add("all");
  for (let call = 0; call < 50_000; call += 1) scene.add(`call_${call}`);
  await settled();
  assert.deepEqual(scene.complaints, []);
  scene.add("call_over");
  await settled();
  assert.equal(scene.complaints.length, 1);
  assert.match(scene.complaints.join(), /call_over of acc_Ada is left/);
});

test("settle() tries each that waits once more, and what is left is told", async (t) => {
  const scene = openScene(t);
  scene.failing.add("all");
  for (const id of ["call_1", "call_2", "call_3"]) scene.add(id);
  await settled();
  scene.failing.clear();
  scene.failing.add("call_1");
  await scene.reversals.settle();
  assert.deepEqual(scene.reversed, ["call_2", "call_3"]);
  assert.deepEqual(scene.reversals.left(), [{ account: "acc_Ada", callId: "call_1", at: 7 }]);
});

test("settle() waits for a reversal that is under way, which is left until it is answered, and where it fails", async (t) => {
  const scene = openScene(t);
  scene.failing.add("all");
  const releases = ["call_1", "call_2"].map(scene.hold);
  scene.add("call_1");
  const settling = scene.reversals.settle();
  await settled();
  const call = { account: "acc_Ada", callId: "call_1", at: 7 };
  assert.deepEqual(scene.reversals.left(), [call]);
  for (const release of releases) release();
  await settling;
  assert.deepEqual(scene.reversals.left(), [call]);
});

test("settle() with nothing to do says nothing", async (t) => {
  const scene = openScene(t);
  await scene.reversals.settle();
  scene.add("call_1");
  await settled();
  await scene.reversals.settle();
  assert.deepEqual([scene.reversed, scene.complaints], [["call_1"], []]);
  assert.deepEqual(scene.reversals.left(), []);
});

/** The app over a ledger whose debits fail as the test tells. */
async function openFailing(fault: () => Error | null) {
  const ledger = createMemoryLedger();
  const { debit } = ledger;
  ledger.debit = async (order) => {
    const error = fault();
    if (error !== null) throw error;
    return debit(order);
  };
  const time = { now: () => Date.UTC(2026, 0, 15), elapsed: () => 0 };
  const opened = openInProcess(createBackstage(ledger, time), { rateLimit: 0 });
  const opener = { name: "in process", cannot: {}, open: async () => opened };
  return openDoor(opener, { rateLimit: 0 });
}

for (const { name, fault, idempotencyKey, reversals } of [
  {
    name: "that is known not to be made is not given back",
    fault: new NotCarriedOut("full"),
    reversals: 0,
  },
  { name: "of unknown outcome is given back", fault: new Error("lost"), reversals: 1 },
  {
    name: "of unknown outcome with an Idempotency-Key is left to its repeat",
    fault: new Error("lost"),
    idempotencyKey: "once",
    reversals: 0,
  },
]) {
  test(`a debit ${name}`, async () => {
    let error: Error | null = null;
    const door = await openFailing(() => error);
    const caller = await createCaller(door, { credits: 5 });
    const headers: Record<string, string> =
      idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey };
    error = fault;
    assertProblem(await caller.call("hash", { text: "a" }, headers), "unavailable");
    await settled();
    assert.equal(await door.ordered("reverse"), reversals);
    error = null;
    assertAnswer(await caller.call("hash", { text: "a" }, headers), 1);
    assert.equal(await caller.balance(), 4);
  });
}
