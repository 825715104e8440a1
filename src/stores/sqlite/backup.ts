import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Audit } from "#ledger/port.ts";
import { planMigrations, SchemaTooNew } from "../schema/migrations.ts";
import type { SqlDriver } from "./driver.ts";
import { SQLITE_MIGRATIONS } from "./migrate.ts";
import { openNodeSqlite, openNodeSqliteReadOnly } from "./node.ts";
import { createSqliteReads } from "./reads.ts";
import { readSchema } from "./run-migrations.ts";

/**
 * The database file as a whole: a copy of it as of one moment, what a file holds, and the exchange of one file for
 * another. What SQLite keeps beside a database belongs to it: never is a file left beside a database of another.
 */
export const SIDECARS = ["-wal", "-shm", "-journal"];

/** Writes one consistent snapshot into an empty file, while others read and write. It is not synced yet. */
export function copySqlite(file: string, emptyFile: string): void {
  // Read only: a copy made before an upgrade must not be the upgrade.
  const driver = openNodeSqliteReadOnly(file);
  try {
    driver.prepare("VACUUM INTO ?").run(emptyFile);
  } finally {
    driver.close();
  }
}

/** What SQLite finds wrong with a database: pages, indexes, rows that name what is not there. */
export function checkIntegrity(driver: SqlDriver): string[] {
  const found = driver
    .prepare("PRAGMA integrity_check(20)")
    .all()
    .map((row) => String(row["integrity_check"]));
  const lost = driver.prepare("PRAGMA foreign_key_check").all();
  return [
    ...found.filter((line) => line !== "ok"),
    ...(lost.length > 0 ? [`${lost.length} rows name an account that is not there`] : []),
  ];
}

export type Inspection = {
  /** Null if the totals were not checked: the file is damaged, or this version cannot use its schema. */
  audit: Audit | null;
  schemaVersion: number;
  /** Why this version may not use the file; null if it may. */
  tooNew: string | null;
  secretIncluded: boolean;
  /** What is wrong with the file; empty for a good one. */
  damage: string[];
};

/**
 * Looks over a file that nobody else uses: integrity, schema, books. It is only read, unless its schema is older and
 * `migrate` allows to bring it up to date; where it does not, the books are not looked at.
 */
export function inspectSqlite(file: string, now: number, migrate: boolean): Inspection {
  const looked: Inspection = {
    audit: null,
    schemaVersion: 0,
    tooNew: null,
    secretIncluded: false,
    damage: [],
  };
  let isCurrent = false;
  try {
    const reader = openNodeSqliteReadOnly(file);
    try {
      looked.damage.push(...checkIntegrity(reader));
      const schema = readSchema(reader);
      looked.schemaVersion = schema.applied.at(-1)?.version ?? 0;
      if (looked.schemaVersion > 0) looked.secretIncluded = findSecret(reader) !== null;
      isCurrent = planMigrations(SQLITE_MIGRATIONS, schema).length === 0;
    } finally {
      reader.close();
    }
    const isOurs = looked.schemaVersion > 0;
    if (looked.damage.length > 0 || !isOurs || !(isCurrent || migrate)) return looked;
    const driver = isCurrent ? openNodeSqliteReadOnly(file) : openNodeSqlite(file);
    try {
      looked.audit = createSqliteReads(driver).audit({ now });
    } finally {
      driver.close();
    }
  } catch (error) {
    if (error instanceof SchemaTooNew) looked.tooNew = error.message;
    else looked.damage.push((error as Error).message);
  }
  return looked;
}

/** The secret that is kept with the data, or null where the service is given one from outside. */
export function findSecret(driver: SqlDriver): string | null {
  const row = driver.prepare("SELECT value FROM setting WHERE name = 'secret'").get();
  return row === undefined ? null : (row["value"] as string);
}

/** Somebody has the database open, or (`unreadable`) it is so damaged that nobody can tell. Nothing was changed. */
export class DatabaseInUse extends Error {
  readonly unreadable: boolean;
  constructor(unreadable: boolean) {
    super(unreadable ? "The database cannot be read" : "The database is in use");
    this.unreadable = unreadable;
  }
}

/**
 * Puts `fresh` in the place of the database `file`, in one step, and keeps the old one as `aside`. Returns whether
 * there was an old one. Both files must be in one folder; `fresh` must be synced and have nothing beside it.
 *
 * It is known that nobody has the old one open, because a database leaves write-ahead mode only for its sole
 * connection. The old file stays in rollback mode, locked until the new one is in place: a process that opened it a
 * moment before finds that it was moved (SQLITE_READONLY_DBMOVED) and cannot write. A crash leaves the old file or
 * the new one under the name, complete.
 */
export function exchangeSqlite(
  file: string,
  fresh: string,
  aside: string,
  force: boolean,
): boolean {
  if (!existsSync(file)) {
    setAsideBeside(file, aside);
    // Not a rename: a database that a server has made meanwhile must not be lost.
    linkSync(fresh, file);
    rmSync(fresh);
    return false;
  }
  const lock = takeAlone(file, force);
  try {
    linkSync(file, aside);
    setAsideBeside(file, aside);
    renameSync(fresh, file);
  } finally {
    lock?.close();
  }
  return true;
}

/** Keeps what lies beside a database that was not closed well; after a good one's last connection there is nothing. */
function setAsideBeside(file: string, aside: string): void {
  const beside = SIDECARS.filter((suffix) => existsSync(file + suffix));
  for (const suffix of beside) linkSync(file + suffix, aside + suffix);
  for (const suffix of beside) rmSync(file + suffix);
}

/** The only connection to a database, holding it locked; null for an unreadable one where that is allowed. */
function takeAlone(file: string, force: boolean): DatabaseSync | null {
  const database = new DatabaseSync(file, { timeout: 1_000 });
  try {
    database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    // Somebody may have come between the two: then it is in write-ahead mode again.
    const mode = database.prepare("PRAGMA journal_mode").get()?.["journal_mode"];
    if (mode === "delete") return database;
  } catch (error) {
    const code = Number((error as { errcode?: number }).errcode) & 0xff;
    const unreadable = code === 11 || code === 26; // SQLITE_CORRUPT, SQLITE_NOTADB
    if (!unreadable && code !== 5) {
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
