import assert from "node:assert/strict";
import { test } from "node:test";
import { LETTERS_BEFORE_CREDITS_WAIT } from "#email/bounds.ts";
import type { EventContent } from "#ledger/events.ts";
import { DAY_MS } from "#limits.ts";
import { sql } from "#stores/sql/sql-database.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { createTurns } from "#stores/sqlite/turns.ts";
import { fillLetters } from "../contract/event-store-fixture.ts";
import { ACCOUNT, lowNotice, openNotices, type Scene, START } from "./event-fixture.ts";

/** Notices while the queue has no room for letters about credits. */
const KEY_CREATED: EventContent = {
  kind: "key.created",
  key: { id: "key_1", label: "prod", start: "tb_AbC" },
};
const EXPIRING: EventContent = {
  kind: "credits.expiring",
  days: 7,
  grant: { id: "starter:x", kind: "starter", remaining: 80, expiresAt: START + 6 * DAY_MS },
};

const put = ({ unsettled }: Scene, content: EventContent) => {
  const id = `ntc_${ACCOUNT}_${START}_put${unsettled.length}`;
  unsettled.push({ id, account: ACCOUNT, at: START, ...content });
};

async function openFull() {
  const scene = await openNotices();
  const db = createSqliteDatabase(scene.driver, createTurns());
  await fillLetters(db, LETTERS_BEFORE_CREDITS_WAIT);
  return { ...scene, makeRoom: () => db.batch([sql`DELETE FROM job`]) };
}

test("while the queue is full notices with a letter wait in the ledger, and hold up no others", async () => {
  const scene = await openFull();
  const endpoint = await scene.addEndpoint({ kinds: ["credits.low", "key.created"] });
  scene.unsettled.push(lowNotice());
  for (const content of [EXPIRING, KEY_CREATED]) put(scene, content);
  assert.deepEqual(await scene.carryOn(), { carried: 1, more: false });
  assert.deepEqual(
    scene.unsettled.map(({ kind }) => kind),
    ["credits.low", "credits.expiring"],
  );
  const told = async () => (await scene.log(endpoint)).map(({ kind }) => kind);
  assert.deepEqual(await told(), ["key.created"]);
  const complaint = "Letters about credits wait, for the queue of letters is full";
  assert.deepEqual(scene.complaints, [complaint]);
  await scene.makeRoom();
  scene.clock.now += 60_000;
  assert.deepEqual(await scene.carryOn(), { carried: 2, more: false });
  assert.deepEqual(await told(), ["credits.low", "key.created"]);
  assert.deepEqual(
    (await scene.letters()).map(({ kind }) => kind),
    ["credits_low", "credits_expiring"],
  );
  assert.deepEqual(scene.complaints, [complaint]);
});

test("where more wait than a round takes, it ends, and the next one begins behind them", async () => {
  const scene = await openFull();
  for (let times = 0; times < 120; times += 1) scene.unsettled.push(lowNotice());
  assert.deepEqual(await scene.carryOn(), { carried: 0, more: false });
  put(scene, KEY_CREATED);
  assert.deepEqual(await scene.carryOn(), { carried: 1, more: false });
  assert.equal(scene.unsettled.length, 120);
});
