import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import { type DebitOrder, NotCarriedOut } from "#ledger/port.ts";
import type { BatchItem, BatchResult } from "#stores/sqlite/batch.ts";
import { createWireMemory } from "#stores/sqlite/batch-wire.ts";
import { createBell, createThreadClient } from "#stores/sqlite/thread-client.ts";
import { createThreadServer } from "#stores/sqlite/thread-server.ts";

/** Both ends of a connection to the ledger thread, on one thread: the test decides when the server works. */
function connect(t: TestContext) {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const bell = createBell();
  const memory = createWireMemory();
  const performed: unknown[] = [];
  const client = createThreadClient(port1, memory, bell);
  const server = createThreadServer(port2, memory, (order) => performed.push(order));
  const taken: BatchItem[] = [];
  const settled: unknown[] = [];
  return {
    taken,
    settled,
    performed,
    bell,
    port: port1,
    client,
    /** Carries out the next batch: each outcome is the number of the order. */
    serve() {
      const items = server.take();
      if (items === null) return false;
      const results: BatchResult[] = items.map((_, i) => ({ value: taken.length + i }));
      taken.push(...items);
      client.receive(server.finish(results, 1));
      return true;
    },
    take: server.take,
    send(...items: BatchItem[]) {
      client.send(
        items,
        (outcomes) => settled.push(outcomes),
        (error) => settled.push(error),
      );
    },
  };
}

const debit = (no: number, more: Partial<DebitOrder> = {}): BatchItem => [
  "debit",
  {
    ...{ account: "acc_Ada000000000", keySha256: "a".repeat(64), callId: `call_${no}` },
    ...{ tool: "hash", credits: 1, freeCallCredits: 1, now: no, idempotency: null, ...more },
  },
];
const audit: BatchItem = ["audit", { now: 1 }];

test("orders keep their sequence, whether they cross as records or as text, and texts find their batches", async (t) => {
  const { send, serve, taken, settled, performed, port } = connect(t);
  const early = debit(2, { earliestNow: 1 });
  send(debit(1), early, debit(3));
  // An order to the thread itself, and an event loop that delivers some of the texts.
  port.postMessage(JSON.stringify({ close: true }));
  await turn();
  await turn();
  send(audit, debit(4), audit);
  assert.ok(serve());
  send(debit(5));
  assert.ok(serve() && serve() && !serve());
  assert.deepEqual(taken, [debit(1), early, debit(3), audit, debit(4), audit, debit(5)]);
  assert.deepEqual(settled, [[0, 1, 2], [3, 4, 5], [6]]);
  assert.deepEqual(performed, [{ close: true }]);
});

test("an order to the thread itself comes after the batches that were sent before it", async (t) => {
  const { send, serve, performed, taken, port } = connect(t);
  send(debit(1));
  send(debit(2), audit);
  port.postMessage(JSON.stringify({ close: true }));
  // The message arrives before the thread looks for batches.
  await turn();
  await turn();
  assert.deepEqual(performed, []);
  assert.ok(serve() && serve());
  assert.deepEqual(performed, []);
  assert.equal(serve(), false);
  assert.deepEqual([taken.length, performed], [3, [{ close: true }]]);
});

test("each batch and each text wakes the thread", (t) => {
  const { send, bell } = connect(t);
  const before = Atomics.load(bell, 0);
  send(debit(1));
  assert.notEqual(Atomics.load(bell, 0), before);
});

test("if the thread ends, the outcome of the oldest batch is unknown, and of a later one only if it was begun", (t) => {
  for (const begun of [0, 1, 2]) {
    const { send, take, client, settled } = connect(t);
    send(debit(1));
    send(debit(2));
    for (let i = 0; i < begun; i += 1) assert.ok(take());
    client.end();
    const isSure = settled.map((error) => error instanceof NotCarriedOut);
    assert.deepEqual(isSure, [false, begun < 2], `${begun} batches were begun`);
    assert.ok(settled.every((error) => error instanceof Error));
  }
});

test("one batch after the other, for as long as it takes", (t) => {
  const { send, serve, taken, settled } = connect(t);
  for (let no = 0; no < 1_000; no += 1) {
    send(debit(no));
    assert.ok(serve());
  }
  assert.deepEqual(
    taken,
    Array.from({ length: 1_000 }, (_, no) => debit(no)),
  );
  assert.equal(settled.length, 1_000);
});
