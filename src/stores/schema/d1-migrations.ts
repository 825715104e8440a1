import { sqlitePasswordless } from "./passwordless.ts";
import { sqliteDashboard } from "./sqlite-dashboard.ts";
import { sqliteJobs } from "./sqlite-jobs.ts";

/** What D1 has in addition to sqlite-dashboard.ts: the list of accounts, for each has a database of its own, and the edge's queues. */
export const d1Edge = `
-- Every account that may have an object. Written before the object is first used, so that operators can list them all.
CREATE TABLE account_index (
  account TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX account_index_by_age ON account_index (created_at, account);

-- Events that the accounts' objects have forwarded, as JSON, until they are handled.
CREATE TABLE forwarded_event (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  event TEXT NOT NULL
) STRICT;
`;

export type D1Migration = { name: string; sql: string };

/**
 * The migrations of D1 in the order in which they run, each a file of its own for Wrangler. Released ones are never edited.
 *
 * D1's service cuts a file into statements by rules of its own, and has cut triggers of several lines in two: so a trigger
 * is one line here. Comments are left out, because words of SQL in them have confused it as well.
 */
export const D1_MIGRATIONS: readonly D1Migration[] = [
  { name: "0001_initial", sql: plain(sqliteJobs + sqliteDashboard + d1Edge) },
  { name: "0002_passwordless", sql: plain(sqlitePasswordless) },
];

/**
 * Returns the text of a migration's file, which `toolbooth build cloudflare` writes for `wrangler d1 execute --file`. It also records the migration
 * in Wrangler's own table, so that `wrangler d1 migrations list` shows what is missing. D1 imports a file in one transaction.
 * `wrangler d1 migrations apply` would send file and record as a query, which D1 cuts within triggers ("incomplete input").
 */
export const migrationFile = ({ name, sql }: D1Migration): string =>
  `${CREATE_RECORDS}${sql}INSERT INTO "d1_migrations" (name) VALUES ('${name}.sql');\n`;

/** As Wrangler creates it. */
const CREATE_RECORDS = `CREATE TABLE IF NOT EXISTS "d1_migrations"(
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);
`;

function plain(sql: string): string {
  const bare = sql.replace(/^\s*--.*\n/gm, "");
  const triggers = bare.replace(/^CREATE TRIGGER [\s\S]*?^END;$/gm, (text) =>
    text.replace(/\s+/g, " "),
  );
  return `${triggers.replace(/\n{2,}/g, "\n").trim()}\n`;
}
