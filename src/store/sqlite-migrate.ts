import { sqlite0001Ledger } from "./migrations/sqlite-0001-ledger.ts";
import { sqlite0002Entries } from "./migrations/sqlite-0002-entries.ts";
import { sqlite0003People } from "./migrations/sqlite-0003-people.ts";
import { sqlite0004Letters } from "./migrations/sqlite-0004-letters.ts";
import type { SqlDriver } from "./sqlite-driver.ts";

/** Migrations in the order in which they run; the schema's version is how many have run. Never edited once released. */
const MIGRATIONS = [sqlite0001Ledger, sqlite0002Entries, sqlite0003People, sqlite0004Letters];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** The data was written by a newer version of the service: older code would misread it, so it is left alone. */
export class SchemaTooNew extends Error {}

/** Brings the schema up to date. Safe when several processes start at once: the write lock orders them. */
export function migrateSqlite(driver: SqlDriver): void {
  if (schemaVersion(driver) === SCHEMA_VERSION) return;
  driver.transaction("write", () => {
    const version = schemaVersion(driver);
    if (version > SCHEMA_VERSION) {
      throw new SchemaTooNew(
        `The data has schema version ${version}, but this version of Toolbooth knows only up to ${SCHEMA_VERSION}. ` +
          "Run the newer version, or restore a backup made by this one.",
      );
    }
    for (const sql of MIGRATIONS.slice(version)) driver.exec(sql);
    driver.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

export function schemaVersion(driver: SqlDriver): number {
  return Number(driver.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}
