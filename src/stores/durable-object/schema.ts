import { type Migration, SchemaMismatch, SchemaTooNew } from "../schema/migrations.ts";
import { sqliteLedger } from "../schema/sqlite-ledger.ts";
import type { SqlDriver } from "../sqlite/driver.ts";
import { runMigrations } from "../sqlite/run-migrations.ts";

/**
 * The migrations of an account's object, in the order in which they run. Released ones are never edited. Without the tables
 * of people, which are in D1, and without sqlite-many-accounts.ts.
 */
export const OBJECT_MIGRATIONS: readonly Migration[] = [
  { name: "initial", sql: sqliteLedger, readableFrom: 1 },
];

/** `fault`: why this code may not use the data; the data is then as it was. */
export type OpenedSchema = { hasMigrated: boolean; fault: string | null };

/**
 * Brings an object's schema up to date. It returns the fault, because a constructor that throws tells the Worker nothing: it
 * could not know whether its order was carried out, and would leave a pending reversal for each call.
 */
export function openSchema(driver: SqlDriver, migrations: readonly Migration[]): OpenedSchema {
  try {
    return { hasMigrated: runMigrations(driver, migrations), fault: null };
  } catch (error) {
    if (!(error instanceof SchemaTooNew || error instanceof SchemaMismatch)) throw error;
    return { hasMigrated: false, fault: error.message };
  }
}
