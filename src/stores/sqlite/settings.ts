import type { SqlDriver } from "./driver.ts";

/**
 * Returns the secret in a database; null if it contains none. Only a backup that was made with its secret has one.
 */
export function findStoredSecret(driver: SqlDriver): string | null {
  const row = driver.prepare("SELECT value FROM setting WHERE name = 'secret'").get();
  return row === undefined ? null : (row["value"] as string);
}

export function storeSecret(driver: SqlDriver, secret: string): void {
  driver
    .prepare(
      "INSERT INTO setting (name, value) VALUES ('secret', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )
    .run(secret);
}

/** Deletes the secret, and overwrites it in the file. */
export function dropStoredSecret(driver: SqlDriver): void {
  driver.exec("PRAGMA secure_delete = ON");
  driver.prepare("DELETE FROM setting WHERE name = 'secret'").run();
  driver.exec("PRAGMA secure_delete = OFF");
  // The log still has the page. While another process reads it, this does nothing.
  driver.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
}

/** The first characters of each active key, which tell with which secret the key was made. */
export const activeKeyStarts = (driver: SqlDriver): string[] =>
  driver
    .prepare("SELECT start FROM api_key WHERE revoked_at IS NULL")
    .all()
    .map(({ start }) => String(start));

export const hasKeys = (driver: SqlDriver): boolean =>
  driver.prepare("SELECT 1 FROM api_key LIMIT 1").get() !== undefined;
