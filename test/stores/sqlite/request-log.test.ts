import { FREE_READ_TURNS } from "#accounts/read-turns.ts";
import { createRequestLog } from "#stores/sql/request-log.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { createSqliteRequestTables, REQUEST_LOG_MIGRATIONS } from "#stores/sqlite/request-log.ts";
import { requestLogContract } from "../../contract/request-log.ts";

requestLogContract("in SQLite", async (t, bounds) => {
  const driver = openNodeSqlite(":memory:", REQUEST_LOG_MIGRATIONS);
  t.after(() => driver.close());
  const tables = createSqliteRequestTables(driver);
  return createRequestLog(tables, {
    bounds,
    elapsed: () => 0,
    pause: async () => {},
    turns: FREE_READ_TURNS,
  });
});
