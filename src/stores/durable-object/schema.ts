import { sqliteHolds } from "../schema/holds.ts";
import { objectImports } from "../schema/imports.ts";
import type { Migration } from "../schema/migrations.ts";
import { sqlitePrices } from "../schema/own-prices.ts";
import { objectRequests } from "../schema/requests.ts";
import { sqliteLedger } from "../schema/sqlite-ledger.ts";

/**
 * The differences between an object's schema and that of a node's file. The platform bills each entry of an index like a row, both
 * when it is written and when it is deleted, so old idempotency records are found without one (stores/sqlite/maintain.ts). In
 * `debit_journal` are the debits of an earlier period, which is dropped as a whole (stores/sqlite/debit-periods.ts).
 */
const OBJECT_DIFFERENCES = "DROP INDEX idempotency_by_age;";
/** An object has few holds, and reads its kept calls once a day. */
const HOLDS_DIFFERENCES = "DROP INDEX hold_by_lease; DROP INDEX kept_call_by_age;";

/**
 * The migrations of an account's object, in the order in which they run. Released migrations are never edited. They lack the tables
 * of the dashboard and of jobs, which are in D1; the request log has tables of its own.
 */
export const OBJECT_MIGRATIONS: readonly Migration[] = [
  { name: "initial", sql: sqliteLedger + OBJECT_DIFFERENCES + objectRequests, readableFrom: 1 },
  { name: "imports", sql: objectImports, readableFrom: 1 },
  { name: "holds", sql: sqliteHolds + HOLDS_DIFFERENCES, readableFrom: 1 },
  { name: "prices", sql: sqlitePrices, readableFrom: 1 },
];
