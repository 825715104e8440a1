import { createSqliteDashboardStore } from "#stores/sqlite/dashboard.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import type { SqlDriver } from "#stores/sqlite/driver.ts";

/** The stores of the dashboard and the ledger over one connection, for tests without threads. */
export const openDashboardStoreOver = (driver: SqlDriver) =>
  createSqliteDashboardStore(createSqliteDatabase(driver), openSqliteDirect(driver).ledger);
