import {
  type BatchResult,
  ledgerOver,
  type StoreOperation,
  type SumOrder,
  type SumUsage,
  unwrap,
} from "#stores/ledger/store-ledger.ts";
import { createDirectory } from "#stores/sql/directory.ts";
import { createLedgerEvents } from "#stores/sql/ledger-events.ts";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import type { SqlDriver } from "#stores/sqlite/driver.ts";
import { createSqliteReads } from "#stores/sqlite/reads.ts";

/** The ledger and the directory over a connection of the test, with one transaction per operation. */
export function openSqliteDirect(driver: SqlDriver) {
  const runBatch = createBatchRunner(driver, { createReads: createSqliteReads });
  const perform = async (name: StoreOperation, order: unknown) =>
    unwrap(runBatch([[name, order]])[0] as BatchResult);
  const ledger = ledgerOver(perform);
  const sumUsage = (order: SumOrder) => perform("sumUsage", order) as ReturnType<SumUsage>;
  const database = createSqliteDatabase(driver);
  const ledgerEvents = createLedgerEvents(database, "sqlite");
  return { ledger, ledgerEvents, sumUsage, directory: createDirectory(database) };
}
