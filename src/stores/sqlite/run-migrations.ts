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
 * Brings a schema up to date, on Node and in a Durable Object. Safe when several processes start at once, because the write
 * lock orders them. Returns whether there was anything to do.
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

/** Changes nothing, so that a file can be inspected that may belong to another program. */
export function readSchema(driver: SqlDriver): SchemaState {
  try {
    const applied = driver.prepare(READ_APPLIED).all() as AppliedMigration[];
    // An object reads this at each start and pays by the row, so the tables are looked up only where it matters.
    return { applied, hasTables: applied.length > 0 || hasTables(driver) };
  } catch (error) {
    if (!/no such table: schema_migration/.test(String(error))) throw error;
    return { applied: [], hasTables: hasTables(driver) };
  }
}

const hasTables = (driver: SqlDriver): boolean =>
  driver.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'account'").get() !==
  undefined;
