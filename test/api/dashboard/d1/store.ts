import { createD1DashboardStore } from "#stores/sql/d1-dashboard.ts";
import type { D1 } from "#stores/sql/d1-database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openD1 } from "../../../stores/sql/d1-fixture.ts";
import { openSqliteDirect } from "../../../support/sqlite-direct.ts";
import { type FixtureStore, rowsOf, SQLITE_TABLES } from "../fixture-stores.ts";

/** D1 in workerd. At the edge each account's ledger is an object's; here one of SQLite stands for them all. */
export function d1Store(wrap: (d1: D1) => D1 = (d1) => d1): FixtureStore {
  const { d1, rows } = openD1();
  const wrapped = wrap(d1);
  const driver = openNodeSqlite(":memory:");
  return {
    open: () => ({ ...createD1DashboardStore(wrapped), ledger: openSqliteDirect(driver).ledger }),
    rows,
    ledgerRows: rowsOf(driver),
    tables: SQLITE_TABLES,
  };
}
