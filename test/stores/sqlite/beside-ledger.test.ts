import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { MessageChannel, type Worker } from "node:worker_threads";
import { NotCarriedOut, OutcomeUnknown, UsageNotSummed } from "#ledger/port.ts";
import { SUM_STEP_DEBITS, UNSUMMED_DEBITS_MAX } from "#limits.ts";
import type { SqlDatabase } from "#stores/sql/sql-database.ts";
import { createReaderBesideLedger, createSqliteDashboardStore } from "#stores/sqlite/dashboard.ts";
import { openNodeSqliteReadOnly } from "#stores/sqlite/node.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { openRemoteLedger, serveOrders } from "#stores/sqlite/thread-orders.ts";
import { jobQueueContract } from "../../contract/job-queue.ts";
import { createFixture, DAY, START } from "../../contract/ledger/fixture.ts";
import { ledgerContract } from "../../contract/ledger.ts";
import { temporaryFile } from "./fixture.ts";

/** The stores of a thread beside the ledger's: it reads the file, and sends what writes through a port. */
async function openBeside(t: TestContext) {
  const workers: Worker[] = [];
  const note = (worker: Worker) => void workers.push(worker);
  process.on("worker", note);
  const file = temporaryFile(t);
  const thread = await openSqliteThread({ file });
  process.off("worker", note);
  const { port1, port2 } = new MessageChannel();
  serveOrders(port1, thread);
  const remote = openRemoteLedger(port2);
  const reader = openNodeSqliteReadOnly(file);
  let isRefused = false;
  const { database, ledger } = createReaderBesideLedger(reader, remote, () => {
    if (isRefused) throw new NotCarriedOut("refused");
  });
  t.after(async () => {
    remote.close();
    reader.close();
    await thread.close();
  });
  return {
    ...createSqliteDashboardStore(database, ledger),
    sumUsage: thread.sumUsage,
    ...{ reader, thread, worker: workers[0] as Worker },
    refuse: () => {
      isRefused = true;
    },
  };
}

const setting = (name: string) => ({
  sql: "INSERT INTO setting (name, value) VALUES (?, '')",
  values: [name],
});
async function countSettings(database: SqlDatabase): Promise<number> {
  const count = "SELECT count(*) AS count FROM setting WHERE name LIKE 'test %'";
  const [[row] = []] = await database.batch([{ sql: count, values: [] }]);
  return Number(row?.["count"]);
}

ledgerContract("in SQLite beside its thread", openBeside, ["concurrency", "usage"]);
jobQueueContract("in SQLite beside the ledger's thread", openBeside);

test("beside the ledger's thread many calls are summed by that thread before their usage is read", async (t) => {
  const { ledger, thread } = await openBeside(t);
  const fixture = createFixture({ ledger });
  const account = await fixture.account("Ada", { credits: 100_000 });
  const calls = UNSUMMED_DEBITS_MAX + SUM_STEP_DEBITS;
  const debits = `WITH RECURSIVE call (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM call WHERE i < ${calls})
    INSERT INTO debit_by_account SELECT 1, ${START} + i, 'c' || i, 1, 'hash', 1, 0, 1, NULL, NULL, NULL FROM call`;
  for (const sql of [debits, `UPDATE credit_grant SET remaining = remaining - ${calls}`])
    await thread.perform("statements", [{ sql, values: [] }]);
  await thread.perform("statements", [{ sql: "UPDATE account SET rest = -1", values: [] }]);
  const order = { account, from: 0, to: START + DAY };
  await assert.rejects(ledger.usage({ ...order, isQuick: true }), UsageNotSummed);
  const [row] = await ledger.usage(order);
  assert.equal(row?.calls, calls);
  const page = { account, after: null, max: 1, now: START + DAY, withBalances: true };
  const { entries } = await ledger.entries(page);
  assert.equal(entries[0]?.balance, 100_000 - calls);
});

test("a connection beside the ledger's thread cannot write", async (t) => {
  const { reader } = await openBeside(t);
  assert.throws(() => reader.prepare("DELETE FROM account").run(), /readonly/);
});

test("orders of another thread and of calls see each other's changes at once", async (t) => {
  const { ledger, thread, database } = await openBeside(t);
  const calls = createFixture(thread);
  const account = await calls.account("Ada", { credits: 10 });
  assert.equal((await ledger.credits({ account, now: START })).balance, 10);
  assert.equal((await calls.debit(account)).outcome, "debited");
  assert.equal((await ledger.credits({ account, now: START })).balance, 9);
  await ledger.changeAccount({ account, now: START, state: "suspended" });
  assert.equal((await calls.debit(account)).outcome, "account_suspended");
  await database.batch([setting("test a")]);
  assert.equal(await countSettings(database), 1);
});

test("statements that fail change nothing, and the error has SQLite's code", async (t) => {
  const { database } = await openBeside(t);
  const failed = database.batch([setting("test a"), setting("test a")]);
  await assert.rejects(
    failed,
    (error) => error instanceof NotCarriedOut && "errcode" in error && error.errcode === 1555,
  );
  assert.equal(await countSettings(database), 0);
});

test("statements under way when the ledger's thread dies are of unknown outcome, and are not repeated", async (t) => {
  const { database, worker, ledger } = await openBeside(t);
  const lost = database.batch([setting("test a")]).catch((error: Error) => error);
  void worker.terminate();
  const error = await lost;
  await ledger.probe({ now: START });
  const count = await countSettings(database);
  // It may have been done before the thread was ended, or have reached none.
  if (!(error instanceof Error)) assert.equal(count, 1);
  else if (error instanceof NotCarriedOut) assert.equal(count, 0);
  else assert.ok(error instanceof OutcomeUnknown && count <= 1, String(error));
  await database.batch([setting("test b")]);
});

test("nothing is read or written while the files are not those that were opened", async (t) => {
  const { database, ledger, refuse } = await openBeside(t);
  refuse();
  await assert.rejects(countSettings(database), NotCarriedOut);
  await assert.rejects(ledger.listKeys({ account: "acc_none" }), NotCarriedOut);
});
