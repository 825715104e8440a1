import { chmodSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { SqlDriver, SqlRow, SqlStatement } from "./driver.ts";
import { SQLITE_MIGRATIONS } from "./migrate.ts";
import { runMigrations } from "./run-migrations.ts";

/** How long to wait for a lock that another process holds: the command line writes beside a running server. */
const BUSY_TIMEOUT_MS = 4_000;

export type NodeSqlite = SqlDriver & { close(): void };

/**
 * Opens a database file with `node:sqlite`, in write-ahead mode, every commit synced to the disk before it returns
 * (`synchronous=FULL`), and brings its schema up to date.
 */
export function openNodeSqlite(file: string, migrations = SQLITE_MIGRATIONS): NodeSqlite {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    // The file holds hashes of keys, addresses and the service's secret.
    if (file !== ":memory:") chmodSync(file, 0o600);
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
    );
    database.exec("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;");
    const driver = createDriver(database);
    runMigrations(driver, migrations);
    return driver;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens a file for reading only, as it is: no migration, no change of mode. */
export function openNodeSqliteReadOnly(file: string): NodeSqlite {
  return createDriver(new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }));
}

function createDriver(database: DatabaseSync): NodeSqlite {
  const statements = new Map<string, SqlStatement>();
  const begin = { write: database.prepare("BEGIN IMMEDIATE"), read: database.prepare("BEGIN") };
  const commit = database.prepare("COMMIT");
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
    transaction(mode, body) {
      begin[mode].run();
      try {
        const result = body();
        commit.run();
        return result;
      } catch (error) {
        // A full disk rolls back by itself; a second ROLLBACK would hide the first error.
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    close: () => database.close(),
  };
}

function wrap(statement: StatementSync): SqlStatement {
  return {
    get: (...values) => statement.get(...values) as SqlRow | undefined,
    all: (...values) => statement.all(...values) as SqlRow[],
    run: (...values) => Number(statement.run(...values).changes),
  };
}
