import type { LedgerOperations, SyncLedger } from "#ledger/port.ts";
import type { LedgerRead } from "#stores/sql/ledger-read.ts";
import { createLedgerReads, type ReadName } from "#stores/sql/ledger-reads.ts";
import type { SqlDriver } from "./driver.ts";

/** The operations that only read, inside a transaction of the driver. Their statements are prepared when they are first used. */
export function createSqliteReads(driver: SqlDriver): Pick<SyncLedger, ReadName> {
  const reads = createLedgerReads("sqlite");
  const over = <Name extends ReadName>(name: Name) => {
    const { queries, outcome }: LedgerRead<Name> = reads[name];
    return (order: LedgerOperations[Name][0]): LedgerOperations[Name][1] => {
      const rows = queries(order).map(({ sql, values }) => driver.prepare(sql).all(...values));
      return outcome(rows, order);
    };
  };
  return {
    findAccount: over("findAccount"),
    listKeys: over("listKeys"),
    credits: over("credits"),
    usage: over("usage"),
    recentCalls: over("recentCalls"),
    entries: over("entries"),
    listEvents: over("listEvents"),
    audit: over("audit"),
  };
}
