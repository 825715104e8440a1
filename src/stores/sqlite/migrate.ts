import { runMigrations } from "#stores/schema/run-migrations.ts";
import { sqliteLedger } from "#stores/schema/sqlite-ledger.ts";
import { sqlitePeople } from "#stores/schema/sqlite-people.ts";
import type { SqlDriver } from "./driver.ts";

/** Migrations in the order in which they run; the schema's version is how many have run. Never edited once released. */
const MIGRATIONS = [sqliteLedger + sqlitePeople];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Of a file with everything in it. */
export const migrateSqlite = (driver: SqlDriver): boolean => runMigrations(driver, MIGRATIONS);

export const schemaVersion = (driver: SqlDriver): number => driver.schemaVersion.read();
