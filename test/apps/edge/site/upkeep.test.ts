import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CODE,
  emailsTo,
  linkTo,
  newAddress,
  newIpAddress,
  until,
} from "../../../support/dashboard-site.ts";
import {
  call,
  createKey,
  edgeMember,
  openAccount,
  site,
  startSignIn,
  unexpectedLogs,
} from "./fixture.ts";

/** What cron does each minute, and what operators do. */
const ownAddress = () => ({ "CF-Connecting-IP": newIpAddress() });

test("an email that the provider rejected is sent by cron", async () => {
  site.provider.responses(503);
  const before = site.logs.length;
  const email = newAddress("late");
  assert.equal((await startSignIn(email, ownAddress())).status, 200);
  await until("the error in the log", () =>
    site.logs.slice(before).some((line) => /failed and will be retried/.test(line)),
  );
  site.provider.responses(200);
  assert.deepEqual(emailsTo(site, email), []);
  await site.sql(`UPDATE job SET due_at = 0 WHERE queue = 'email'`);
  await site.cron();
  assert.match(await linkTo(site, email, CODE), /\/sign-in\/link#/);
  assert.ok(!site.logs.some((line) => line.includes(email)), "the log contains no email address");
});

test("cron deletes expired attempts to sign in, every tenth minute", async () => {
  const email = newAddress("stale");
  assert.equal((await startSignIn(email, ownAddress())).status, 200);
  await site.sql(
    `UPDATE sign_in_attempt SET "expiresAt" = '2020-01-01T00:00:00.000Z' WHERE email = '${email}'`,
  );
  const found = async () =>
    (await site.sql(`SELECT id FROM sign_in_attempt WHERE email = '${email}'`)).length;
  const tenth = Math.floor(Date.now() / 600_000) * 600_000;
  await site.cron(tenth + 60_000);
  assert.equal(await found(), 1);
  await site.cron(tenth);
  assert.equal(await found(), 0);
});

test("emails the owner about an operator action at once, not at the next cron", async () => {
  const { account, email } = await edgeMember("owner");
  const before = emailsTo(site, email).length;
  await createKey(account);
  await until("the email", () => emailsTo(site, email).length === before + 1);
});

const remaining = (response: Response) => response.headers.get("credits-remaining");

test("cron reverses many stored calls of few accounts in one run, each once", async () => {
  const { account, key } = await openAccount(5);
  assert.equal((await call(key)).status, 200);
  for (const left of ["4", "3"]) assert.equal(remaining(await call(key)), left);
  // The first call was free.
  const made = await site.ledgerRows(account, "SELECT call_id, at FROM debit WHERE credits = 1");
  const stored = (made as { call_id: string; at: number }[]).map(
    ({ call_id: callId, at }) => `('${JSON.stringify({ account, callId, at })}')`,
  );
  await site.sql(
    `WITH RECURSIVE numbers (no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM numbers WHERE no < 700),
       calls (account, payload) AS (
         SELECT '${account}', column1 FROM (VALUES ${stored.join(", ")})
         UNION ALL
         SELECT a.column1, json_object('account', a.column1, 'callId', 'call_' || no, 'at', 1)
         FROM numbers, (VALUES ('${account}'), ('acc_of_nobody')) a)
     INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
     SELECT 'many' || row_number() OVER (), 'reversal', 'reverse-call', account, account, payload, 0, 0
     FROM calls`,
  );
  await site.cron();
  assert.deepEqual(await site.sql("SELECT * FROM job WHERE queue = 'reversal'"), []);
  assert.deepEqual(await site.sql("SELECT * FROM job_turn WHERE queue = 'reversal'"), []);
  assert.equal(remaining(await call(key)), String(3 + made.length - 1));
});

test("logs no error that no test causes", () => {
  assert.deepEqual(unexpectedLogs(), []);
});
