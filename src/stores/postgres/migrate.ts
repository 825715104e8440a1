import { postgresHoldsStorage, sqliteHolds } from "../schema/holds.ts";
import { sqliteImportsByKind } from "../schema/imports.ts";
import { inPostgres } from "../schema/in-postgres.ts";
import {
  type AppliedMigration,
  type Migration,
  planMigrations,
  READ_APPLIED,
  SCHEMA_MIGRATION_TABLE,
} from "../schema/migrations.ts";
import { sqlitePrices } from "../schema/own-prices.ts";
import { sqlitePasswordless } from "../schema/passwordless.ts";
import { postgresCalls } from "../schema/postgres-calls.ts";
import { postgresDashboard } from "../schema/postgres-dashboard.ts";
import { postgresLedger } from "../schema/postgres-ledger.ts";
import { isLocked } from "./faults.ts";
import type { PostgresPool, PostgresQuery } from "./pool.ts";

/** The migrations of PostgreSQL, in the order in which they run. Released migrations are never edited. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "initial", sql: postgresLedger + postgresCalls + postgresDashboard, readableFrom: 1 },
  { name: "passwordless", sql: inPostgres(sqlitePasswordless), readableFrom: 2 },
  { name: "imports", sql: inPostgres(sqliteImportsByKind), readableFrom: 2 },
  { name: "holds", sql: inPostgres(sqliteHolds) + postgresHoldsStorage, readableFrom: 2 },
  { name: "prices", sql: inPostgres(sqlitePrices), readableFrom: 2 },
];

/** The database is unsuitable. The message says why and what to do. */
export class UnfitDatabase extends Error {}

/** An arbitrary but fixed number. */
const MIGRATION_LOCK = 7_200_000;

/** Rolling up needs the skip scan of version 18: it finds old debits through an index that starts with the account. */
const SERVER_MIN = 18;

/** Calls wait while a migration waits for the lock on a table. So it gives up soon, and tries again after a pause. */
const LOCK_TIMEOUT_MS = 300;
const PAUSE_MS = 700;
const TRIES = 120;

/** Brings the schema up to date. If several nodes start at once, one of them does it and the others wait. */
export async function migratePostgres(
  { transaction }: PostgresPool,
  { migrations = MIGRATIONS, tries = TRIES } = {},
): Promise<void> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await transaction("upkeep", (query) => migrate(query, migrations));
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (left === 0) throw new UnfitDatabase(HELD, { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function migrate(query: PostgresQuery, migrations: readonly Migration[]): Promise<void> {
  const [server] = (await query(SERVER)) as [{ encoding: string; version: number; called: string }];
  if (server.version < SERVER_MIN * 10_000) throw new UnfitDatabase(tooOld(server.called));
  if (server.encoding !== "UTF8") throw new UnfitDatabase(notUtf8(server.encoding));
  await query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  await query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await query(SCHEMA_MIGRATION_TABLE);
  const applied = await query<AppliedMigration>(READ_APPLIED);
  const [made] = await query<{ hasTables: boolean }>(HAS_TABLES);
  const missing = planMigrations(migrations, { applied, hasTables: made?.hasTables === true });
  for (const { version, name, sha256, readableFrom, sql } of missing) {
    await query(sql);
    await query(INSERT, [version, name, sha256, readableFrom, Date.now()]);
  }
}

const INSERT = `INSERT INTO schema_migration (version, name, sha256, readable_from, applied_at)
  VALUES ($1, $2, $3, $4, $5)`;

/** Looks only in the first schema of the search path, in which the tables are created. */
const HAS_TABLES = `SELECT to_regclass(format('%I.account', current_schema())) IS NOT NULL AS "hasTables"`;

const SERVER = `SELECT getdatabaseencoding() AS encoding, current_setting('server_version_num')::integer AS version,
  current_setting('server_version') AS called`;

const HELD =
  "Another session holds a lock on a table that this version has to change. " +
  "Find it with SELECT pid, xact_start, query FROM pg_stat_activity ORDER BY xact_start, end it, and start the node again.";

const tooOld = (version: string) =>
  `The PostgreSQL server has version ${version}, but Toolbooth needs version ${SERVER_MIN} or newer. ` +
  "Upgrade the server, or set DATABASE_URL to another one.";

const notUtf8 = (encoding: string) =>
  `The database in DATABASE_URL has the encoding ${encoding}, which cannot store every name and label. ` +
  "Create one in UTF-8: createdb --encoding UTF8 --template template0 toolbooth";
