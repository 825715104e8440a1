import type { Directory } from "#accounts/directory.ts";
import { ledgerOver } from "#ledger/ledger-over.ts";
import type { Ledger } from "#ledger/port.ts";
import { createDirectory } from "#stores/sql/directory.ts";
import { type BatchResult, createBatchRunner, unwrap } from "#stores/sqlite/batch.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import type { SqlDriver } from "#stores/sqlite/driver.ts";

/** Opens the ledger and the directory over the caller's connection, with one transaction per operation. */
export function openSqliteDirect(driver: SqlDriver): { ledger: Ledger; directory: Directory } {
  const runBatch = createBatchRunner(driver);
  const ledger = ledgerOver(async (name, order) => {
    const [result] = runBatch([[name, order]]);
    return unwrap(result as BatchResult);
  });
  return { ledger, directory: createDirectory(createSqliteDatabase(driver)) };
}
