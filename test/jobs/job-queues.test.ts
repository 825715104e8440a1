import { createJobQueue } from "#stores/sql/jobs.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { jobQueueContract } from "../contract/job-queue.ts";

jobQueueContract("in SQLite", async (t) => {
  const driver = openNodeSqlite(":memory:");
  t.after(() => driver.close());
  return { jobs: createJobQueue(createSqliteDatabase(driver)) };
});
