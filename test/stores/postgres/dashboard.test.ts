/** The contracts of the dashboard's stores, over PostgreSQL. */
import { after, type TestContext } from "node:test";
import { FREE_READ_TURNS } from "#accounts/read-turns.ts";
import type { OperatorAction } from "#operator/actions.ts";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { MIGRATIONS, migratePostgres } from "#stores/postgres/migrate.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createPostgresRequestDatabase } from "#stores/postgres/request-log.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import { createRequestLog } from "#stores/sql/request-log.ts";
import { sql } from "#stores/sql/sql-database.ts";
import { activityLogContract } from "../../contract/activity-log.ts";
import { createCleaner } from "../../contract/clean-database.ts";
import { directoryContract } from "../../contract/directory.ts";
import { emailQueueContract } from "../../contract/email-queue.ts";
import { emailsOf } from "../../contract/email-queue-fixture.ts";
import { eventStoreContract } from "../../contract/event-store.ts";
import { jobQueueContract } from "../../contract/job-queue.ts";
import { operatorActionsContract } from "../../contract/operator-actions.ts";
import { purchaseStoreContract } from "../../contract/purchase-store.ts";
import { requestLogContract } from "../../contract/request-log.ts";
import { upgradeContract } from "../../contract/upgrade.ts";
import { HANGS_MS } from "../../support/deadline.ts";
import { newDatabase, newEmptyDatabase } from "./fixture.ts";

const TABLES = `SELECT table_name AS name FROM information_schema.tables
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`;

async function openPool() {
  const pool = openPostgresPool(await newDatabase(), { max: 4, orderMs: HANGS_MS });
  const db = createPostgresDatabase(pool);
  return { pool, db, clean: createCleaner(db, TABLES) };
}
let shared: ReturnType<typeof openPool> | undefined;
after(async () => (await shared)?.pool.close());

async function openPostgres() {
  shared ??= openPool();
  const { pool, db, clean } = await shared;
  await clean();
  return { ...createPostgresDashboardStore(pool), pool, db };
}

directoryContract("in PostgreSQL", openPostgres);
activityLogContract("in PostgreSQL", openPostgres);
upgradeContract("in PostgreSQL", async (t) => {
  const pool = openPostgresPool(await newEmptyDatabase(), { max: 4 });
  t.after(() => pool.close());
  const { database: db, activityLog } = createPostgresDashboardStore(pool);
  await migratePostgres(pool, { migrations: MIGRATIONS.slice(0, 1) });
  const upgrade = () => migratePostgres(pool, { migrations: MIGRATIONS.slice(0, 2) });
  return { db, activityLog, upgrade };
});
eventStoreContract("in PostgreSQL", openPostgres);
jobQueueContract("in PostgreSQL", openPostgres);
purchaseStoreContract("in PostgreSQL", async () => (await openPostgres()).purchases);
operatorActionsContract("in PostgreSQL", async (t: TestContext) => {
  // The rules count on the first numbers of the rows.
  const { pool, db } = await openPool();
  t.after(() => pool.close());
  const actions = createOperatorActions(db);
  const recordAs = async (no: number, action: OperatorAction) => {
    await db.batch([
      { sql: `ALTER TABLE operator_action ALTER COLUMN no RESTART WITH ${no}`, values: [] },
    ]);
    const { id } = await actions.start(action);
    await actions.end({ id, end: action });
  };
  return { actions, recordAs };
});
emailQueueContract("in PostgreSQL", async () => {
  const { emailQueue, jobs, db } = await openPostgres();
  const fill = async (count: number) => {
    await db.batch([
      sql`INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
          SELECT 'fill_' || no, 'email', 'key_created', no || '@example.org', '', '', 1e15, 1e15
          FROM generate_series(1, ${count}) no`,
    ]);
  };
  return { queue: emailsOf({ emailQueue, jobs }), fill };
});
requestLogContract("in PostgreSQL", async (_, bounds) => {
  const { pool } = await openPostgres();
  return createRequestLog(createPostgresRequestDatabase(pool), {
    ...{ bounds, elapsed: () => 0, pause: async () => {}, turns: FREE_READ_TURNS },
  });
});
