/**
 * Two years of sales in many random runs: whatever is bought, spent, refunded and interrupted, the ledger, the events and the
 * purchases match a simple model. `TEST_SALES_RUNS` sets the number of runs; an error names its seed.
 */
import { test } from "node:test";
import { ledgerOver } from "#ledger/ledger-over.ts";
import type { DebitOutcome } from "#ledger/port.ts";
import { type BatchResult, createBatchRunner, unwrap } from "#stores/sqlite/batch.ts";
import { createDebitPeriods } from "#stores/sqlite/debit-periods.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";
import type { OpenedLedger } from "./judged.ts";
import { liveOften } from "./live-often.ts";

const RUNS = Number(process.env["TEST_SALES_RUNS"] ?? 5);

async function openMemory(): Promise<OpenedLedger> {
  const ledger = createMemoryLedger();
  const debitTogether: OpenedLedger["debitTogether"] = async (orders) => {
    const outcomes = [];
    for (const order of orders) outcomes.push(await ledger.debit(order));
    return outcomes;
  };
  return { ledger, debitTogether, close: () => {} };
}

/** Like the thread that alone writes: it caches what it has read from one order to the next. */
async function openSqlite(): Promise<OpenedLedger> {
  const driver = openNodeSqlite(":memory:");
  const runBatch = createBatchRunner(driver, { periods: createDebitPeriods(driver) });
  const ledger = ledgerOver(async (name, order) =>
    unwrap(runBatch([[name, order]])[0] as BatchResult),
  );
  const debitTogether: OpenedLedger["debitTogether"] = async (orders) =>
    runBatch(orders.map((order) => ["debit", order])).map((each) => unwrap(each) as DebitOutcome);
  return { ledger, debitTogether, close: () => driver.close() };
}

test(`${RUNS} random runs of two years agree with the model, in memory`, (t) =>
  liveOften(t, RUNS, openMemory));

test(`${RUNS} random runs of two years agree with the model, in SQLite`, (t) =>
  liveOften(t, RUNS, openSqlite));
