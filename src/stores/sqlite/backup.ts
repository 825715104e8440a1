import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Audit } from "#ledger/port.ts";
import { planMigrations, SchemaTooNew } from "../schema/migrations.ts";
import { insertSql, type SqlDriver, type SqlRow } from "./driver.ts";
import { isDamage, primaryCodeOf, SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_NOTADB } from "./faults.ts";
import {
  openNodeSqlite,
  openNodeSqliteCopy,
  openNodeSqliteReadOnly,
  SQLITE_MIGRATIONS,
} from "./node.ts";
import { createSqliteReads } from "./reads.ts";
import { findRowDamage } from "./row-checks.ts";
import { readSchema } from "./run-migrations.ts";
import { findStoredSecret, storeSecret } from "./settings.ts";

/**
 * Operations on a whole database file: copying it as of one moment, inspecting it, and replacing it by another one.
 *
 * SQLite stores these files next to a database. They must never be left next to a different database.
 */
export const SIDECARS = ["-wal", "-shm", "-journal"];

/**
 * Copies a database as of one moment into an empty file, while others read and write it. `secret` is added to the
 * copy. It is not synced to the disk.
 */
export function copySqlite(file: string, emptyFile: string, secret: string | null): void {
  // Read only, so that a copy that is made before an upgrade is not migrated.
  const driver = openNodeSqliteReadOnly(file);
  try {
    driver.prepare("VACUUM INTO ?").run(emptyFile);
  } finally {
    driver.close();
  }
  if (secret === null) return;
  const copy = openNodeSqliteCopy(emptyFile);
  try {
    storeSecret(copy, secret);
  } finally {
    copy.close();
  }
}

/** Reads all rows of a job queue, to add them to that of another file. */
export const readJobRows = (driver: SqlDriver): SqlRow[] =>
  driver.prepare("SELECT * FROM job").all();

/** Adds rows that `readJobRows` read. Jobs that are there already stay. */
export function addJobRows(driver: SqlDriver, rows: readonly SqlRow[]): void {
  driver.transaction("write", () => {
    for (const { no: _, ...row } of rows) {
      const sql = insertSql("job", Object.keys(row).join(","), 1, "ON CONFLICT DO NOTHING");
      driver.prepare(sql).run(...Object.values(row));
    }
  });
}

/** Rows of the ledger that do not match their checksums, for which the schema must be of this version. */
const findDamagedRows = (driver: SqlDriver): string[] => faultsOf(driver, [findRowDamage]);

/** Damaged pages and indexes, and rows with missing references. */
const findDamage = (driver: SqlDriver): string[] => faultsOf(driver, [findPageDamage, findOrphans]);

/** A check that damage ends is a fault, and the next one follows. */
function faultsOf(driver: SqlDriver, checks: ((driver: SqlDriver) => string[])[]): string[] {
  const faults = checks.flatMap((check) => {
    try {
      return check(driver);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return [(error as Error).message];
    }
  });
  return [...new Set(faults)];
}

function findPageDamage(driver: SqlDriver): string[] {
  const found = driver.prepare("PRAGMA integrity_check(20)").all();
  // A line may have several, separated by line feeds.
  const lines = found.flatMap((row) => String(row["integrity_check"]).split("\n"));
  return lines.filter((line) => line !== "ok");
}

function findOrphans(driver: SqlDriver): string[] {
  const orphans = driver.prepare("PRAGMA foreign_key_check").all();
  return orphans.length > 0
    ? [`${orphans.length} rows refer to an account that does not exist`]
    : [];
}

export type Inspection = {
  /** Null if the totals were not checked, because the file is damaged or this version cannot use its schema. */
  audit: Audit | null;
  schemaVersion: number;
  /** Why this version may not use the file; null if it may. */
  tooNew: string | null;
  secretIncluded: boolean;
  /** The faults of the file; empty if it is intact. */
  damage: string[];
};

/**
 * Inspects the integrity, schema and totals of a file that no other process uses. If the schema is older, `migrate` decides
 * whether it is brought up to date; otherwise the file is only read, and the totals are not checked.
 */
export function inspectSqlite(file: string, now: number, migrate: boolean): Inspection {
  const inspection: Inspection = {
    audit: null,
    schemaVersion: 0,
    tooNew: null,
    secretIncluded: false,
    damage: [],
  };
  try {
    const reader = openNodeSqliteReadOnly(file);
    let isCurrent: boolean;
    try {
      const schema = readSchema(reader);
      inspection.schemaVersion = schema.applied.at(-1)?.version ?? 0;
      if (inspection.schemaVersion > 0)
        inspection.secretIncluded = findStoredSecret(reader) !== null;
      isCurrent = planMigrations(SQLITE_MIGRATIONS, schema).length === 0;
      const damage = findDamage(reader);
      inspection.damage = [...damage, ...(isCurrent ? findDamagedRows(reader) : [])];
      if (damage.length > 0) return inspection;
    } finally {
      reader.close();
    }
    // Where only rows are damaged, the totals say what that changed.
    const isOurs = inspection.schemaVersion > 0;
    if (!isOurs || !(isCurrent || migrate)) return inspection;
    const driver = isCurrent ? openNodeSqliteReadOnly(file) : openNodeSqlite(file);
    try {
      inspection.audit = createSqliteReads(driver).audit({ now });
    } finally {
      driver.close();
    }
  } catch (error) {
    if (error instanceof SchemaTooNew) inspection.tooNew = error.message;
    else inspection.damage.push((error as Error).message);
  }
  return inspection;
}

/** Another process has the database open, or it is so damaged that this cannot be determined (`unreadable`). Nothing was changed. */
export class DatabaseInUse extends Error {
  readonly unreadable: boolean;
  constructor(unreadable: boolean) {
    super(unreadable ? "The database cannot be read" : "Another process is using the database");
    this.unreadable = unreadable;
  }
}

/**
 * Replaces the database `file` by `newFile` in one step, and keeps the old database as `oldFile`. Returns whether there was an
 * old one. All files must be in one folder. `newFile` must be synced to the disk and have no sidecar files.
 *
 * No other process has the old database open, because a database leaves write-ahead mode only for its sole connection. The old
 * file stays in rollback mode and locked until the new one is in place. So a process that opened it a moment before finds that it
 * was moved (SQLITE_READONLY_DBMOVED) and cannot write. After a crash, `file` is either the complete old or the complete new
 * database.
 */
export function exchangeSqlite(
  file: string,
  newFile: string,
  oldFile: string,
  force: boolean,
): boolean {
  if (!existsSync(file)) {
    moveSidecars(file, oldFile);
    // A rename would overwrite a database that a server has created since.
    linkSync(newFile, file);
    rmSync(newFile);
    return false;
  }
  const lock = lockExclusively(file, force);
  try {
    linkSync(file, oldFile);
    moveSidecars(file, oldFile);
    renameSync(newFile, file);
  } finally {
    lock?.close();
  }
  return true;
}

/** Moves the sidecar files of a database that was not closed properly. A properly closed database has none. */
function moveSidecars(file: string, oldFile: string): void {
  const suffixes = SIDECARS.filter((suffix) => existsSync(file + suffix));
  for (const suffix of suffixes) linkSync(file + suffix, oldFile + suffix);
  for (const suffix of suffixes) rmSync(file + suffix);
}

/** Opens and locks a database as its only connection. Returns null if it is unreadable and `force` is set. */
function lockExclusively(file: string, force: boolean): DatabaseSync | null {
  const database = new DatabaseSync(file, { timeout: 1_000 });
  try {
    database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    // Another process may have opened it between the two statements. Then it is in write-ahead mode again.
    const mode = database.prepare("PRAGMA journal_mode").get()?.["journal_mode"];
    if (mode === "delete") return database;
  } catch (error) {
    const code = primaryCodeOf(error);
    const unreadable = code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
    if (!unreadable && code !== SQLITE_BUSY) {
      database.close();
      throw error;
    }
    database.close();
    if (unreadable && force) return null;
    throw new DatabaseInUse(unreadable);
  }
  database.close();
  throw new DatabaseInUse(false);
}

export type Ended = { sessions: number; links: number; emails: number; webhooks: number };

/**
 * Cleans up a database that is restored from a backup. Sessions and links of that time must not give access again. Emails and
 * webhooks that were waiting then, including those of pending events, were probably sent since. Webhook deliveries stay in their
 * owner's list, so that the owner can send them again.
 */
export function endRequests(driver: SqlDriver): Ended {
  return driver.transaction("write", () => {
    driver.prepare("DELETE FROM event").run();
    driver.prepare("DELETE FROM user_token").run();
    const ended = {
      sessions: driver.prepare("DELETE FROM user_session").run(),
      links: driver.prepare("DELETE FROM sign_in_attempt").run(),
      emails: driver
        .prepare("DELETE FROM job WHERE queue IN ('email', 'outbox') AND died_at IS NULL")
        .run(),
      webhooks: driver
        .prepare(
          `UPDATE webhook_delivery SET last_error = ? WHERE id IN (
             SELECT id FROM job WHERE queue = 'webhook' AND died_at IS NULL)`,
        )
        .run(RESTORED),
    };
    // Dead jobs too: retrying one would send something as old as the backup.
    driver.prepare("DELETE FROM job").run();
    return ended;
  });
}

const RESTORED =
  "The service was restored from a backup. This webhook may have been delivered before; send it again if it was not.";
