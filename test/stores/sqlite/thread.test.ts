import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { NotCarriedOut } from "#ledger/port.ts";
import { LEDGER_BATCH_MAX, LEDGER_TIMEOUT_MS } from "#limits.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import {
  assertTotals,
  createFixture,
  idempotency,
  START,
  tally,
} from "../../contract/ledger/fixture.ts";
import { randomFrom, SEED } from "../../support/random.ts";
import { temporaryFile, withoutTimeLimit } from "./fixture.ts";

/**
 * The ledger thread collects orders into batches. If the thread dies, no order is lost or carried out twice, and none
 * waits forever.
 */
async function openFixture(t: TestContext) {
  withoutTimeLimit(t);
  const file = temporaryFile(t);
  const crashes: Error[] = [];
  const thread = await openSqliteThread({ file, onCrash: (error) => crashes.push(error) });
  t.after(() => thread.close());
  /** Holds the write lock, as a second process would, until the returned function is called. */
  function lock(): () => void {
    const other = new DatabaseSync(file);
    t.after(() => other.isOpen && other.close());
    other.exec("BEGIN IMMEDIATE");
    return () => other.close();
  }
  return { ...createFixture(thread), thread, crashes, lock };
}

/** The threads that this test starts, newest last. `onStart` gets each thread before it does anything. */
function watchWorkers(t: TestContext, onStart: (worker: Worker) => void = () => {}): Worker[] {
  const workers: Worker[] = [];
  const note = (worker: Worker) => {
    workers.push(worker);
    onStart(worker);
  };
  process.on("worker", note);
  t.after(() => void process.off("worker", note));
  return workers;
}

/** The thread does its work and dies before it reports the result. */
function loseNextResponse(worker: Worker): void {
  const emit = worker.emit.bind(worker) as (name: string, ...values: unknown[]) => boolean;
  Object.assign(worker, {
    emit(name: string, ...values: unknown[]) {
      if (name !== "message") return emit(name, ...values);
      void worker.terminate();
      return true;
    },
  });
}

/** The result of an order: its outcome or its error. */
const settled = <Outcome>(order: Promise<Outcome>): Promise<Outcome | Error> =>
  order.catch((error: Error) => error);

test("if the thread dies five times under load, every order is settled and none is debited twice", {
  timeout: 600_000,
}, async (t) => {
  const workers = watchWorkers(t);
  const fixture = await openFixture(t);
  const account = await fixture.account("Ada", { credits: 1_000_000 });
  let isOver = false;
  let debited = 0;
  const unknown: Error[] = [];
  const callers = Array.from({ length: 50 }, async () => {
    while (!isOver) {
      const outcome = await settled(fixture.debit(account));
      if (outcome instanceof Error) unknown.push(outcome);
      else {
        assert.equal(outcome.outcome, "debited");
        debited += 1;
      }
    }
  });
  const chance = randomFrom(SEED);
  for (let deaths = 1; deaths <= 5; deaths += 1) {
    const before = debited;
    while (debited < before + 200) await wait(1);
    await wait(chance() * 5);
    void workers.at(-1)?.terminate();
    while (fixture.crashes.length < deaths) await wait(1);
  }
  isOver = true;
  await Promise.all(callers);
  for (const error of unknown) assert.match(error.message, /died twice/);
  assert.equal(workers.length, 6);
  const { totals } = await assertTotals(fixture.ledger, START);
  assert.ok(debited <= totals.debited && totals.debited <= debited + unknown.length);
  t.diagnostic(`${debited} debited, ${unknown.length} of unknown outcome`);
});

test("an order that was committed before the thread died returns its original outcome", async (t) => {
  const workers = watchWorkers(t);
  const fixture = await openFixture(t);
  const account = await fixture.account("Ada", { credits: 10 });
  await fixture.ledger.openAccount({ account: "acc_Bob000000000", freeCall: "open", now: START });
  await fixture.createKey("acc_Bob000000000");
  const made = fixture.debitOrder(account);
  await fixture.ledger.debit(made);

  loseNextResponse(workers[0] as Worker);
  const [plain, keyed, free, granted, key, reversal] = await Promise.all([
    fixture.debit(account),
    fixture.debit(account, { idempotency: idempotency("once") }),
    fixture.debit("acc_Bob000000000"),
    fixture.grant(account, "gift", 5),
    fixture.createKey(account, "second"),
    fixture.ledger.reverse({ account, callId: made.callId, at: START, now: START }),
  ]);
  assert.deepEqual([plain.outcome, keyed.outcome, free.outcome], Array(3).fill("debited"));
  assert.deepEqual(
    [plain, keyed, free].map((each) => "charged" in each && each.charged),
    [1, 1, 0],
  );
  assert.equal(granted.outcome, "already_granted");
  assert.equal(key.outcome, "created");
  assert.deepEqual(reversal, { reversed: false }, "it was reversed the first time");
  assert.equal(fixture.crashes.length, 1);
  assert.deepEqual(await fixture.remaining(account), { first: 8, gift: 5 });
  const replayed = await fixture.debit(account, { idempotency: idempotency("once") });
  assert.equal(replayed.outcome, "replayed");
  const { totals } = await assertTotals(fixture.ledger, START);
  assert.deepEqual([totals.debited, totals.reversed], [3, 1]);
});

test("an order that kills the thread twice is rejected, its outcome unknown, and the others go on", async (t) => {
  const workers = watchWorkers(t, (worker) => {
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: unknown) =>
      void (JSON.stringify(message).includes('"poison"') ? worker.terminate() : post(message));
  });
  const fixture = await openFixture(t);
  const account = await fixture.account("Ada", { credits: 10 });
  const poison = settled(fixture.debit(account, { callId: "poison" }));
  await turn();
  const others = await Promise.all(Array.from({ length: 5 }, () => fixture.debit(account)));
  assert.deepEqual(tally(others), { debited: 5 });
  const error = await poison;
  assert.ok(error instanceof Error && !(error instanceof NotCarriedOut));
  assert.match(error.message, /died twice on this order/);
  assert.equal(fixture.crashes.length, 2);
  assert.equal(workers.length, 3);
  assert.deepEqual(tally([await fixture.debit(account)]), { debited: 1 });
  assert.equal((await assertTotals(fixture.ledger, START)).totals.debited, 6);
});

test("close() carries out waiting orders, and accepts no more", async (t) => {
  const fixture = await openFixture(t);
  const account = await fixture.account("Ada", { credits: 2_000 });
  const orders = Array.from({ length: 2 * LEDGER_BATCH_MAX }, () => fixture.debit(account));
  const closed = fixture.thread.close();
  assert.deepEqual(tally(await Promise.all(orders)), { debited: orders.length });
  await closed;
  const late = await settled(fixture.debit(account));
  assert.ok(late instanceof NotCarriedOut);
  await fixture.thread.close();
});

test("close() during a restart of the thread leaves no thread behind", {
  timeout: 600_000,
}, async (t) => {
  const workers = watchWorkers(t);
  const fixture = await openFixture(t);
  void workers[0]?.terminate();
  while (workers.length < 2) await wait(1);
  await fixture.thread.close();
  const left = workers[1] as Worker;
  t.after(() => left.terminate());
  while (left.threadId !== -1) await wait(10);
});

test("while another process holds the write lock, an order that waits too long is rejected, as not carried out if it was never sent", {
  timeout: 600_000,
}, async (t) => {
  let isSecondSent = false;
  watchWorkers(t, (worker) => {
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: unknown) => {
      post(message);
      isSecondSent ||= JSON.stringify(message).includes('"second 0"');
    };
  });
  const fixture = await openFixture(t);
  const account = await fixture.account("Ada", { credits: 2_000 });
  const unlock = fixture.lock();
  const first = settled(fixture.debit(account));
  await turn();
  const second = Array.from({ length: LEDGER_BATCH_MAX }, (_, no) =>
    settled(fixture.debit(account, { callId: `second ${no}` })),
  );
  const third = Array.from({ length: 5 }, () => settled(fixture.debit(account)));

  assert.ok((await first) instanceof NotCarriedOut, "SQLite gave up on the lock");
  while (!isSecondSent) await wait(1);
  // The time limit of the others, as soon as the second ones wait for the lock.
  t.mock.method(performance, "now", () => LEDGER_TIMEOUT_MS + 1);
  for (const error of await Promise.all(second)) {
    assert.ok(error instanceof Error && !(error instanceof NotCarriedOut), "it was sent");
    assert.match(error.message, /did not respond in time/);
  }
  for (const error of await Promise.all(third)) {
    assert.ok(error instanceof NotCarriedOut, "it was never sent");
    assert.match(error.message, /did not respond in time/);
  }

  unlock();
  assert.deepEqual(tally([await fixture.debit(account)]), { debited: 1 });
  assert.equal(fixture.crashes.length, 0);
  const { totals } = await assertTotals(fixture.ledger, START);
  assert.equal(totals.debited, LEDGER_BATCH_MAX + 1, "what was sent was made in the end");
});
