import { createD1DashboardStore } from "#stores/sql/d1-dashboard.ts";
import type { D1 } from "#stores/sql/d1-database.ts";
import { openD1 } from "../../../stores/sql/d1-fixture.ts";
import { openMemorySqlite } from "../../../support/memory-sqlite.ts";
import { openSqliteDirect } from "../../../support/sqlite-direct.ts";
import { type FixtureStore, rowsOf, SQLITE_TABLES } from "../fixture-stores.ts";

/** D1 in workerd. At the edge each account's ledger is an object's; here one of SQLite stands for them all. */
export function d1Store(wrap: (d1: D1) => D1 = (d1) => d1): FixtureStore {
  const { d1, rows } = openD1();
  const wrapped = wrap(d1);
  const driver = openMemorySqlite();
  return {
    open: () => ({ ...createD1DashboardStore(wrapped), ledger: openSqliteDirect(driver).ledger }),
    rows,
    ledgerRows: rowsOf(driver),
    tables: SQLITE_TABLES,
  };
}
