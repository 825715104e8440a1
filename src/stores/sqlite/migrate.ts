import type { Migration } from "#stores/schema/migrations.ts";
import { sqliteJobs } from "#stores/schema/sqlite-jobs.ts";
import { sqliteLedger } from "#stores/schema/sqlite-ledger.ts";
import { sqlitePeople } from "#stores/schema/sqlite-people.ts";

/** The migrations of a node's file, in the order in which they run. Released ones are never edited. */
export const SQLITE_MIGRATIONS: readonly Migration[] = [
  {
    name: "initial",
    sql: sqliteLedger + sqliteJobs + sqlitePeople,
    readableFrom: 1,
  },
];
