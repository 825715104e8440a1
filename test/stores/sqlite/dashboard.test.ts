import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { Kysely, sql } from "kysely";
import { createDashboardStores } from "#stores/sql/dashboard-stores.ts";
import { signInOverSqlite } from "#stores/sql/kysely.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite, SQLITE_MIGRATIONS } from "#stores/sqlite/node.ts";
import { runMigrations } from "#stores/sqlite/run-migrations.ts";
import { activityLogContract } from "../../contract/activity-log.ts";
import { emailQueueContract } from "../../contract/email-queue.ts";
import { emailsOf, fillQueue } from "../../contract/email-queue-fixture.ts";
import { eventStoreContract } from "../../contract/event-store.ts";
import { jobQueueContract } from "../../contract/job-queue.ts";
import { insertAs, operatorActionsContract } from "../../contract/operator-actions.ts";
import { purchaseStoreContract } from "../../contract/purchase-store.ts";
import { upgradeContract } from "../../contract/upgrade.ts";
import { openDashboardStoreOver } from "../../support/sqlite-stores.ts";

const START = Date.UTC(2026, 10, 21, 12);

async function open(t: TestContext) {
  const driver = openNodeSqlite(":memory:");
  t.after(() => driver.close());
  return { ...openDashboardStoreOver(driver), db: createSqliteDatabase(driver) };
}

activityLogContract("in SQLite", open);
upgradeContract("in SQLite", async (t) => {
  const driver = openNodeSqlite(":memory:", SQLITE_MIGRATIONS.slice(0, 1));
  t.after(() => driver.close());
  const db = createSqliteDatabase(driver);
  const { activityLog } = createDashboardStores(db);
  const upgrade = async () => runMigrations(driver, SQLITE_MIGRATIONS.slice(0, 2));
  return { db, activityLog, upgrade };
});
eventStoreContract("in SQLite", open);
jobQueueContract("in SQLite", open);
purchaseStoreContract("in SQLite", async (t) => (await open(t)).purchases);
emailQueueContract("in SQLite", async (t) => {
  const store = await open(t);
  return { queue: emailsOf(store), fill: (count) => fillQueue(store.db, count) };
});
operatorActionsContract("in SQLite", async (t) => {
  const { db } = await open(t);
  return { actions: createOperatorActions(db), recordAs: insertAs(db) };
});

type Tables = { setting: { name: string; value: string } };

test("statements return their rows or the number of changed rows", async () => {
  const driver = openNodeSqlite(":memory:");
  const kysely = new Kysely<Tables>({
    dialect: signInOverSqlite(createSqliteDatabase(driver)).dialect,
  });
  const value = "select, returning and with are words of this text";
  const made = await kysely
    .insertInto("setting")
    .values([
      { name: "a", value },
      { name: "b", value },
    ])
    .returning("name")
    .execute();
  assert.deepEqual(
    made.map(({ name }) => name),
    ["a", "b"],
  );
  const changed = await kysely.updateTable("setting").set({ value: "x" }).executeTakeFirst();
  assert.equal(Number(changed.numUpdatedRows), 2);
  const gone = await kysely.deleteFrom("setting").where("name", "=", "a").executeTakeFirst();
  assert.equal(Number(gone.numDeletedRows), 1);
  const { rows } = await sql<{ one: number }>`WITH t AS (SELECT 1 AS one) SELECT * FROM t`.execute(
    kysely,
  );
  assert.deepEqual(
    rows.map(({ one }) => one),
    [1],
  );
});

test("many concurrent operations of every kind are all carried out over one connection", async () => {
  const store = openDashboardStoreOver(openNodeSqlite(":memory:"));
  const kysely = new Kysely<Tables>({ dialect: store.signInDatabase.dialect });
  const work = Array.from({ length: 60 }, (_, turn) => {
    const account = `acc_${String(turn).padStart(12, "0")}`;
    return [
      store.ledger.openAccount({ account, freeCall: "open", now: START }),
      store.directory.register({ email: `${turn}@x.test`, account, createdAt: START }),
      kysely
        .insertInto("setting")
        .values({ name: `s${turn}`, value: "" })
        .execute(),
    ];
  });
  await Promise.all(work.flat());
  const settings = kysely.selectFrom("setting").selectAll().where("name", "like", "s%");
  assert.equal((await settings.execute()).length, 60);
  const { accounts } = await store.ledger.audit({ now: START });
  assert.equal(accounts, 60);
});

test("reads need no lock: reading an empty queue does not wait for a writer", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-dashboard-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "toolbooth.sqlite");
  const [one, other] = [openNodeSqlite(file), openNodeSqlite(file)];
  t.after(() => [one, other].map((driver) => driver.close()));
  const { jobs, directory } = openDashboardStoreOver(one);
  other.exec("BEGIN IMMEDIATE");
  const order = { now: START, leaseUntil: START + 1, max: 9 };
  const turns = { unprovenMax: 9 };
  assert.deepEqual(await jobs.take({ ...order, queues: ["email", "outbox"] }), { jobs: [] });
  assert.deepEqual(await jobs.take({ ...order, queues: ["webhook"], turns }), { jobs: [] });
  assert.equal(await directory.findByEmail({ email: "ada@x.test" }), null);
  other.exec("ROLLBACK");
});

test("a batch is carried out in full or not at all, and the next one is carried out after a fault", async () => {
  const driver = openNodeSqlite(":memory:");
  const db = createSqliteDatabase(driver);
  const add = (name: string) => ({
    sql: "INSERT INTO setting (name, value) VALUES (?, '') RETURNING name",
    values: [name],
  });
  const outcomes = await Promise.allSettled([
    db.batch([add("a"), add("b"), add("a")]),
    db.batch([add("a"), add("c")]),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "fulfilled"],
  );
  const [rows] = await db.batch([{ sql: "SELECT name FROM setting ORDER BY name", values: [] }]);
  assert.deepEqual(
    rows?.map(({ name }) => name),
    ["a", "c"],
  );
});
