import { logAttempt } from "../sql/deliveries.ts";
import { createDirectory } from "../sql/directory.ts";
import { createEmailQueue } from "../sql/emails.ts";
import { createEventStore } from "../sql/events.ts";
import { createJobQueue } from "../sql/jobs.ts";
import { createJournal } from "../sql/journal.ts";
import { createPurchaseStore } from "../sql/purchases.ts";
import { sql } from "../sql/sql-database.ts";
import { createPostgresDatabase } from "./database.ts";
import type { PostgresPool } from "./pool.ts";

/** What is kept about people beside their sign-ins: the command line needs no more, and loads no more. */
export function createPostgresDirectory(pool: PostgresPool) {
  const db = createPostgresDatabase(pool);
  return {
    database: db,
    directory: createDirectory(db, lockPerson),
    journal: createJournal(db, sql`NOT "emailVerified"`),
    emailQueue: createEmailQueue(db),
    jobs: createJobQueue(db, logAttempt),
    purchases: createPurchaseStore(db),
    events: createEventStore(db),
  };
}

/** A person is locked before the address, as by whoever moves it: see migrations/postgres-0003-people.ts. */
const lockPerson = (account: string) => [
  sql`SELECT id FROM person WHERE account = ${account} FOR UPDATE`,
];
