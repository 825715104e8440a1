import type { Migration } from "../schema/migrations.ts";
import { sqliteImports } from "../schema/sqlite-imports.ts";
import { sqliteJobs } from "../schema/sqlite-jobs.ts";
import { sqliteLedger } from "../schema/sqlite-ledger.ts";
import { sqlitePeople } from "../schema/sqlite-people.ts";

/** The migrations of a node's file, in the order in which they run. Released ones are never edited. */
export const SQLITE_MIGRATIONS: readonly Migration[] = [
  {
    name: "initial",
    sql: sqliteLedger + sqliteImports + sqliteJobs + sqlitePeople,
    readableFrom: 1,
  },
];
