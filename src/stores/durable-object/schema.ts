import type { Migration } from "../schema/migrations.ts";
import { sqliteLedger } from "../schema/sqlite-ledger.ts";

/**
 * The migrations of an account's object, in the order in which they run. Released migrations are never edited. They lack the tables
 * of the dashboard, which are in D1, and those of a node's imports and jobs.
 */
export const OBJECT_MIGRATIONS: readonly Migration[] = [
  { name: "initial", sql: sqliteLedger, readableFrom: 1 },
];
