import assert from "node:assert/strict";
import { test } from "node:test";
import { type RequestChunk, unpackRequests } from "#accounts/request-log.ts";
import { createRequestRecorder, type Handed } from "../../../src/apps/node/request-recorder.ts";
import { anEntry } from "../../contract/request-log.ts";

/** A recorder whose batches this test answers. Nothing is sent by time. */
function open(heldMax = 20_000) {
  const sent: { chunks: readonly RequestChunk[]; answer(handed: Handed): void }[] = [];
  const lost: number[] = [];
  const recorder = createRequestRecorder({
    send(chunks) {
      const { promise, resolve } = Promise.withResolvers<Handed>();
      sent.push({ chunks, answer: resolve });
      return promise;
    },
    onLost: (count) => lost.push(count),
    ...{ flushMs: 1_000_000, heldMax },
  });
  const record = (count: number, account = "acc_1", changes = {}) => {
    for (let no = 0; no < count; no += 1)
      recorder.record(account, anEntry({ id: `req_${no}`, ...changes }));
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { recorder, record, sent, lost, settled };
}

const countOf = (chunks: readonly RequestChunk[]) =>
  chunks.reduce((sum, { count }) => sum + count, 0);

test("requests are handed over by account, in chunks, and in their order", async () => {
  const { recorder, record, sent, lost } = open();
  record(300);
  record(2, "acc_2", { tool: "uuid", status: 402, at: 5 });
  record(1, "acc_2", { tool: "echo", at: 3 });
  const stopped = recorder.stop();
  await new Promise((resolve) => setImmediate(resolve));
  const [batch] = sent;
  assert.ok(batch);
  assert.deepEqual(
    batch.chunks.map(({ account, count, errors }) => [account, count, errors]),
    [
      ["acc_1", 250, 0],
      ["acc_1", 50, 0],
      ["acc_2", 3, 2],
    ],
  );
  const last = batch.chunks[2] as RequestChunk;
  assert.deepEqual([last.firstAt, last.lastAt], [3, 5]);
  assert.deepEqual(last.tools, [
    { tool: "uuid", count: 2, errors: 2 },
    { tool: "echo", count: 1, errors: 0 },
  ]);
  const entries = batch.chunks.slice(0, 2).flatMap(({ packed }) => unpackRequests(packed));
  assert.deepEqual(entries[299], anEntry({ id: "req_299" }));
  batch.answer("logged");
  await stopped;
  assert.deepEqual(lost, []);
});

test("one batch is on its way at a time; what certainly failed is sent again, and what may be there is not", async () => {
  const { recorder, record, sent, lost, settled } = open();
  record(1_000);
  record(1_000);
  await settled();
  assert.equal(sent.length, 1);
  sent[0]?.answer("lost");
  await settled();
  assert.deepEqual([sent.length, lost], [2, [1_000]]);
  sent[1]?.answer("again");
  await settled();
  record(1_000);
  await settled();
  assert.equal(sent.length, 2, "the next batch does not try again at once");
  const stopped = recorder.stop();
  await settled();
  assert.equal(sent[2]?.chunks, sent[1]?.chunks);
  sent[2]?.answer("logged");
  await settled();
  sent[3]?.answer("logged");
  await stopped;
  assert.deepEqual([sent.length, lost], [4, [1_000]]);
});

test("memory is bounded: the oldest that are not on their way go first, and are counted", async () => {
  const { recorder, record, sent, lost, settled } = open(3_000);
  for (let batch = 0; batch < 6; batch += 1) record(1_000, `acc_${batch}`);
  await settled();
  assert.deepEqual([sent.length, lost], [1, [1_000, 1_000, 1_000]]);
  for (let batch = 0; batch < 3; batch += 1) {
    sent[batch]?.answer("logged");
    await settled();
  }
  const accounts = sent.map(({ chunks }) => chunks[0]?.account);
  assert.deepEqual(accounts, ["acc_0", "acc_4", "acc_5"]);
  assert.deepEqual(
    sent.map(({ chunks }) => countOf(chunks)),
    [1_000, 1_000, 1_000],
  );
  await recorder.stop();
  assert.equal(lost.length, 3);
});

test("of accounts that had a chunk lately, a flush takes a hundred or a tenth, the oldest first; others do not wait", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  for (const accounts of [100, 150, 2_000]) {
    let handed: string[] = [];
    const recorder = createRequestRecorder({
      async send(chunks) {
        handed.push(...chunks.map(({ account }) => account));
        return "logged";
      },
      onLost: () => assert.fail(),
      flushMs: 1_000,
    });
    const all = Array.from({ length: accounts }, (_, no) => `acc_${no}`);
    const call = (account: string) => recorder.record(account, anEntry({}));
    const flush = async () => {
      handed = [];
      t.mock.timers.tick(1_000);
      await new Promise((resolve) => setImmediate(resolve));
      return handed;
    };
    all.forEach(call);
    assert.deepEqual(await flush(), all, "nobody has had a chunk before");
    all.forEach(call);
    call("acc_new");
    assert.deepEqual(await flush(), [
      "acc_new",
      ...all.slice(0, Math.max(100, Math.ceil(accounts / 10))),
    ]);
    let rest = accounts - handed.length + 1;
    for (let more = 0; more < 20; more += 1) rest -= (await flush()).length;
    assert.equal(rest, 0);
    await recorder.stop();
  }
});

test("of many accounts with few requests each, half of what may be held stays in memory", async () => {
  const { recorder, record, sent, settled } = open(3_000);
  for (let account = 0; account < 1_500; account += 1) record(1, `acc_${account}`);
  await settled();
  assert.equal(sent.length, 0);
  for (let account = 0; account < 1_500; account += 1) record(1, `acc_${account}`);
  await settled();
  assert.equal(sent.length, 1);
  sent[0]?.answer("logged");
  await settled();
  const stopped = recorder.stop();
  await settled();
  for (let at = 1; at < sent.length; at += 1) {
    sent[at]?.answer("logged");
    await settled();
  }
  await stopped;
  assert.equal(countOf(sent.flatMap(({ chunks }) => [...chunks])), 3_000);
});
