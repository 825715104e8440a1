import assert from "node:assert/strict";
import { test } from "node:test";
import { type RequestChunk, unpackRequests } from "#accounts/request-log.ts";
import { createEdgeRecorder } from "../../../src/apps/edge/request-recorder.ts";
import { anEntry } from "../../contract/request-log.ts";

type Answer = "logged" | Error | Promise<void>;

/** A recorder of an isolate whose clock, objects and platform are this test's. */
function open(heldMax = 5_000) {
  let now = 1_000_000;
  let timers: { at: number; ring: () => void }[] = [];
  const sent: { chunk: RequestChunk; isAgain: boolean; at: number }[] = [];
  const lost: [count: number, cause: unknown][] = [];
  const work: Promise<unknown>[] = [];
  let answer: (chunk: RequestChunk) => Answer = () => "logged";
  const recorder = createEdgeRecorder({
    async append({ chunk, isAgain }) {
      sent.push({ chunk: structuredClone(chunk), isAgain, at: now });
      const outcome = answer(chunk);
      if (outcome instanceof Error) throw outcome;
      if (outcome instanceof Promise) await outcome;
    },
    waitUntil: (promise) => void work.push(promise),
    wait: (ms) => new Promise((ring) => timers.push({ at: now + ms, ring })),
    now: () => now,
    onLost: (count, cause) => lost.push([count, cause]),
    heldMax,
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  /** Lets time pass in steps, so that what a timer starts gets its own timers. */
  async function pass(ms: number, stepMs = 500): Promise<void> {
    await settled();
    const until = now + ms;
    for (;;) {
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { ring } of due) ring();
      await settled();
      if (timers.some(({ at }) => at <= now)) continue;
      if (now >= until) return;
      now = Math.min(now + stepMs, until);
    }
  }
  return {
    ...{ sent, lost, work, pass },
    record(count: number, account = "acc_1") {
      for (let no = 0; no < count; no += 1) recorder.record(account, anEntry({ id: `req_${no}` }));
    },
    /** The platform ends the requests whose work is under way. */
    endRequests: () => {
      timers = [];
    },
    respond: (next: typeof answer) => {
      answer = next;
    },
    counts: () => sent.map(({ chunk }) => chunk.count),
    /** Milliseconds since the start. */
    times: () => sent.map(({ at }) => at - 1_000_000),
  };
}

test("a single call is sent after a second, those of a busy account after ten seconds or a hundred calls", async () => {
  const isolate = open();
  isolate.record(1);
  assert.equal(isolate.sent.length, 0, "not before its response");
  await isolate.pass(1_000);
  assert.deepEqual([isolate.counts(), isolate.times()], [[1], [1_000]]);
  isolate.record(3);
  await isolate.pass(9_500);
  assert.equal(isolate.sent.length, 1);
  await isolate.pass(500);
  assert.deepEqual(
    [isolate.counts(), isolate.times()],
    [
      [1, 3],
      [1_000, 11_000],
    ],
  );
  isolate.record(230);
  assert.equal(isolate.sent.length, 2, "the responses leave first");
  await isolate.pass(0);
  assert.deepEqual(isolate.counts(), [1, 3, 100, 100]);
  await isolate.pass(10_000);
  assert.deepEqual(isolate.counts(), [1, 3, 100, 100, 30]);
  const ids = unpackRequests(isolate.sent[3]?.chunk.packed ?? "").map(({ id }) => id);
  assert.deepEqual([ids[0], ids[99]], ["req_100", "req_199"]);
  await isolate.pass(60_000);
  isolate.record(1);
  await isolate.pass(1_000);
  assert.equal(isolate.sent.length, 6, "quiet again");
  await Promise.all(isolate.work);
  assert.deepEqual(isolate.lost, []);
});

test("accounts do not share a batch", async () => {
  const isolate = open();
  for (const account of ["acc_1", "acc_2", "acc_1"]) isolate.record(1, account);
  await isolate.pass(1_000);
  const sent = isolate.sent.map(({ chunk }) => [chunk.account, chunk.count]);
  assert.deepEqual(sent, [
    ["acc_1", 2],
    ["acc_2", 1],
  ]);
});

test("an unavailable object is tried three times within the platform's time limit, then the calls count as lost", async () => {
  const isolate = open();
  const fault = new Error("no object");
  isolate.respond(() => fault);
  isolate.record(2);
  await isolate.pass(20_000);
  assert.deepEqual(isolate.times(), [1_000, 2_000, 5_000]);
  assert.deepEqual(
    isolate.sent.map(({ isAgain }) => isAgain),
    [false, true, true],
  );
  assert.deepEqual(isolate.lost, [[2, fault]]);
  isolate.respond(() => "logged");
  isolate.record(1);
  await isolate.pass(10_000);
  assert.equal(isolate.sent.at(-1)?.chunk.count, 1, "what is lost is not sent any more");
  await Promise.all(isolate.work);
});

test("all lost calls are reported, at most every ten seconds", async () => {
  const isolate = open();
  isolate.respond(() => new Error("no object"));
  for (let account = 0; account < 30; account += 1) isolate.record(2, `acc_${account}`);
  await isolate.pass(6_000);
  assert.equal(isolate.lost.length, 1);
  await isolate.pass(10_000);
  isolate.respond(() => "logged");
  isolate.record(1, "acc_other");
  assert.equal(isolate.lost.length, 2);
  assert.equal(
    isolate.lost.reduce((sum, [count]) => sum + count, 0),
    60,
  );
});

test("a later call sends what a request left when the platform ended it", async () => {
  const isolate = open();
  isolate.record(5, "acc_1");
  isolate.endRequests();
  await isolate.pass(10_000);
  isolate.record(1, "acc_2");
  await isolate.pass(1_000);
  assert.deepEqual(isolate.counts(), [1]);
  await isolate.pass(5_000);
  isolate.record(1, "acc_2");
  await isolate.pass(0);
  assert.deepEqual(isolate.counts(), [1, 5]);
});

test("memory is bounded: calls beyond the bound count as lost, and requests that the platform ended free theirs", async () => {
  const isolate = open(300);
  isolate.respond(() => new Promise(() => {}));
  isolate.record(400);
  await isolate.pass(0);
  assert.deepEqual(isolate.counts(), [100, 100, 100]);
  isolate.endRequests();
  await isolate.pass(20_000);
  isolate.record(1);
  const reported = isolate.lost.reduce((sum, [count]) => sum + count, 0);
  assert.equal(reported, 100, "of 401 calls one is not reported yet");
  await isolate.pass(45_000);
  isolate.respond(() => "logged");
  isolate.record(1);
  await isolate.pass(20_000);
  isolate.record(1);
  assert.equal(
    isolate.lost.reduce((sum, [count]) => sum + count, 0),
    401,
  );
  assert.equal(isolate.counts().at(-1), 1);
});

test("with very many accounts, the oldest batches are sent early", async () => {
  const isolate = open(2_000);
  for (let account = 0; account < 1_500; account += 1) isolate.record(1, `acc_${account}`);
  await isolate.pass(0);
  assert.equal(isolate.sent.length, 500);
  assert.equal(isolate.sent[0]?.chunk.account, "acc_0");
  await isolate.pass(10_000);
  assert.equal(isolate.sent.length, 1_500);
  assert.deepEqual(isolate.lost, []);
});
