import type { SqlDriver } from "#stores/sqlite/driver.ts";

/** The data was written by a newer version of the service: older code would misread it, so it is left alone. */
export class SchemaTooNew extends Error {}

/**
 * Brings a schema up to date; its version is how many migrations have run. Safe when several processes start at once: the
 * write lock orders them. Whether there was anything to do.
 */
export function runMigrations(driver: SqlDriver, migrations: readonly string[]): boolean {
  const wanted = migrations.length;
  if (driver.schemaVersion.read() === wanted) return false;
  driver.transaction("write", () => {
    const version = driver.schemaVersion.read();
    if (version > wanted) {
      throw new SchemaTooNew(
        `The data has schema version ${version}, but this version of Toolbooth knows only up to ${wanted}. ` +
          "Run the newer version, or restore a backup made by this one.",
      );
    }
    for (const sql of migrations.slice(version)) driver.exec(sql);
    driver.schemaVersion.write(wanted);
  });
  return true;
}
