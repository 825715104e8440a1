import { type Ledger, UsageNotSummed } from "#ledger/port.ts";
import { createDashboardStores } from "../sql/dashboard-stores.ts";
import { signInOverSqlite } from "../sql/kysely.ts";
import { createLedgerEvents } from "../sql/ledger-events.ts";
import { isReading, type SqlDatabase } from "../sql/sql-database.ts";
import { createSqliteDatabase } from "./database.ts";
import type { SqlDriver } from "./driver.ts";
import { createSqliteReads } from "./reads.ts";
import type { PerformTask } from "./tasks.ts";

/** Opens the stores of accounts, emails, purchases and events. `onFault`: as for `signInOverSqlite`. */
export function createSqliteDashboardStore(
  db: SqlDatabase,
  ledger: Ledger,
  onFault?: (fault: Error) => void,
) {
  return {
    ...createDashboardStores(db),
    ledger,
    ledgerEvents: createLedgerEvents(db, "sqlite"),
    signInDatabase: signInOverSqlite(db, onFault),
  };
}

/** The ledger's thread sums the debits, which this connection may not, and then reads. */
const elsewhere =
  <Outcome>(ask: () => Promise<Outcome>) =>
  (error: unknown): Promise<Outcome> => {
    if (error instanceof UsageNotSummed) return ask();
    throw error;
  };

/** Reads over a connection of this thread; the ledger's thread does the rest. `check` runs before each read, and may throw to refuse it. */
export function createReaderBesideLedger(
  reader: SqlDriver,
  remote: { ledger: Ledger; perform: PerformTask },
  check: () => void,
): { database: SqlDatabase; ledger: Ledger } {
  const here = createSqliteDatabase(reader);
  const reads = createSqliteReads(reader);
  const read =
    <Order, Outcome>(act: (order: Order) => Outcome) =>
    async (order: Order): Promise<Outcome> => {
      check();
      return reader.transaction("read", () => act(order));
    };
  return {
    database: {
      async batch(queries) {
        if (!queries.every(isReading)) return remote.perform("statements", queries);
        check();
        return here.batch(queries);
      },
    },
    ledger: {
      ...remote.ledger,
      findAccount: read(reads.findAccount),
      listKeys: read(reads.listKeys),
      credits: read(reads.credits),
      findCall: read(reads.findCall),
      usage: (order) => read(reads.usage)(order).catch(elsewhere(() => remote.ledger.usage(order))),
      entries: (order) =>
        read(reads.entries)(order).catch(elsewhere(() => remote.ledger.entries(order))),
      audit: read(reads.audit),
    },
  };
}
