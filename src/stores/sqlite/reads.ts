import type { LedgerOperations, SyncLedger } from "#ledger/port.ts";
import type { ReadName } from "../ledger/store-ledger.ts";
import type { LedgerRead } from "../sql/ledger-read.ts";
import { createLedgerReads } from "../sql/ledger-reads.ts";
import type { SqlQuery } from "../sql/sql-database.ts";
import type { SqlDriver } from "./driver.ts";

export type SqliteReads = Pick<SyncLedger, ReadName>;

/** Creates the ledger's read operations, for use inside a transaction. Their statements are prepared at their first use. */
export function createSqliteReads(driver: SqlDriver): SqliteReads {
  const reads = createLedgerReads("sqlite");
  const rowsOf = (asked: SqlQuery[]) =>
    asked.map(({ sql, values }) => driver.prepare(sql).all(...values));
  function run<Name extends ReadName>(
    { queries, outcome, addition }: LedgerRead<Name>,
    order: LedgerOperations[Name][0],
  ): LedgerOperations[Name][1] {
    const first = outcome(rowsOf(queries(order)), order);
    const more = addition?.(first, order) ?? null;
    return more === null ? first : more.outcome(rowsOf(more.queries));
  }
  return {
    findAccount: (order) => run(reads.findAccount, order),
    listKeys: (order) => run(reads.listKeys, order),
    credits: (order) => run(reads.credits, order),
    findCall: (order) => run(reads.findCall, order),
    usage: (order) => run(reads.usage, order),
    entries: (order) => run(reads.entries, order),
    audit: (order) => run(reads.audit, order),
  };
}
