import { createLedgerEvents } from "#stores/sql/ledger-events.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { createJournal } from "#stores/sqlite/new-debits.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { directoryContract, directoryDurability } from "../../contract/directory.ts";
import { holdCountsContract } from "../../contract/hold-counts.ts";
import type { OpenLedger } from "../../contract/ledger/fixture.ts";
import { ledgerContract, ledgerDurability } from "../../contract/ledger.ts";
import { ledgerModel } from "../../contract/ledger-model.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { openBatched, openDriver, temporaryFile } from "./fixture.ts";

const openInFile = async (t: Parameters<OpenLedger>[0]) => {
  const file = temporaryFile(t);
  let driver = openNodeSqlite(file);
  t.after(() => driver.close());
  return {
    ...openSqliteDirect(driver),
    async reopened() {
      driver.close();
      driver = openNodeSqlite(file);
      return openSqliteDirect(driver);
    },
  };
};

const openThread: OpenLedger = async (t) => {
  const file = temporaryFile(t);
  let thread = await openSqliteThread({ file });
  t.after(() => thread.close());
  const { perform } = thread;
  return {
    ledger: thread.ledger,
    ledgerEvents: createLedgerEvents(
      { batch: (queries) => perform("statements", queries) },
      "sqlite",
    ),
    async reopen() {
      await thread.close();
      thread = await openSqliteThread({ file });
      return thread.ledger;
    },
  };
};

/** Moves some rows out of the journal after each order: one, two or all. */
const openDrained: OpenLedger = async (t) => {
  const driver = openDriver(t);
  const journal = createJournal(driver);
  const { ledger, ledgerEvents, sumUsage, together, batches } = openBatched(driver);
  let orders = 0;
  const drained =
    <Given, Outcome>(act: (given: Given) => Promise<Outcome>) =>
    async (given: Given) => {
      const outcome = await act(given);
      orders += 1;
      driver.transaction("write", () => journal.drain([1, 2, 1000][orders % 3] as number));
      return outcome;
    };
  const operations = Object.entries(ledger).map(([name, operation]) => [
    name,
    drained(operation as (order: never) => Promise<unknown>),
  ]);
  return {
    ledger: Object.fromEntries(operations),
    ledgerEvents,
    sumUsage: drained(sumUsage),
    together: drained(together as NonNullable<typeof together>),
    batches,
  };
};

ledgerContract("in SQLite", async (t) => openSqliteDirect(openDriver(t)));
ledgerModel("in SQLite", async (t) => openBatched(openDriver(t)));
ledgerModel("in SQLite, with a journal that is drained after every order", openDrained);
// The thread passes orders on unchanged: what it adds are batches.
ledgerContract("in SQLite on its thread", openThread, ["concurrency", "concurrent holds"]);
ledgerDurability("in SQLite", async (t) => {
  const { ledger, reopened } = await openInFile(t);
  return { ledger, reopen: async () => (await reopened()).ledger };
});
ledgerDurability("in SQLite on its thread", openThread);
holdCountsContract("in SQLite", async (t) => {
  const driver = openDriver(t);
  return { ...openSqliteDirect(driver), database: createSqliteDatabase(driver) };
});
directoryContract("in SQLite", async (t) => openSqliteDirect(openDriver(t)));
directoryDurability("in SQLite", async (t) => {
  const { directory, reopened } = await openInFile(t);
  return { directory, reopen: async () => (await reopened()).directory };
});
