/**
 * Two years of sales in many random runs: whatever is bought, spent, refunded and interrupted, the ledger, the events and the
 * purchases match a simple model.
 */
import { test } from "node:test";
import type { DebitOutcome } from "#ledger/port.ts";
import { unwrap } from "#stores/ledger/store-ledger.ts";
import { createDebitPeriods } from "#stores/sqlite/debit-periods.ts";
import { openBatched } from "../stores/sqlite/fixture.ts";
import { openMemoryStore } from "../support/memory-ledger.ts";
import { openMemorySqlite } from "../support/memory-sqlite.ts";
import type { OpenedLedger } from "./judged.ts";
import { liveOften, RUNS } from "./live-often.ts";

function openMemory(): OpenedLedger {
  const { ledger, ledgerEvents } = openMemoryStore();
  const debitTogether: OpenedLedger["debitTogether"] = async (orders) => {
    const outcomes = [];
    for (const order of orders) outcomes.push(await ledger.debit(order));
    return outcomes;
  };
  return { ledger, ledgerEvents, debitTogether, close: () => {} };
}

/** Like the thread that alone writes: it caches what it has read from one order to the next. */
function openSqlite(): OpenedLedger {
  const driver = openMemorySqlite();
  const { ledger, ledgerEvents, runBatch } = openBatched(driver, {
    periods: createDebitPeriods(driver),
  });
  const debitTogether: OpenedLedger["debitTogether"] = async (orders) =>
    runBatch(orders.map((order) => ["debit", order])).map((each) => unwrap(each) as DebitOutcome);
  return { ledger, ledgerEvents, debitTogether, close: () => driver.close() };
}

test(`${RUNS} random runs of two years agree with the model, one order at a time`, (t) =>
  liveOften(t, openMemory));

test(`${RUNS} random runs of two years agree with the model, in batches`, (t) =>
  liveOften(t, openSqlite));
