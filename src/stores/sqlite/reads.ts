import type { SyncLedger } from "#ledger/port.ts";
import type { ReadName } from "../ledger/store-ledger.ts";
import { createLedgerReads } from "../sql/ledger-reads.ts";
import type { SqlQuery } from "../sql/sql-database.ts";
import type { SqlDriver } from "./driver.ts";

export type SqliteReads = Pick<SyncLedger, ReadName>;

/** Creates the ledger's read operations, for use inside a transaction. Their statements are prepared at their first use. */
export function createSqliteReads(driver: SqlDriver): SqliteReads {
  const rowsOf = (asked: SqlQuery[]) =>
    asked.map(({ sql, values }) => driver.prepare(sql).all(...values));
  return createLedgerReads<SqliteReads>("sqlite", ({ queries, outcome, addition }, order) => {
    const first = outcome(rowsOf(queries(order)), order);
    const more = addition?.(first, order) ?? null;
    return more === null ? first : more.outcome(rowsOf(more.queries));
  });
}
