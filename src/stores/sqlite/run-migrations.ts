import {
  type AppliedMigration,
  type Migration,
  planMigrations,
  READ_APPLIED,
  SCHEMA_MIGRATION_TABLE,
  type SchemaState,
} from "../schema/migrations.ts";
import type { SqlDriver } from "./driver.ts";

/**
 * Brings a schema up to date, on Node and in a Durable Object. Several processes may call it at once, because they take turns at
 * the write lock. Returns whether a migration ran.
 */
export function runMigrations(driver: SqlDriver, migrations: readonly Migration[]): boolean {
  const schema = readSchema(driver);
  const isMade = schema.applied.length > 0;
  if (isMade && planMigrations(migrations, schema).length === 0) return false;
  return driver.transaction("write", () => {
    // Read again under the lock: another process may be migrating the file.
    const missing = planMigrations(migrations, readSchema(driver));
    driver.exec(SCHEMA_MIGRATION_TABLE);
    const insert = driver.prepare(INSERT);
    for (const { version, name, sha256, readableFrom, sql } of missing) {
      driver.exec(sql);
      insert.run(version, name, sha256, readableFrom, Date.now());
    }
    return missing.length > 0;
  });
}

const INSERT =
  "INSERT INTO schema_migration (version, name, sha256, readable_from, applied_at) VALUES (?, ?, ?, ?, ?)";

/** Reads the state of the schema. Changes nothing, so that it can inspect a file that may belong to another program. */
export function readSchema(driver: SqlDriver): SchemaState {
  try {
    const applied = driver.prepare(READ_APPLIED).all() as AppliedMigration[];
    // A Durable Object reads this at each start and is billed by the row, so the second look-up is made only if needed.
    return { applied, hasTables: applied.length > 0 || hasTable(driver, "account") };
  } catch (error) {
    if (hasTable(driver, "schema_migration")) throw error;
    return { applied: [], hasTables: hasTable(driver, "account") };
  }
}

const hasTable = (driver: SqlDriver, name: string): boolean =>
  driver.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !==
  undefined;
