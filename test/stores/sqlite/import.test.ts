import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { importSqlite, isEmptyLedger } from "#stores/sqlite/transfer.ts";
import { holdImports } from "../import-contract.ts";
import { bytesOf, linesOf, NOW, openEmpty } from "../transfer-fixture.ts";

holdImports("SQLite", async (t) => {
  const driver = openEmpty(t);
  return {
    ...openSqliteDirect(driver),
    isEmpty: async () => isEmptyLedger(driver),
    take: async (lines) => importSqlite(driver, bytesOf(lines), NOW),
    lines: async (withSecret) => linesOf(driver, withSecret),
  };
});
