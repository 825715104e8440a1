import type { Migration } from "../schema/migrations.ts";
import { objectRequests } from "../schema/object-requests.ts";
import { sqliteLedger } from "../schema/sqlite-ledger.ts";

/**
 * The migrations of an account's object, in the order in which they run. Released migrations are never edited. They lack the tables
 * of the dashboard, which are in D1, and those of a node's imports and jobs; the request log has tables of its own.
 */
export const OBJECT_MIGRATIONS: readonly Migration[] = [
  { name: "initial", sql: sqliteLedger + objectRequests, readableFrom: 1 },
];
