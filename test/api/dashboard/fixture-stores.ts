/** The stores of the dashboard fixture. */

import type { ActivityLog } from "#accounts/activity-log.ts";
import type { AuthOptions } from "#accounts/auth-options.ts";
import type { Directory } from "#accounts/directory.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { EmailQueue } from "#email/email-queue.ts";
import type { EventStore } from "#events/event-store.ts";
import type { Ledger } from "#ledger/port.ts";
import { openSqliteDashboardStore } from "#stores/sqlite/dashboard.ts";
import type { SqlRow, SqlValue } from "#stores/sqlite/driver.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";

type Rows = (sql: string, ...values: SqlValue[]) => Promise<SqlRow[]>;

export type FixtureStore = {
  /** What one node has of it; several nodes may. */
  open(): {
    ledger: Ledger;
    directory: Directory;
    activityLog: ActivityLog;
    events: EventStore;
    emailQueue: EmailQueue;
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
  const driver = openNodeSqlite(":memory:");
  const rows = rowsOf(driver);
  return {
    open: () => openSqliteDashboardStore(driver),
    rows,
    ledgerRows: rows,
    tables: SQLITE_TABLES,
  };
}

/** Every column of every row that holds the text. */
export async function tracesOf(
  { rows, ledgerRows, tables }: FixtureStore,
  text: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const ask of rows === ledgerRows ? [rows] : [rows, ledgerRows]) {
    for (const { name } of await ask(tables)) {
      for (const row of await ask(`SELECT * FROM "${name}"`)) {
        for (const [column, value] of Object.entries(row))
          if (String(value).toLowerCase().includes(text.toLowerCase()))
            found.push(`${name}.${column}`);
      }
    }
  }
  return found;
}
