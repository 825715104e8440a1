import { runMigrations } from "#stores/schema/run-migrations.ts";
import { sqlite0001Ledger } from "#stores/schema/sqlite-0001-ledger.ts";
import { sqlite0002Entries } from "#stores/schema/sqlite-0002-entries.ts";
import { sqlite0003People } from "#stores/schema/sqlite-0003-people.ts";
import { sqlite0004Letters } from "#stores/schema/sqlite-0004-letters.ts";
import { sqlite0005SalesLedger } from "#stores/schema/sqlite-0005-sales-ledger.ts";
import { sqlite0006SalesPeople } from "#stores/schema/sqlite-0006-sales-people.ts";
import type { SqlDriver } from "./driver.ts";

/** Migrations in the order in which they run; the schema's version is how many have run. Never edited once released. */
const MIGRATIONS = [
  sqlite0001Ledger,
  sqlite0002Entries,
  sqlite0003People,
  sqlite0004Letters,
  sqlite0005SalesLedger,
  sqlite0006SalesPeople,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Of a file with everything in it. */
export const migrateSqlite = (driver: SqlDriver): boolean => runMigrations(driver, MIGRATIONS);

export const schemaVersion = (driver: SqlDriver): number => driver.schemaVersion.read();
