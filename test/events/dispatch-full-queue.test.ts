import assert from "node:assert/strict";
import { test } from "node:test";
import { EMAILS_BEFORE_CREDITS_WAIT } from "#email/bounds.ts";
import type { EventContent } from "#ledger/events.ts";
import { DAY_MS } from "#limits.ts";
import { sql } from "#stores/sql/sql-database.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { fillEmails } from "../contract/event-store-fixture.ts";
import { ACCOUNT, type Fixture, lowEvent, openEvents, START } from "./event-fixture.ts";

/** Events while the queue has no space for emails about credits. */
const KEY_CREATED: EventContent = {
  kind: "key.created",
  key: { id: "key_1", label: "prod", start: "tb_AbC" },
};
const EXPIRING: EventContent = {
  kind: "credits.expiring",
  days: 7,
  grant: { id: "starter:x", kind: "starter", remaining: 80, expiresAt: START + 6 * DAY_MS },
};

const put = ({ unsettled }: Fixture, content: EventContent) => {
  const id = `evt_${ACCOUNT}_${START}_put${unsettled.length}`;
  unsettled.push({ id, account: ACCOUNT, at: START, ...content });
};

async function openFull() {
  const fixture = await openEvents();
  const db = createSqliteDatabase(fixture.driver);
  await fillEmails(db, EMAILS_BEFORE_CREDITS_WAIT);
  return { ...fixture, emptyQueue: () => db.batch([sql`DELETE FROM job`]) };
}

test("while the queue is full, events with an email wait in the ledger and do not hold up others", async () => {
  const fixture = await openFull();
  const endpoint = await fixture.addEndpoint({ kinds: ["credits.low", "key.created"] });
  fixture.unsettled.push(lowEvent());
  for (const content of [EXPIRING, KEY_CREATED]) put(fixture, content);
  assert.deepEqual(await fixture.dispatchEvents(), { dispatched: 1, more: false });
  assert.deepEqual(
    fixture.unsettled.map(({ kind }) => kind),
    ["credits.low", "credits.expiring"],
  );
  const delivered = async () => (await fixture.log(endpoint)).map(({ kind }) => kind);
  assert.deepEqual(await delivered(), ["key.created"]);
  const loggedError = "The email queue is full; emails about credits are waiting";
  assert.deepEqual(fixture.loggedErrors, [loggedError]);
  await fixture.emptyQueue();
  fixture.clock.now += 60_000;
  assert.deepEqual(await fixture.dispatchEvents(), { dispatched: 2, more: false });
  assert.deepEqual(await delivered(), ["credits.low", "key.created"]);
  assert.deepEqual(
    (await fixture.emails()).map(({ kind }) => kind),
    ["credits_low", "credits_expiring"],
  );
  assert.deepEqual(fixture.loggedErrors, [loggedError]);
});

test("when more events wait than a round handles, the next one starts behind them at once", async () => {
  const fixture = await openFull();
  for (let times = 0; times < 120; times += 1) fixture.unsettled.push(lowEvent());
  assert.deepEqual(await fixture.dispatchEvents(), { dispatched: 0, more: true });
  put(fixture, KEY_CREATED);
  assert.deepEqual(await fixture.dispatchEvents(), { dispatched: 1, more: false });
  assert.equal(fixture.unsettled.length, 120);
});
