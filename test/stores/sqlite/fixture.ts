import path from "node:path";
import type { TestContext } from "node:test";
import {
  type BatchResult,
  ledgerOver,
  outcomeOf,
  type StoreOperation,
  type SumOrder,
  type SumUsage,
  unwrap,
} from "#stores/ledger/store-ledger.ts";
import { createLedgerEvents } from "#stores/sql/ledger-events.ts";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";
import { createSqliteReads } from "#stores/sqlite/reads.ts";
import { createFixture, type OpenedLedger } from "../../contract/ledger/fixture.ts";
import { openMemorySqlite } from "../../support/memory-sqlite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** The path of a database in a folder of its own, which is removed after the test. */
export const temporaryFile = (t: Pick<TestContext, "after">): string =>
  path.join(temporaryFolder(t), "toolbooth.sqlite");

/** A database that is closed after the test; by default in memory, where no commit waits for the disk. */
export function openDriver(t: Pick<TestContext, "after">, file?: string): NodeSqlite {
  const driver = file === undefined ? openMemorySqlite() : openNodeSqlite(file);
  t.after(() => driver.close());
  return driver;
}

/** No order of this process is late, however busy the machine is: the clock by which orders wait stands still. */
export const withoutTimeLimit = (t: TestContext): void =>
  void t.mock.method(performance, "now", () => 0);

/** The ledger as its thread carries it out: batches over one connection, which keeps rows from one to the next. */
export function openBatched(
  driver: Parameters<typeof createBatchRunner>[0],
  options: Partial<Parameters<typeof createBatchRunner>[1]> = {},
) {
  const runBatch = createBatchRunner(driver, { createReads: createSqliteReads, ...options });
  const perform = async (name: StoreOperation, order: unknown) =>
    unwrap(runBatch([[name, order]])[0] as BatchResult);
  const opened = {
    ledger: ledgerOver(perform),
    ledgerEvents: createLedgerEvents(createSqliteDatabase(driver), "sqlite"),
    sumUsage: (order: SumOrder) => perform("sumUsage", order) as ReturnType<SumUsage>,
  };
  const together: OpenedLedger["together"] = async (items) => runBatch([...items]).map(outcomeOf);
  const { reopen: _, ...fixture } = createFixture(opened);
  return { runBatch, together, batches: "everything" as const, ...fixture };
}
