/** The stores of the dashboard fixture. */

import type { ActivityLog } from "#accounts/activity-log.ts";
import type { AuthOptions } from "#accounts/auth-options.ts";
import type { Directory } from "#accounts/directory.ts";
import { FREE_READ_TURNS } from "#accounts/read-turns.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { EmailQueue } from "#email/email-queue.ts";
import type { EventStore } from "#events/event-store.ts";
import type { Ledger } from "#ledger/port.ts";
import { REQUEST_LOG_MIGRATIONS } from "#stores/schema/requests.ts";
import { createRequestLog } from "#stores/sql/request-log.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import type { SqlRow, SqlValue } from "#stores/sqlite/driver.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { openMemorySqlite } from "../../support/memory-sqlite.ts";
import { openDashboardStoreOver } from "../../support/sqlite-stores.ts";

type Rows = (sql: string, ...values: SqlValue[]) => Promise<SqlRow[]>;

export type FixtureStore = {
  /** What one node has of it; several nodes may. */
  open(): {
    ledger: Ledger;
    directory: Directory;
    activityLog: ActivityLog;
    emailQueue: EmailQueue;
    events: EventStore;
    purchases: PurchaseStore;
    signInDatabase: AuthOptions["database"];
    rethrowDatabaseErrors?: AuthOptions["rethrowDatabaseErrors"];
  };
  rows: Rows;
  ledgerRows: Rows;
  /** Gives the name of each table. */
  tables: string;
};

export const SQLITE_TABLES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'";

export const rowsOf =
  (driver: NodeSqlite): Rows =>
  async (sql, ...values) =>
    driver.prepare(sql).all(...values);

export function sqliteStore(): FixtureStore {
  const driver = openMemorySqlite();
  const rows = rowsOf(driver);
  return {
    open: () => openDashboardStoreOver(driver),
    rows,
    ledgerRows: rows,
    tables: SQLITE_TABLES,
  };
}

/** A request log of its own, and the database that it is in. */
export function openRequestLog(bounds = { keptDays: 7, keptMax: 1_000 }) {
  const driver = openMemorySqlite(REQUEST_LOG_MIGRATIONS);
  const requestLog = createRequestLog(createSqliteDatabase(driver), {
    ...{ bounds, elapsed: () => 0, pause: async () => {}, turns: FREE_READ_TURNS },
  });
  return { driver, requestLog };
}

export type Cell = { column: string; value: unknown };

/** Every value in the database, with its table and column. */
export async function cellsOf({ rows, ledgerRows, tables }: FixtureStore): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const ask of new Set([rows, ledgerRows])) {
    for (const { name } of await ask(tables)) {
      for (const row of await ask(`SELECT * FROM "${name}"`)) {
        for (const [column, value] of Object.entries(row))
          cells.push({ column: `${name}.${column}`, value });
      }
    }
  }
  return cells;
}

/** The columns whose values contain the text. */
export const tracesIn = (cells: readonly Cell[], text: string): string[] =>
  cells
    .filter(({ value }) => String(value).toLowerCase().includes(text.toLowerCase()))
    .map(({ column }) => column);
