import { createSqliteDashboardStore } from "#stores/sqlite/dashboard.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import type { SqlDriver } from "#stores/sqlite/driver.ts";
import { openSqliteDirect } from "./sqlite-direct.ts";

/** The stores of the dashboard and the ledger over one connection, for tests without threads. */
export const openDashboardStoreOver = (driver: SqlDriver) =>
  createSqliteDashboardStore(createSqliteDatabase(driver), openSqliteDirect(driver).ledger);
