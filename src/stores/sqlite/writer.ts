import type { SqlDriver } from "./driver.ts";

/**
 * A mark in the database that says which connection wrote to the ledger last. Every writing transaction reads it first, under the
 * write lock. If it is the mark of another connection, the accounts in memory may be out of date. So a server can keep accounts in
 * memory while the command line, an import or another server writes to the same file.
 */
export function createWriterMark(driver: SqlDriver) {
  const own = crypto.randomUUID();
  const read = driver.prepare("SELECT value FROM setting WHERE name = 'ledger_writer'");
  const write = driver.prepare(
    "INSERT INTO setting (name, value) VALUES ('ledger_writer', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  return {
    /** Whether this connection was the last writer. In mode `write`, also makes it the last writer. */
    isOurs(mode: "read" | "write"): boolean {
      const isOurs = read.get()?.["value"] === own;
      if (!isOurs && mode === "write") write.run(own);
      return isOurs;
    },
  };
}

/** Call after writing rows without the rules, so that no connection relies on the accounts that it has in memory. */
export const clearWriterMark = (driver: SqlDriver): void => {
  driver.prepare("DELETE FROM setting WHERE name = 'ledger_writer'").run();
};
