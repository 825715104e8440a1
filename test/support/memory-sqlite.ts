import { DatabaseSync } from "node:sqlite";
import type { Migration } from "#stores/schema/migrations.ts";
import { createDriver, type NodeSqlite, SQLITE_MIGRATIONS } from "#stores/sqlite/node.ts";
import { runMigrations } from "#stores/sqlite/run-migrations.ts";

/** The bytes of a database with nothing but the schema. */
const empty = new Map<readonly Migration[], Uint8Array>();

/** A database in memory with the schema of a node. It is a copy: running the migrations takes twenty times as long. */
export function openMemorySqlite(migrations = SQLITE_MIGRATIONS): NodeSqlite {
  const database = new DatabaseSync(":memory:");
  const bytes = empty.get(migrations);
  if (bytes !== undefined) database.deserialize(bytes);
  database.exec("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;");
  const driver = createDriver(database);
  if (bytes === undefined) {
    runMigrations(driver, migrations);
    empty.set(migrations, database.serialize());
  }
  return driver;
}
