import { chmodSync } from "node:fs";
import { DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { sqliteHolds } from "../schema/holds.ts";
import { sqliteImports, sqliteImportsByKind } from "../schema/imports.ts";
import type { Migration } from "../schema/migrations.ts";
import { sqlitePrices } from "../schema/own-prices.ts";
import { sqlitePasswordless } from "../schema/passwordless.ts";
import { sqliteDashboard } from "../schema/sqlite-dashboard.ts";
import { sqliteJobs } from "../schema/sqlite-jobs.ts";
import { sqliteLedger } from "../schema/sqlite-ledger.ts";
import type { SqlDriver, SqlRow, SqlStatement, SqlValue } from "./driver.ts";
import { CommitFailed } from "./faults.ts";
import { ROW_CHECKSUM, rowChecksum } from "./row-checksum.ts";
import { runMigrations } from "./run-migrations.ts";

/** The migrations of a node's file, in the order in which they run. Released migrations are never edited. */
export const SQLITE_MIGRATIONS: readonly Migration[] = [
  {
    name: "initial",
    sql: sqliteLedger + sqliteImports + sqliteJobs + sqliteDashboard,
    readableFrom: 1,
  },
  { name: "passwordless", sql: sqlitePasswordless, readableFrom: 2 },
  { name: "imports", sql: sqliteImportsByKind, readableFrom: 2 },
  { name: "holds", sql: sqliteHolds, readableFrom: 2 },
  { name: "prices", sql: sqlitePrices, readableFrom: 2 },
];

/** How long to wait for a lock, which an offline command or a database shell may hold. */
const BUSY_TIMEOUT_MS = 4_000;

/** Four times the size at which the log is copied into the database file. */
const WAL_KEPT_BYTES = 16 * 1024 * 1024;

/** Pages are cached when they are used, and what a query sorts stays in memory. */
const CACHES = "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;";

export type NodeSqlite = SqlDriver & { close(): void };

/**
 * Opens a database file with `node:sqlite` in write-ahead mode, and brings its schema up to date. Every commit is synced to the
 * disk before it returns (`synchronous=FULL`).
 */
export function openNodeSqlite(
  file: string,
  migrations = SQLITE_MIGRATIONS,
  busyTimeoutMs = BUSY_TIMEOUT_MS,
): NodeSqlite {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    // The file contains hashes of keys, and email addresses.
    if (file !== ":memory:") chmodSync(file, 0o600);
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
    );
    // SQLite keeps the log's file at its greatest size and overwrites it. After a reader has kept it from being emptied, it shrinks.
    database.exec(`PRAGMA journal_size_limit = ${WAL_KEPT_BYTES}`);
    database.exec(CACHES);
    const driver = createDriver(database);
    runMigrations(driver, migrations);
    return driver;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens a file for reading only. It does not migrate the schema or change the journal mode. */
export function openNodeSqliteReadOnly(file: string): NodeSqlite {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec(CACHES);
    return createDriver(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens a copy of a database for writing, without migrating its schema or changing its journal mode. */
export function openNodeSqliteCopy(file: string): NodeSqlite {
  return createDriver(new DatabaseSync(file));
}

/** Gives a connection as the stores know it. The schema and the settings of the connection stay as they are. */
export function createDriver(database: DatabaseSync): NodeSqlite {
  const statements = new Map<string, SqlStatement>();
  // BigInt, because damage can make a number too large for JavaScript's.
  database.function(ROW_CHECKSUM, CHECKSUM_OPTIONS, (...values) => rowChecksum(values.map(plain)));
  const begin = { write: database.prepare("BEGIN IMMEDIATE"), read: database.prepare("BEGIN") };
  const commit = database.prepare("COMMIT");
  /** SQLite rolls back by itself after some faults. A failure must not hide the original error. */
  function rollBack(): void {
    try {
      if (database.isTransaction) database.exec("ROLLBACK");
    } catch {}
  }
  return {
    prepare(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = wrap(database.prepare(sql));
        statements.set(sql, statement);
      }
      return statement;
    },
    exec: (sql) => database.exec(sql),
    checksum: rowChecksum,
    transaction(mode, body) {
      // An earlier ROLLBACK failed.
      if (database.isTransaction) database.exec("ROLLBACK");
      begin[mode].run();
      let result: ReturnType<typeof body>;
      try {
        result = body();
      } catch (error) {
        rollBack();
        throw error;
      }
      try {
        commit.run();
      } catch (error) {
        rollBack();
        throw mode === "write" ? new CommitFailed(error) : error;
      }
      return result;
    },
    close: () => database.close(),
  };
}

const CHECKSUM_OPTIONS = { deterministic: true, useBigIntArguments: true, varargs: true };

const plain = (value: SQLOutputValue): SqlValue =>
  typeof value === "bigint" ? Number(value) : value instanceof Uint8Array ? String(value) : value;

function wrap(statement: StatementSync): SqlStatement {
  return {
    get: (...values) => statement.get(...values) as SqlRow | undefined,
    all: (...values) => statement.all(...values) as SqlRow[],
    run: (...values) => Number(statement.run(...values).changes),
  };
}
