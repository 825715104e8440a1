import { FREE_READ_TURNS } from "#accounts/read-turns.ts";
import { REQUEST_LOG_MIGRATIONS } from "#stores/schema/requests.ts";
import { createRequestLog } from "#stores/sql/request-log.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { requestLogContract } from "../../contract/request-log.ts";
import { openMemorySqlite } from "../../support/memory-sqlite.ts";

requestLogContract("in SQLite", async (t, bounds) => {
  const driver = openMemorySqlite(REQUEST_LOG_MIGRATIONS);
  t.after(() => driver.close());
  return createRequestLog(createSqliteDatabase(driver), {
    bounds,
    elapsed: () => 0,
    pause: async () => {},
    turns: FREE_READ_TURNS,
  });
});
