import { before, type TestContext } from "node:test";
import type { OperatorAct } from "#operator/actions.ts";
import { createPostgresPeople } from "#stores/postgres/dashboard.ts";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createOperatorActs } from "#stores/sql/operator-actions.ts";
import { sql } from "#stores/sql/sql-database.ts";
import { journalContract } from "../../contract/activity-log.ts";
import { directoryContract } from "../../contract/directory.ts";
import { emailQueueContract } from "../../contract/email-queue.ts";
import { emailsOf } from "../../contract/email-queue-fixture.ts";
import { eventStoreContract } from "../../contract/event-store.ts";
import { jobQueueContract } from "../../contract/job-queue.ts";
import { operatorActsContract } from "../../contract/operator-actions.ts";
import { newDatabase } from "./fixture.ts";

/** The suites of every store about people, over PostgreSQL. */
before(async () => {
  // The server's start is no part of anybody's waiting for it.
  await newDatabase();
});

async function open(t: TestContext) {
  const pool = openPostgresPool(await newDatabase(), { max: 4 });
  t.after(() => pool.close());
  return { ...createPostgresPeople(pool), db: createPostgresDatabase(pool) };
}

directoryContract("in PostgreSQL", open);
journalContract("in PostgreSQL", open);
eventStoreContract("in PostgreSQL", open);
jobQueueContract("in PostgreSQL", open);
operatorActsContract("in PostgreSQL", async (t) => {
  const { db } = await open(t);
  const acts = createOperatorActs(db);
  const recordAs = async (no: number, act: OperatorAct) => {
    await db.batch([
      { sql: `ALTER TABLE operator_act ALTER COLUMN no RESTART WITH ${no}`, values: [] },
    ]);
    const { id } = await acts.start(act);
    await acts.end({ id, end: act });
  };
  return { acts, recordAs };
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
