/** The contracts of the dashboard's stores, over D1 in workerd. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LedgerEvent } from "#ledger/events.ts";
import { D1_MIGRATIONS, d1Edge } from "#stores/schema/d1-migrations.ts";
import { createD1DashboardStore } from "#stores/sql/d1-dashboard.ts";
import { createD1Database } from "#stores/sql/d1-database.ts";
import { createAccountIndex, createDirectory, listAccountOf } from "#stores/sql/directory.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { accountIndexContract } from "../../contract/account-index.ts";
import { activityLogContract } from "../../contract/activity-log.ts";
import { createCleaner } from "../../contract/clean-database.ts";
import { directoryContract } from "../../contract/directory.ts";
import { emailQueueContract } from "../../contract/email-queue.ts";
import { emailsOf, fillQueue } from "../../contract/email-queue-fixture.ts";
import { eventStoreContract } from "../../contract/event-store.ts";
import { jobQueueContract } from "../../contract/job-queue.ts";
import { insertAs, operatorActionsContract } from "../../contract/operator-actions.ts";
import { purchaseStoreContract } from "../../contract/purchase-store.ts";
import { upgradeContract } from "../../contract/upgrade.ts";
import { openMemorySqlite } from "../../support/memory-sqlite.ts";
import { openD1, statementsOf } from "./d1-fixture.ts";

const TABLES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'";

function openDatabase() {
  const { d1 } = openD1();
  const db = createD1Database(d1);
  return { d1, db, clean: createCleaner(db, TABLES) };
}
let shared: ReturnType<typeof openDatabase> | undefined;

async function open() {
  shared ??= openDatabase();
  const { d1, db, clean } = shared;
  await clean();
  return { ...createD1DashboardStore(d1), db };
}

directoryContract("in D1", open);
activityLogContract("in D1", open);
upgradeContract("in D1", async () => {
  const [initial, passwordless] = D1_MIGRATIONS;
  if (initial === undefined || passwordless === undefined) throw new Error("No migrations");
  const { d1 } = openD1([initial]);
  const { database: db, activityLog } = createD1DashboardStore(d1);
  const upgrade = () => d1.batch(statementsOf([passwordless]).map((text) => d1.prepare(text)));
  return { db, activityLog, upgrade };
});
eventStoreContract("in D1", open);
jobQueueContract("in D1", open);
purchaseStoreContract("in D1", async () => (await open()).purchases);
accountIndexContract("in D1", async () => {
  const { db, directory } = await open();
  return { index: createAccountIndex(db), directory };
});
operatorActionsContract("in D1", async () => {
  // The rules count on the first numbers of the rows.
  const { db } = openDatabase();
  return { actions: createOperatorActions(db), recordAs: insertAs(db) };
});
emailQueueContract("in D1", async () => {
  const { emailQueue, jobs, db } = await open();
  return { queue: emailsOf({ emailQueue, jobs }), fill: (count) => fillQueue(db, count) };
});

accountIndexContract("in SQLite", async (t) => {
  const driver = openMemorySqlite();
  t.after(() => driver.close());
  driver.exec(d1Edge);
  const db = createSqliteDatabase(driver);
  const directory = createDirectory(db, { onRegister: listAccountOf });
  return { index: createAccountIndex(db), directory };
});

test("events that are forwarded twice are stored once, in order, until they are handled", async () => {
  const { ledgerEvents: forwardedEvents } = await open();
  const events = [3, 1, 2].map(
    (at): LedgerEvent => ({
      ...{ id: `evt_acc_1_${at}_1`, account: "acc_1", at, kind: "credits.depleted" },
    }),
  );
  const [first, second, third] = events as [LedgerEvent, LedgerEvent, LedgerEvent];
  await forwardedEvents.add([first, second]);
  await forwardedEvents.add([second, third, second]);
  assert.deepEqual(await forwardedEvents.list({ max: 100 }), events);
  await forwardedEvents.settle([first, third]);
  assert.deepEqual(await forwardedEvents.list({ max: 100 }), [second]);
});
