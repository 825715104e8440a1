import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { NotCarriedOut } from "#ledger/port.ts";
import { LEDGER_BATCH_CHARS_MAX, LEDGER_QUEUE_MAX, LEDGER_TIMEOUT_MS } from "#limits.ts";
import { createOrderQueue, type OrderQueueOptions } from "#stores/order-queue.ts";

/** Orders here are numbers, and what is sent is noted; the outcome of one is its double. */
type Send = (orders: number[], again: boolean) => Promise<(number | Error)[]>;

const doubled: Send = async (orders) => orders.map((order) => order * 2);

const slow: Send = async (orders, again) => {
  await wait(5);
  return doubled(orders, again);
};

function openQueue(
  responses: Send[],
  batchMax = 8,
  more: Pick<OrderQueueOptions<number, number>, "giveUp" | "onBatch" | "charsOf"> = {},
) {
  const sent: { orders: number[]; again: boolean }[] = [];
  const queue = createOrderQueue<number, number>({
    ...more,
    batchMax,
    send(orders, again) {
      sent.push({ orders, again });
      return (responses.shift() ?? doubled)(orders, again);
    },
    sureRetries: 3,
    waitMs: () => 1,
  });
  return { queue, sent };
}

const fail =
  (error: Error): Send =>
  () =>
    Promise.reject(error);
const settled = (order: Promise<number>): Promise<number | Error> =>
  order.catch((error: Error) => error);
const lost = () => new Error("the connection broke");
const gone = () => new NotCarriedOut("nobody is there");
const isSure = (outcome: number | Error) => outcome instanceof NotCarriedOut;

test("orders that arrive during a batch share the next one", async () => {
  const { queue, sent } = openQueue([slow]);
  const first = queue.submit(1);
  while (sent.length === 0) await wait(0);
  assert.deepEqual(await Promise.all([first, queue.submit(2), queue.submit(3)]), [2, 4, 6]);
  assert.deepEqual(
    sent.map(({ orders }) => orders),
    [[1], [2, 3]],
  );
  await queue.close();
});

test("orders that are long together are sent in several batches, and one that is too long alone", async () => {
  const { queue, sent } = openQueue([], 8, { charsOf: (order) => order });
  const half = LEDGER_BATCH_CHARS_MAX / 2 + 1;
  const orders = [half, half, 1, 3 * half, 1, 2];
  const outcomes = await Promise.all(orders.map((order) => queue.submit(order)));
  assert.deepEqual(
    outcomes,
    orders.map((order) => order * 2),
  );
  assert.deepEqual(
    sent.map((batch) => batch.orders),
    [[half], [half, 1], [3 * half], [1, 2]],
  );
  await queue.close();
});

test("the next batch is sent before the callers of the last one continue", async () => {
  const { queue, sent } = openQueue([slow]);
  const first = queue.submit(1).then(() => sent.length);
  while (sent.length === 0) await wait(0);
  const second = queue.submit(2);
  assert.equal(await first, 2, "batches sent when the first caller hears of it");
  assert.equal(await second, 4);
  await queue.close();
});

test("a batch whose response was lost is sent again as possibly carried out, and its callers get its outcome", async () => {
  const { queue, sent } = openQueue([fail(lost())]);
  assert.deepEqual(await Promise.all([queue.submit(1), queue.submit(2)]), [2, 4]);
  assert.deepEqual(
    sent.map(({ again }) => again),
    [false, true],
  );
  await queue.close();
});

test("an order fails after the maximum number of batches of unknown outcome, and later orders continue", async () => {
  const giveUp = (unknowns: number) => (unknowns < 2 ? null : new Error("lost twice"));
  const responses = [fail(lost()), fail(gone()), fail(lost())];
  const { queue, sent } = openQueue(responses, 2, { giveUp });
  const first = settled(queue.submit(1));
  while (sent.length === 0) await wait(0);
  assert.equal(await queue.submit(2), 4);
  const outcome = await first;
  assert.ok(!isSure(outcome));
  assert.match(String(outcome), /lost twice/);
  assert.deepEqual(
    sent.map(({ orders }) => orders),
    [[1], [1, 2], [1, 2], [2]],
    "a batch that was certainly not carried out does not count",
  );
  await queue.close();
});

test("each successful batch is reported, with the number of waiting orders", async () => {
  const batches: unknown[] = [];
  const { queue, sent } = openQueue([slow, fail(lost())], 2, {
    onBatch: (batch) => batches.push(batch),
  });
  const first = queue.submit(1);
  while (sent.length === 0) await wait(0);
  await Promise.all([first, queue.submit(2), queue.submit(3), queue.submit(4)]);
  assert.deepEqual(batches, [
    { size: 1, waiting: 3 },
    { size: 2, waiting: 1 },
    { size: 1, waiting: 0 },
  ]);
  await queue.close();
});

test("orders that were certainly not carried out are rejected after four attempts, with all that wait behind them", async () => {
  const { queue, sent } = openQueue(
    Array.from({ length: 5 }, () => fail(gone())),
    1,
  );
  const outcomes = await Promise.all([1, 2, 3].map((order) => settled(queue.submit(order))));
  assert.ok(outcomes.every(isSure));
  assert.equal(sent.length, 4, "none of those that waited was tried by itself");
  assert.ok(isSure(await settled(queue.submit(4))), "while it is gone, one try is enough");
  assert.equal(sent.length, 5);
  assert.equal(await queue.submit(5), 10);
  await queue.close();
});

test("an order that may have been carried out is sent until its outcome is known, longer than those that were certainly not", async () => {
  const responses = [fail(lost()), ...Array.from({ length: 8 }, () => fail(gone()))];
  const { queue, sent } = openQueue(responses, 1);
  const first = queue.submit(1);
  const second = settled(queue.submit(2));
  assert.ok(isSure(await second));
  assert.equal(await first, 2);
  assert.equal(sent.length, 10);
  await queue.close();
});

test("if the outcome is not known within the time limit, the order is rejected with an unknown outcome", async () => {
  const { queue } = openQueue([fail(lost()), ...Array.from({ length: 9_999 }, () => fail(gone()))]);
  const since = performance.now() - LEDGER_TIMEOUT_MS + 500;
  const outcome = await settled(queue.submit(1, since));
  assert.ok(outcome instanceof Error && !isSure(outcome));
  assert.equal(queue.waiting(), 0);
  await queue.close();
});

test("an order that is rejected alone still has an unknown outcome if it may have been carried out before", async () => {
  const refuse: Send = async (orders) => orders.map(() => gone());
  const { queue } = openQueue([refuse, fail(lost()), refuse]);
  assert.ok(isSure(await settled(queue.submit(1))));
  const outcome = await settled(queue.submit(2));
  assert.ok(outcome instanceof Error && !isSure(outcome));
  await queue.close();
});

test("a batch with a missing outcome counts as one of unknown outcome", async () => {
  const { queue, sent } = openQueue([async () => []]);
  assert.equal(await queue.submit(1), 2);
  assert.deepEqual(
    sent.map(({ again }) => again),
    [false, true],
  );
  await queue.close();
});

test("a full queue rejects further orders", async () => {
  const { queue } = openQueue([], LEDGER_QUEUE_MAX);
  const waiting = Array.from({ length: LEDGER_QUEUE_MAX }, (_, order) => queue.submit(order));
  assert.ok(isSure(await settled(queue.submit(1))));
  assert.equal((await Promise.all(waiting)).length, LEDGER_QUEUE_MAX);
  await queue.close();
});

test("close() settles every order, however long the store takes, and sends none again", async () => {
  let response = (_: number[]) => {};
  const stuck: Send = () =>
    new Promise((resolve) => {
      response = resolve;
    });
  const { queue, sent } = openQueue([stuck], 1);
  const first = settled(queue.submit(1));
  const second = settled(queue.submit(2));
  await queue.close();
  const outcome = await first;
  assert.ok(outcome instanceof Error && !isSure(outcome));
  assert.ok(isSure(await second));
  response([2]);
  await wait(5);
  assert.equal(sent.length, 1);
  assert.ok(isSure(await settled(queue.submit(3))));
});

test("an order whose outcome arrives after the time limit has failed, with an unknown outcome", async () => {
  let respond = () => {};
  const { queue, sent } = openQueue([
    (orders) =>
      new Promise((resolve) => {
        respond = () => resolve(orders.map((order) => order * 2));
      }),
  ]);
  const late = settled(queue.submit(1, performance.now() - LEDGER_TIMEOUT_MS + 500));
  const other = queue.submit(2);
  const outcome = await late;
  assert.ok(outcome instanceof Error && !isSure(outcome));
  respond();
  assert.equal(await other, 4);
  assert.equal(sent.length, 1);
  await queue.close();
});
