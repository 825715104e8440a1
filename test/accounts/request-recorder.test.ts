import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestChunk } from "#accounts/request-log.ts";
import {
  createRequestRecorder,
  type Handed,
  NODE_RECORDER,
  type RecorderBounds,
  unpackRequests,
  WORKER_RECORDER,
} from "#accounts/request-recorder.ts";
import { anEntry } from "../contract/request-log.ts";

type Outcome = Handed | Promise<Handed>;

/** A recorder whose clock, log and platform are this test's. */
function open(bounds: RecorderBounds, changes: Partial<RecorderBounds> = {}) {
  let now = 1_000_000;
  let timers: { at: number; ring: () => void }[] = [];
  const writes: { chunks: RequestChunk[]; at: number }[] = [];
  const lost: number[] = [];
  let outcomeOf: (chunk: RequestChunk) => Outcome = () => "logged";
  const recorder = createRequestRecorder({
    write(chunks) {
      writes.push({ chunks: structuredClone([...chunks]), at: now - 1_000_000 });
      return Promise.all(chunks.map(outcomeOf));
    },
    wait: (ms) => new Promise((resolve) => timers.push({ at: now + ms, ring: () => resolve() })),
    elapsed: () => now,
    onLost: (count) => lost.push(count),
    bounds: { ...bounds, ...changes },
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
  const chunks = () => writes.flatMap((write) => write.chunks);
  return {
    ...{ recorder, writes, chunks, pass, settled },
    record(count: number, account = "acc_1", entry = {}) {
      for (let no = 0; no < count; no += 1)
        recorder.record(account, anEntry({ id: `req_${no}`, ...entry }));
    },
    /** The platform ends the requests whose work is under way. */
    endRequests: () => {
      timers = [];
    },
    respond: (next: typeof outcomeOf) => {
      outcomeOf = next;
    },
    counts: () => chunks().map(({ count }) => count),
    times: () => writes.map(({ at }) => at),
    lost: () => lost.reduce((sum, count) => sum + count, 0),
  };
}

const RUNTIMES = [
  ["a node", NODE_RECORDER],
  ["an isolate", WORKER_RECORDER],
] as const;

for (const [name, bounds] of RUNTIMES) {
  test(`${name} hands calls over by account, in chunks and in their order, and at a stop all of them`, async () => {
    const { record, recorder, pass, chunks, counts, lost } = open(bounds);
    const full = bounds.chunk;
    record(full + 50);
    record(2, "acc_2", { tool: "uuid", status: 402, at: 5 });
    record(1, "acc_2", { tool: "echo", at: 3 });
    assert.deepEqual(counts(), [], "the responses leave first");
    await pass(0);
    assert.deepEqual(counts(), [full]);
    const stopped = recorder.drain();
    await pass(0);
    await stopped;
    assert.deepEqual(
      chunks().map(({ account, count, errors }) => [account, count, errors]),
      [
        ["acc_1", full, 0],
        ["acc_1", 50, 0],
        ["acc_2", 3, 2],
      ],
    );
    const last = chunks()[2] as RequestChunk;
    assert.deepEqual([last.firstAt, last.lastAt], [3, 5]);
    assert.deepEqual(last.tools, [
      { tool: "uuid", count: 2, errors: 2 },
      { tool: "echo", count: 1, errors: 0 },
    ]);
    const entries = chunks().flatMap(({ packed }) => unpackRequests(packed));
    assert.deepEqual(entries[full + 49], anEntry({ id: `req_${full + 49}` }));
    assert.equal(lost(), 0);
  });

  test(`${name} writes again what certainly was not written, and counts as lost what may have been`, async () => {
    const { record, pass, respond, chunks, times, lost } = open(bounds);
    respond(({ account }) => (account === "acc_unknown" ? "lost" : "again"));
    record(2, "acc_1");
    record(3, "acc_unknown");
    await pass(2_000);
    assert.deepEqual(times(), [1_000, 2_000]);
    assert.equal(chunks().filter(({ account }) => account === "acc_unknown").length, 1);
    respond(() => "logged");
    await pass(40_000);
    assert.deepEqual([times(), lost()], [[1_000, 2_000, 3_000], 3]);
    assert.equal(chunks().at(-1)?.account, "acc_1");
  });

  test(`${name} gives up chunks that the log does not take, and counts their calls`, async () => {
    const { record, pass, respond, counts, lost } = open(bounds);
    respond(() => "again");
    record(2);
    await pass(60_000);
    assert.deepEqual([counts().length, lost()], [bounds.tries, 2]);
    respond(() => "logged");
    record(1);
    await pass(10_000);
    assert.equal(counts().at(-1), 1, "what is lost is not sent any more");
  });

  test(`${name} holds a bounded amount of memory, and counts the calls beyond it`, async () => {
    const size = 200 * JSON.stringify(anEntry()).length;
    const { record, pass, respond, counts, lost } = open(bounds, { held: size, tries: 1 });
    const { promise, resolve } = Promise.withResolvers<Handed>();
    respond(() => promise);
    for (let account = 0; account < 1_000; account += 1) record(1, `acc_${account}`);
    await pass(1_000);
    resolve("logged");
    await pass(1_000);
    const written = counts().reduce((sum, count) => sum + count, 0);
    assert.ok(written > 200 && written < 1_000, `${written} of 1,000 calls`);
    assert.equal(lost(), 1_000 - written);
    record(1, "acc_later");
    await pass(1_000);
    assert.equal(counts().at(-1), 1);
  });
}

test("a node hands over the calls of a busy account every second; with many such accounts, every ten seconds", async () => {
  const few = open(NODE_RECORDER);
  for (let second = 0; second < 5; second += 1) {
    few.record(3);
    await few.pass(1_000);
  }
  assert.deepEqual(few.times(), [1_000, 2_000, 3_000, 4_000, 5_000]);
  const many = open(NODE_RECORDER);
  const chunksOf = (account: string) =>
    many
      .chunks()
      .filter((chunk) => chunk.account === account)
      .map(({ count }) => count);
  for (let second = 0; second < 12; second += 1) {
    for (let account = 0; account < 300; account += 1) many.record(1, `acc_${account}`);
    if (second === 6) many.record(1, "acc_new");
    await many.pass(1_000);
  }
  assert.deepEqual(chunksOf("acc_299"), [1, 10]);
  assert.deepEqual(chunksOf("acc_new"), [1]);
  assert.ok(many.writes.length <= 12, "chunks of one second are written together");
  assert.ok(many.writes.every(({ chunks }) => chunks.length <= 200));
});

test("an isolate hands over a first call after a second, those of a busy account after ten seconds or a hundred calls", async () => {
  const { record, pass, times, counts } = open(WORKER_RECORDER);
  record(1);
  await pass(1_000);
  record(3);
  await pass(10_000);
  assert.deepEqual(
    [counts(), times()],
    [
      [1, 3],
      [1_000, 11_000],
    ],
  );
  record(130);
  await pass(0);
  assert.deepEqual(counts(), [1, 3, 100]);
  await pass(10_000);
  assert.deepEqual(counts(), [1, 3, 100, 30]);
  await pass(60_000);
  record(1);
  await pass(1_000);
  assert.equal(counts().length, 5, "quiet again");
});

test("a later call hands over what a request left when the platform ended it", async () => {
  const { record, pass, endRequests, chunks } = open(WORKER_RECORDER);
  record(5, "acc_1");
  endRequests();
  await pass(5_000);
  record(1, "acc_2");
  await pass(1_000);
  assert.deepEqual(
    chunks().map(({ account, count }) => [account, count]),
    [
      ["acc_1", 5],
      ["acc_2", 1],
    ],
  );
  record(2, "acc_1");
  endRequests();
  await pass(16_000);
  record(1, "acc_1");
  await pass(0);
  assert.equal(chunks().at(-1)?.count, 3, "of the same account, at once");
});

test("writes that the platform ended free their memory, and count as lost", async () => {
  const { record, pass, respond, endRequests, counts, lost } = open(WORKER_RECORDER, {
    held: 100 * JSON.stringify(anEntry()).length,
  });
  respond(() => new Promise<Handed>(() => {}));
  record(400);
  await pass(0);
  endRequests();
  const waiting = counts().length;
  assert.ok(waiting > 0 && waiting < 4);
  await pass(61_000);
  respond(() => "logged");
  record(1);
  await pass(10_000);
  assert.equal(lost() + (counts().at(-1) ?? 0), 401);
});
