import { createActivityLog } from "./activity-log.ts";
import { logAttempt } from "./deliveries.ts";
import { createDirectory } from "./directory.ts";
import { createEmailQueue } from "./emails.ts";
import { createEventStore } from "./events.ts";
import { createJobQueue } from "./jobs.ts";
import { createPurchaseStore } from "./purchases.ts";
import type { SqlDatabase } from "./sql-database.ts";

type Differences = {
  directory?: Parameters<typeof createDirectory>[1];
  /** Locks a user, by id. */
  lockUser?: Parameters<typeof createActivityLog>[1];
};

/** The stores of accounts, emails, purchases and events over one database. */
export const createDashboardStores = (
  db: SqlDatabase,
  { directory, lockUser }: Differences = {},
) => ({
  database: db,
  directory: createDirectory(db, directory),
  activityLog: createActivityLog(db, lockUser),
  emailQueue: createEmailQueue(db),
  jobs: createJobQueue(db, logAttempt),
  purchases: createPurchaseStore(db),
  events: createEventStore(db),
});
