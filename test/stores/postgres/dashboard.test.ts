import { before, type TestContext } from "node:test";
import { FREE_READ_TURNS } from "#accounts/read-turns.ts";
import type { OperatorAction } from "#operator/actions.ts";
import { createPostgresDashboardStore } from "#stores/postgres/dashboard.ts";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createPostgresRequestTables } from "#stores/postgres/request-log.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import { createRequestLog } from "#stores/sql/request-log.ts";
import { sql } from "#stores/sql/sql-database.ts";
import { activityLogContract } from "../../contract/activity-log.ts";
import { directoryContract } from "../../contract/directory.ts";
import { emailQueueContract } from "../../contract/email-queue.ts";
import { emailsOf } from "../../contract/email-queue-fixture.ts";
import { eventStoreContract } from "../../contract/event-store.ts";
import { jobQueueContract } from "../../contract/job-queue.ts";
import { operatorActionsContract } from "../../contract/operator-actions.ts";
import { requestLogContract } from "../../contract/request-log.ts";
import { newDatabase } from "./fixture.ts";

/** The dashboard suites of every store, over PostgreSQL. */
before(async () => {
  // The server's start is no part of anybody's waiting for it.
  await newDatabase();
});

async function open(t: TestContext) {
  const pool = openPostgresPool(await newDatabase(), { max: 4 });
  t.after(() => pool.close());
  return { ...createPostgresDashboardStore(pool), db: createPostgresDatabase(pool) };
}

directoryContract("in PostgreSQL", open);
activityLogContract("in PostgreSQL", open);
eventStoreContract("in PostgreSQL", open);
jobQueueContract("in PostgreSQL", open);
operatorActionsContract("in PostgreSQL", async (t) => {
  const { db } = await open(t);
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
emailQueueContract("in PostgreSQL", async (t) => {
  const { emailQueue, jobs, db } = await open(t);
  const fill = async (count: number) => {
    await db.batch([
      sql`INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
          SELECT 'fill_' || no, 'email', 'key_created', no || '@example.org', '', '', 1e15, 1e15
          FROM generate_series(1, ${count}) no`,
    ]);
  };
  return { queue: emailsOf({ emailQueue, jobs }), fill };
});
requestLogContract("in PostgreSQL", async (t, bounds) => {
  const pool = openPostgresPool(await newDatabase(), { max: 4 });
  t.after(() => pool.close());
  const tables = createPostgresRequestTables(pool);
  return createRequestLog(tables, {
    bounds,
    elapsed: () => 0,
    pause: async () => {},
    turns: FREE_READ_TURNS,
  });
});
