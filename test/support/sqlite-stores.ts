import { withSummedUsage } from "#stores/ledger/store-ledger.ts";
import { createSqliteDashboardStore } from "#stores/sqlite/dashboard.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import type { SqlDriver } from "#stores/sqlite/driver.ts";
import { openSqliteDirect } from "./sqlite-direct.ts";

/** The stores of the dashboard and the ledger over one connection, for tests without threads. */
export function openDashboardStoreOver(driver: SqlDriver) {
  const { ledger, sumUsage } = openSqliteDirect(driver);
  return createSqliteDashboardStore(
    createSqliteDatabase(driver),
    withSummedUsage(ledger, sumUsage),
  );
}
