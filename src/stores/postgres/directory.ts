import { createActivityLog } from "../sql/activity-log.ts";
import { logAttempt } from "../sql/deliveries.ts";
import { createDirectory } from "../sql/directory.ts";
import { createEmailQueue } from "../sql/emails.ts";
import { createEventStore } from "../sql/events.ts";
import { createJobQueue } from "../sql/jobs.ts";
import { createPurchaseStore } from "../sql/purchases.ts";
import { sql } from "../sql/sql-database.ts";
import { createPostgresDatabase } from "./database.ts";
import type { PostgresPool } from "./pool.ts";

/** Opens the stores of accounts, emails, purchases and events. The main thread needs these alone, without Kysely and better-auth. */
export function createPostgresDirectory(pool: PostgresPool) {
  const db = createPostgresDatabase(pool);
  return {
    database: db,
    directory: createDirectory(db, { lockUser }),
    activityLog: createActivityLog(db, lockUserById),
    emailQueue: createEmailQueue(db),
    jobs: createJobQueue(db, logAttempt),
    purchases: createPurchaseStore(db),
    events: createEventStore(db),
  };
}

/** Locks the user before the address, the order that schema/postgres-dashboard.ts requires. */
const lockUserById = (user: string) => [sql`SELECT id FROM users WHERE id = ${user} FOR UPDATE`];
const lockUser = (account: string) => [
  sql`SELECT id FROM users WHERE account = ${account} FOR UPDATE`,
];
