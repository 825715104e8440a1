import { createDirectory } from "./people-directory.ts";
import { createJournal } from "./people-journal.ts";
import { createLetterQueue } from "./people-letters.ts";
import { createNoticeBook } from "./people-notices.ts";
import { createPurchaseBook } from "./people-purchases.ts";
import { createPostgresDatabase } from "./postgres-database.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import { sql } from "./sql-database.ts";

/** What is kept about people beside their sign-ins: the command line needs no more, and loads no more. */
export function createPostgresDirectory(pool: PostgresPool) {
  const db = createPostgresDatabase(pool);
  return {
    directory: createDirectory(db, lockPerson),
    journal: createJournal(db, sql`NOT "emailVerified"`),
    letterQueue: createLetterQueue(db),
    purchases: createPurchaseBook(db),
    notices: createNoticeBook(db),
  };
}

/** A person is locked before the address, as by whoever moves it: see migrations/postgres-0003-people.ts. */
const lockPerson = (account: string) => [
  sql`SELECT id FROM person WHERE account = ${account} FOR UPDATE`,
];
