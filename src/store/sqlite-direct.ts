import type { Directory } from "#accounts/directory.ts";
import type { Ledger } from "#credits/ledger.ts";
import { ledgerOver } from "#credits/ledger-over.ts";
import { createDirectory } from "./people-directory.ts";
import { type BatchResult, createBatchRunner, unwrap } from "./sqlite-batch.ts";
import { createSqliteDatabase } from "./sqlite-database.ts";
import type { SqlDriver } from "./sqlite-driver.ts";

/** The ledger and the directory over a connection of the caller's own: one transaction an operation. For the command line. */
export function openSqliteDirect(driver: SqlDriver): { ledger: Ledger; directory: Directory } {
  const runBatch = createBatchRunner(driver);
  const ledger = ledgerOver(async (name, order) => {
    const [result] = runBatch([[name, order]]);
    return unwrap(result as BatchResult);
  });
  return { ledger, directory: createDirectory(createSqliteDatabase(driver)) };
}
