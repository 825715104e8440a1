import assert from "node:assert/strict";
import { test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";
import { createFixture, HOUR, START } from "../../contract/ledger/fixture.ts";
import { CHANGED, INCOMPATIBLE, sha256Of, TOO_NEW } from "../other-version.ts";
import { openObjects } from "./fixture.ts";

/** Objects whose data this code cannot use. `test/apps/edge/releases.test.ts` has upgrades and rollbacks that work. */
const objects = openObjects();

const notCarriedOut = (sentence: RegExp) => (error: unknown) =>
  error instanceof NotCarriedOut && sentence.test(error.message);

test("an object that only a newer release can read rejects every operation as not carried out, says why, and keeps its alarm", async () => {
  const object = objects.object("incompatible");
  const fixture = createFixture(object);
  const account = await fixture.account("Ada", { credits: 9 });
  await fixture.debit(account);
  await objects.restart([INCOMPATIBLE]);
  assert.equal(await object.countRows("debit"), 1);
  await objects.restart();
  objects.log.length = 0;

  const rejection = notCarriedOut(TOO_NEW);
  await assert.rejects(fixture.debit(account, { callId: "call_2" }), rejection);
  await assert.rejects(fixture.balance(account), rejection);
  await assert.rejects(fixture.ledger.probe({ now: START }), rejection);
  const order = fixture.debitOrder(account, { callId: "call_3" });
  await assert.rejects(object.calls(100).debit(order, false), rejection);
  await assert.rejects(object.moves.beginImport({ account }), rejection);
  await assert.rejects(object.moves.finishImport({ account, now: START }), rejection);
  const told = objects.log.filter((line) => line.includes("This version cannot use the ledger"));
  assert.equal(told.length, 1, objects.log.join("\n"));
  assert.match(told[0] ?? "", TOO_NEW);
  await object.wake();
  const alarmAt = (await object.alarmAt()) ?? 0;
  assert.ok(alarmAt > Date.now() && alarmAt <= Date.now() + HOUR);

  await objects.restart([INCOMPATIBLE]);
  assert.deepEqual(await object.rows("SELECT id, credits FROM credit_grant"), [
    { id: "first", credits: 9 },
  ]);
});

test("a migration that differs from the one that ran is reported by name, and no operation is carried out", async () => {
  await objects.restart();
  const object = objects.object("edited");
  const fixture = createFixture(object);
  const account = await fixture.account("Ada", { credits: 9 });
  await object.rows("UPDATE schema_migration SET sha256 = 'other'");
  await objects.restart();
  await assert.rejects(fixture.debit(account), notCarriedOut(CHANGED));
  await object.rows(
    `UPDATE schema_migration SET sha256 = '${sha256Of(OBJECT_MIGRATIONS[0] as never)}'`,
  );
  await objects.restart();
  assert.equal(await fixture.balance(account), 9);
});

test("an object without recorded migrations rejects every operation and is left unchanged", async () => {
  await objects.restart();
  const object = objects.object("development");
  const fixture = createFixture(object);
  const account = await fixture.account("Ada", { credits: 9 });
  await object.rows("DROP TABLE schema_migration");
  await objects.restart();
  await assert.rejects(
    fixture.debit(account),
    notCarriedOut(/no record of migrations: a development version/),
  );
  assert.deepEqual(
    await object.rows("SELECT name FROM sqlite_schema WHERE name = 'schema_migration'"),
    [],
  );
});
