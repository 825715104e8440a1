import assert from "node:assert/strict";
import { test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";
import { createFixture, HOUR, START } from "../../contract/ledger/fixture.ts";
import { CHANGED, INCOMPATIBLE, sha256Of, TOO_NEW } from "../other-version.ts";
import { consoleOfObjects, openObject } from "./fixture.ts";

/** Objects whose data this code cannot use. `test/apps/edge/releases.test.ts` has upgrades and rollbacks that work. */
async function openAccount() {
  const object = openObject();
  const fixture = createFixture(object);
  const account = await fixture.account("Ada", { credits: 9 });
  return { object, fixture, account };
}

const notCarriedOut = (sentence: RegExp) => (error: unknown) =>
  error instanceof NotCarriedOut && sentence.test(error.message);

test("an object that only a newer release can read rejects every operation as not carried out, logs why, and keeps its alarm", async () => {
  const { object, fixture, account } = await openAccount();
  await fixture.debit(account);
  await object.restart({ migrations: [INCOMPATIBLE] });
  assert.equal(await object.countRows("debit"), 1);
  await object.restart();
  const log = await consoleOfObjects();
  const logged = log.length;

  const rejection = notCarriedOut(TOO_NEW);
  await assert.rejects(fixture.debit(account, { callId: "call_2" }), rejection);
  await assert.rejects(fixture.balance(account), rejection);
  await assert.rejects(fixture.ledger.probe({ now: START }), rejection);
  const order = fixture.debitOrder(account, { callId: "call_3" });
  await assert.rejects(object.calls(100).debit(order, false), rejection);
  await assert.rejects(object.moves.beginImport({ account }), rejection);
  await assert.rejects(object.moves.finishImport({ account, now: START }), rejection);
  const lines = log.slice(logged).filter((line) => line.includes("cannot use the ledger"));
  assert.equal(lines.length, 1, lines.join("\n"));
  assert.match(lines[0] ?? "", TOO_NEW);
  await object.wake();
  const alarmAt = (await object.alarmAt()) ?? 0;
  assert.ok(alarmAt > Date.now() && alarmAt <= Date.now() + HOUR);

  await object.restart({ migrations: [INCOMPATIBLE] });
  assert.deepEqual(await object.rows("SELECT id, credits FROM credit_grant"), [
    { id: "first", credits: 9 },
  ]);
  await object.restart();
});

test("a migration that differs from the one that ran is reported by name, and no operation is carried out", async () => {
  const { object, fixture, account } = await openAccount();
  await object.rows("UPDATE schema_migration SET sha256 = 'other' WHERE version = 1");
  await object.restart();
  await assert.rejects(fixture.debit(account), notCarriedOut(CHANGED));
  const { 0: first } = OBJECT_MIGRATIONS;
  await object.rows(
    `UPDATE schema_migration SET sha256 = '${sha256Of(first as never)}' WHERE version = 1`,
  );
  await object.restart();
  assert.equal(await fixture.balance(account), 9);
});

test("an object without recorded migrations rejects every operation and is left unchanged", async () => {
  const { object, fixture, account } = await openAccount();
  await object.rows("DROP TABLE schema_migration");
  await object.restart();
  const rejection = notCarriedOut(/no record of migrations: a development version/);
  await assert.rejects(fixture.debit(account), rejection);
  const tables = await object.rows(
    "SELECT name FROM sqlite_schema WHERE name = 'schema_migration'",
  );
  assert.deepEqual(tables, []);
});
