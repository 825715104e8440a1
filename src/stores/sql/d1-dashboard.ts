import { listAccountOf } from "./account-index.ts";
import { createActivityLog } from "./activity-log.ts";
import { createD1Database, type D1, steadyD1 } from "./d1-database.ts";
import { logAttempt } from "./deliveries.ts";
import { createDirectory } from "./directory.ts";
import { createEmailQueue } from "./emails.ts";
import { createEventStore } from "./events.ts";
import { createForwardedEvents } from "./forwarded-events.ts";
import { createJobQueue } from "./jobs.ts";
import { createPurchaseStore } from "./purchases.ts";

/** Opens the stores of accounts, emails, purchases and events at the edge. The ledger is in the accounts' objects. */
export function createD1DashboardStore(d1: D1) {
  const db = createD1Database(d1);
  return {
    database: db,
    directory: createDirectory(db, { onRegister: listAccountOf }),
    activityLog: createActivityLog(db),
    emailQueue: createEmailQueue(db),
    jobs: createJobQueue(db, logAttempt),
    purchases: createPurchaseStore(db),
    events: createEventStore(db),
    forwardedEvents: createForwardedEvents(db),
    // better-auth recognizes a D1 binding by its methods, and does not use transactions with it.
    signInDatabase: steadyD1(d1),
  };
}
