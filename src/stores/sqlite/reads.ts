import type { LedgerOperations, SyncLedger } from "#ledger/port.ts";
import type { LedgerRead } from "../sql/ledger-read.ts";
import { overReads, type ReadName } from "../sql/ledger-reads.ts";
import type { SqlDriver } from "./driver.ts";

/** The operations that only read, inside a transaction of the driver. Their statements are prepared when they are first used. */
export const createSqliteReads = (driver: SqlDriver): Pick<SyncLedger, ReadName> =>
  overReads("sqlite", <Name extends ReadName>({ queries, outcome }: LedgerRead<Name>) => {
    return (order: LedgerOperations[Name][0]) => {
      const rows = queries(order).map(({ sql, values }) => driver.prepare(sql).all(...values));
      return outcome(rows, order);
    };
  }) as never;
