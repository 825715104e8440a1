import type { Directory, SyncDirectory } from "#accounts/directory.ts";
import { type Ledger, ledgerOver } from "#credits/ledger.ts";
import { type BatchResult, createBatchRunner, unwrap } from "./sqlite-batch.ts";
import { createSqliteDirectory } from "./sqlite-directory.ts";
import type { SqlDriver } from "./sqlite-driver.ts";

/** The ledger and the directory over a connection of the caller's own: one transaction an operation. For the command line. */
export function openSqliteDirect(driver: SqlDriver): { ledger: Ledger; directory: Directory } {
  const runBatch = createBatchRunner(driver);
  const ledger = ledgerOver(async (name, order) => {
    const [result] = runBatch([[name, order]]);
    return unwrap(result as BatchResult);
  });
  return { ledger, directory: directoryOver(driver, createSqliteDirectory(driver)) };
}

function directoryOver(driver: SqlDriver, sync: SyncDirectory): Directory {
  const entries = Object.entries(sync).map(([name, operation]) => [
    name,
    async (order: never) => driver.transaction("write", () => operation(order)),
  ]);
  return Object.fromEntries(entries) as Directory;
}
