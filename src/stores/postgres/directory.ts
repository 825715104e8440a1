import { createDashboardStores } from "../sql/dashboard-stores.ts";
import { createLedgerEvents } from "../sql/ledger-events.ts";
import { sql } from "../sql/sql-database.ts";
import { createPostgresDatabase } from "./database.ts";
import type { PostgresPool } from "./pool.ts";

/** Opens the stores of accounts, emails, purchases and events. The main thread needs these alone, without Kysely and better-auth. */
export function createPostgresDirectory(pool: PostgresPool) {
  const db = createPostgresDatabase(pool);
  return {
    ...createDashboardStores(db, { directory: { lockUser: lockUserOf }, lockUser }),
    ledgerEvents: createLedgerEvents(db, "postgres"),
  };
}

/** Locks the user before the address, the order that schema/postgres-dashboard.ts requires. */
const lockUser = (user: string) => [sql`SELECT id FROM users WHERE id = ${user} FOR UPDATE`];
const lockUserOf = (account: string) => [
  sql`SELECT id FROM users WHERE account = ${account} FOR UPDATE`,
];
