import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "#stores/sql/sql-database.ts";
import { endRequests } from "#stores/sqlite/backup.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import {
  ACCOUNT,
  deliveryIds,
  email,
  endpoint,
  lowEvent,
  START,
  withJobs,
} from "../../contract/event-store-fixture.ts";
import { openDashboardStoreOver } from "../../support/sqlite-stores.ts";

test("after a restore from a backup, no email or webhook is sent again, and owners can resend their webhooks", async (t) => {
  const driver = openNodeSqlite(":memory:");
  t.after(() => driver.close());
  const store = openDashboardStoreOver(driver);
  const { ledger } = store;
  const events = withJobs(store.events, store.jobs);
  await ledger.openAccount({ account: ACCOUNT, freeCall: "open", now: START });
  const grant = { kind: "operator", amount: 5, expiresAt: null, now: START } as const;
  await ledger.grant({ account: ACCOUNT, id: "g", ...grant });
  const at = endpoint({ kinds: ["credits.low"] });
  await events.addEndpoint({ endpoint: at });
  for (const each of [email(), null])
    await events.handle({
      ...{
        event: lowEvent(),
        email: each,
        webhookId: "evt_a",
        body: "{}",
        deliveryIds,
        now: START,
      },
    });
  const [taken] = await events.take({ now: START, leaseUntil: START + 1, max: 1 });
  assert.ok(taken);
  const recorded = { lastStatus: 204, lastError: null, dueAt: null, now: START };
  await events.recordTries([{ id: taken.id, take: taken.take, status: "delivered", ...recorded }]);
  assert.deepEqual(endRequests(driver), { sessions: 0, links: 0, emails: 1, webhooks: 1 });
  assert.deepEqual(await events.nextDue(), { at: null });
  assert.deepEqual(await store.jobs.nextDue({ queues: ["email", "outbox"] }), { at: null });
  assert.deepEqual(await store.ledgerEvents.list({ max: 9 }), []);
  const list = { account: ACCOUNT, endpoint: at.id };
  const [given, before] = await events.listDeliveries({ ...list, after: null, max: 9 });
  assert.deepEqual([given?.status, before?.status], ["failed", "delivered"]);
  assert.match(given?.lastError ?? "", /restored from a backup/);
  const again = { ...list, id: given?.id ?? "", newId: "dlv_again", now: START };
  assert.deepEqual(await events.sendAgain(again), { found: true, isRateLimited: false });
  assert.deepEqual(await events.nextDue(), { at: START });
  assert.deepEqual(await createSqliteDatabase(driver).batch([sql`SELECT 1 FROM event`]), [[]]);
});
