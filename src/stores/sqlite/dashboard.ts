import { withSummedUsage } from "../ledger/summed-usage.ts";
import { createActivityLog } from "../sql/activity-log.ts";
import { logAttempt } from "../sql/deliveries.ts";
import { createDirectory } from "../sql/directory.ts";
import { createEmailQueue } from "../sql/emails.ts";
import { createEventStore } from "../sql/events.ts";
import { createJobQueue } from "../sql/jobs.ts";
import { createPurchaseStore } from "../sql/purchases.ts";
import { createSqliteDatabase, createTurns, inTurns } from "./database.ts";
import { openSqliteDirect } from "./direct.ts";
import type { SqlDriver } from "./driver.ts";
import { createKyselyDialect } from "./kysely.ts";

/**
 * Opens the stores of accounts, emails, purchases and events over a connection of their own. `check` runs before each use of the connection, and may throw to refuse it.
 */
export function openSqliteDashboardStore(driver: SqlDriver, check: () => void = () => {}) {
  const turns = createTurns(check);
  const db = createSqliteDatabase(driver, turns);
  return {
    database: db,
    turns,
    ledger: withSummedUsage(inTurns(turns, openSqliteDirect(driver).ledger)),
    directory: createDirectory(db),
    activityLog: createActivityLog(db),
    emailQueue: createEmailQueue(db),
    jobs: createJobQueue(db, logAttempt),
    purchases: createPurchaseStore(db),
    events: createEventStore(db),
    // better-auth hashes passwords inside its transactions, during which the write lock must not be held.
    signInDatabase: {
      dialect: createKyselyDialect(driver, turns),
      type: "sqlite" as const,
      transaction: false,
    },
  };
}
