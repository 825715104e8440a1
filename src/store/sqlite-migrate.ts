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
export function migrateSqlite(driver: SqlDriver, migrations: readonly string[] = MIGRATIONS): void {
  const wanted = migrations.length;
  if (schemaVersion(driver) === wanted) return;
  driver.transaction("write", () => {
    const version = schemaVersion(driver);
    if (version > wanted) {
      throw new SchemaTooNew(
        `The data has schema version ${version}, but this version of Toolbooth knows only up to ${wanted}. ` +
          "Run the newer version, or restore a backup made by this one.",
      );
    }
    for (const sql of migrations.slice(version)) driver.exec(sql);
    driver.schemaVersion.write(wanted);
  });
}

export const schemaVersion = (driver: SqlDriver): number => driver.schemaVersion.read();
