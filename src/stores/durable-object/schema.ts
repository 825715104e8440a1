import { type Migration, SchemaMismatch, SchemaTooNew } from "../schema/migrations.ts";
import { sqliteLedger } from "../schema/sqlite-ledger.ts";
import type { SqlDriver } from "../sqlite/driver.ts";
import { runMigrations } from "../sqlite/run-migrations.ts";

/**
 * The differences between an object's schema and that of a node's file. The platform bills each entry of an index like a row, both
 * when it is written and when it is deleted, so old idempotency records are found without one (stores/sqlite/old-records.ts). In
 * `debit_journal` are the debits of an earlier period, which is dropped as a whole (stores/sqlite/debit-periods.ts).
 */
const OBJECT_DIFFERENCES = "DROP INDEX idempotency_by_age;";

/**
 * The migrations of an account's object, in the order in which they run. Released migrations are never edited. They lack the tables
 * of the dashboard, which are in D1, and those of a node's imports and jobs.
 */
export const OBJECT_MIGRATIONS: readonly Migration[] = [
  { name: "initial", sql: `${sqliteLedger}${OBJECT_DIFFERENCES}`, readableFrom: 1 },
];

/** `fault`: why this code cannot use the data, which is then unchanged. */
export type OpenedSchema = { hasMigrated: boolean; fault: string | null };

/**
 * Brings an object's schema up to date. It returns a fault instead of throwing it: if the object's constructor threw, the Worker
 * could not tell whether its order was carried out, and would queue a reversal for each call.
 */
export function openSchema(driver: SqlDriver, migrations: readonly Migration[]): OpenedSchema {
  try {
    return { hasMigrated: runMigrations(driver, migrations), fault: null };
  } catch (error) {
    if (!(error instanceof SchemaTooNew || error instanceof SchemaMismatch)) throw error;
    return { hasMigrated: false, fault: error.message };
  }
}
