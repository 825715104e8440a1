import type { Ledger } from "#ledger/port.ts";
import { withSummedUsage } from "../ledger/summed-usage.ts";
import { createActivityLog } from "../sql/activity-log.ts";
import { logAttempt } from "../sql/deliveries.ts";
import { createDirectory } from "../sql/directory.ts";
import { createEmailQueue } from "../sql/emails.ts";
import { createEventStore } from "../sql/events.ts";
import { createJobQueue } from "../sql/jobs.ts";
import { createPurchaseStore } from "../sql/purchases.ts";
import { isReading, type SqlDatabase } from "../sql/sql-database.ts";
import { createSqliteDatabase, createSqliteReads } from "./database.ts";
import type { SqlDriver } from "./driver.ts";
import { createKyselyDialect } from "./kysely.ts";
import type { PerformTask } from "./tasks.ts";

/** Opens the stores of accounts, emails, purchases and events. `onFault`: see kysely.ts. */
export function createSqliteDashboardStore(
  db: SqlDatabase,
  ledger: Ledger,
  onFault?: (fault: Error) => void,
) {
  return {
    database: db,
    ledger: withSummedUsage(ledger),
    directory: createDirectory(db),
    activityLog: createActivityLog(db),
    emailQueue: createEmailQueue(db),
    jobs: createJobQueue(db, logAttempt),
    purchases: createPurchaseStore(db),
    events: createEventStore(db),
    // A transaction of better-auth would hold the write lock while it does other work.
    signInDatabase: {
      dialect: createKyselyDialect(db, onFault),
      type: "sqlite" as const,
      transaction: false,
    },
  };
}

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
      usage: read(reads.usage),
      entries: read(reads.entries),
      entryBalances: read(reads.entryBalances),
      listEvents: read(reads.listEvents),
      audit: read(reads.audit),
    },
  };
}
