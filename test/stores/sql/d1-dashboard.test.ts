import assert from "node:assert/strict";
import { test } from "node:test";
import type { LedgerEvent } from "#ledger/events.ts";
import { d1Edge } from "#stores/schema/d1-migrations.ts";
import { createAccountIndex, listAccountOf } from "#stores/sql/account-index.ts";
import { createD1DashboardStore } from "#stores/sql/d1-dashboard.ts";
import { createD1Database } from "#stores/sql/d1-database.ts";
import { createDirectory } from "#stores/sql/directory.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { accountIndexContract } from "../../contract/account-index.ts";
import { activityLogContract } from "../../contract/activity-log.ts";
import { directoryContract } from "../../contract/directory.ts";
import { emailQueueContract } from "../../contract/email-queue.ts";
import { emailsOf, fillQueue } from "../../contract/email-queue-fixture.ts";
import { eventStoreContract } from "../../contract/event-store.ts";
import { jobQueueContract } from "../../contract/job-queue.ts";
import { insertAs, operatorActionsContract } from "../../contract/operator-actions.ts";
import { drawSample } from "../../support/sample.ts";
import { openD1 } from "./d1-fixture.ts";

/** The suites of every store, over D1 in workerd. A run takes a sample of them; TEST_EDGE=all takes all. */
async function open() {
  const { d1 } = openD1();
  return { ...createD1DashboardStore(d1), db: createD1Database(d1) };
}

const CONTRACTS = [
  () => directoryContract("in D1", open),
  () => activityLogContract("in D1", open),
  () => eventStoreContract("in D1", open),
  () => jobQueueContract("in D1", open),
  () =>
    accountIndexContract("in D1", async () => {
      const { db, directory } = await open();
      return { index: createAccountIndex(db), directory };
    }),
  () =>
    operatorActionsContract("in D1", async () => {
      const { db } = await open();
      return { actions: createOperatorActions(db), recordAs: insertAs(db) };
    }),
  () => emailQueueContract("in D1", openEmailQueue),
];
const takesAll = process.env["TEST_EDGE"] === "all";
for (const contract of drawSample("the stores in D1", CONTRACTS, 3, takesAll)) contract();

accountIndexContract("in SQLite", async (t) => {
  const driver = openNodeSqlite(":memory:");
  t.after(() => driver.close());
  driver.exec(d1Edge);
  const db = createSqliteDatabase(driver);
  const directory = createDirectory(db, { onRegister: listAccountOf });
  return { index: createAccountIndex(db), directory };
});

test("events that are forwarded twice are stored once, in order, until they are handled", async () => {
  const { forwardedEvents } = await open();
  const events = [3, 1, 2].map(
    (at): LedgerEvent => ({
      id: `evt_acc_1_${at}_1`,
      account: "acc_1",
      at,
      kind: "credits.depleted",
    }),
  );
  const [first, second, third] = events as [LedgerEvent, LedgerEvent, LedgerEvent];
  await forwardedEvents.add([first, second]);
  await forwardedEvents.add([second, third, second]);
  assert.deepEqual(await forwardedEvents.list({ max: 100 }), events);
  await forwardedEvents.settle([first, third]);
  assert.deepEqual(await forwardedEvents.list({ max: 100 }), [second]);
});

async function openEmailQueue() {
  const { emailQueue, jobs, db } = await open();
  return { queue: emailsOf({ emailQueue, jobs }), fill: (count: number) => fillQueue(db, count) };
}
