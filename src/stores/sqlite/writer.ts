import type { SqlDriver } from "./driver.ts";

/**
 * Which connection has written to the ledger last, as a mark in the database. Every transaction that writes looks at it first,
 * under the write lock: where it is another one's, what this connection remembers may not be true any more. So a server
 * keeps accounts in memory, and is exact beside the command line, an import or another server on the same file.
 */
export function createWriterMark(driver: SqlDriver) {
  const own = crypto.randomUUID();
  const read = driver.prepare("SELECT value FROM setting WHERE name = 'ledger_writer'");
  const write = driver.prepare(
    "INSERT INTO setting (name, value) VALUES ('ledger_writer', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  return {
    /** Whether this connection was the last writer; from a transaction that writes it is the last one from then on. */
    isOurs(mode: "read" | "write"): boolean {
      const isOurs = read.get()?.["value"] === own;
      if (!isOurs && mode === "write") write.run(own);
      return isOurs;
    },
  };
}

/** After rows were written in another way than by the rules: no connection may rely on what it remembers. */
export const clearWriterMark = (driver: SqlDriver): void => {
  driver.prepare("DELETE FROM setting WHERE name = 'ledger_writer'").run();
};
