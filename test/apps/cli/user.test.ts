import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { emailOfJob, emailSealer } from "#email/email-queue.ts";
import type { NewJob } from "#jobs/job-queue.ts";
import { openNodeRequestLog } from "../../../src/apps/node/request-log.ts";
import { readSecretFile } from "../../../src/apps/node/secret-file.ts";
import { anEntry, chunkOf, NOON } from "../../contract/request-log.ts";
import { HANGS_MS } from "../../support/deadline.ts";
import { type Json, temporaryFolder } from "./fixture.ts";
import { openFolderService } from "./folder-server.ts";

/** Emails to users about what an operator did to their account, and what restore does to sessions. */
const AT = "2026-11-21T10:00:00.000Z";

async function fixture(changed: Parameters<typeof openFolderService>[0] = {}) {
  const cli = await openFolderService(changed);
  const { dataDir } = cli;
  const sql = <Result>(act: (database: DatabaseSync) => Result): Result => {
    const database = new DatabaseSync(cli.database, { timeout: HANGS_MS });
    try {
      return act(database);
    } finally {
      database.close();
    }
  };
  const { id: account } = await cli.json("account create ada@b.co --credits 5");
  const signUp = () =>
    sql((database) =>
      database
        .prepare(
          `INSERT INTO users (id, name, email, emailVerified, createdAt, updatedAt, account)
           VALUES ('p1', '', 'ada@b.co', 1, ?, ?, ?)`,
        )
        .run(AT, AT, account),
    );
  const emails = (): Json[] =>
    sql((database) => database.prepare("SELECT * FROM job ORDER BY no").all());
  const events = (): Json[] =>
    sql((database) =>
      database.prepare("SELECT kind, detail, address FROM user_event ORDER BY no").all(),
    );
  return { cli, dataDir, sql, signUp, emails, events };
}

test("the email about a key names it, and has only its start", async () => {
  const { cli, dataDir, signUp, emails } = await fixture();
  signUp();
  const { key } = await cli.json("key create ada@b.co --label production");
  const [waiting, ...others] = emails();
  assert.deepEqual(others, []);
  assert.deepEqual([waiting.target, waiting.queue], ["ada@b.co", "outbox"]);
  const sealer = emailSealer(readSecretFile(dataDir) ?? []);
  const { text } = await emailOfJob(waiting as NewJob, sealer);
  assert.match(text, /production/);
  assert.match(text, /https:\/\/tools\.example\/settings\/api-keys/);
  assert.ok(!text.includes(key.slice(0, 30)));
});

test("exports an owner's data to files, and the owner sees it in the activity list", async () => {
  const dataDir = path.join(temporaryFolder(), "data");
  const requests = openNodeRequestLog(
    { dataDir },
    { bounds: { keptDays: 7, keptMax: 1_000 }, now: () => NOON, logError: assert.fail },
  );
  const { cli, signUp, events } = await fixture({ dataDir, changed: { requests: requests.log } });
  signUp();
  await cli.json("key create ada@b.co --label production");
  const { id: account } = (await cli.json("account list")).accounts[0];
  await requests.append([chunkOf(account, [anEntry()])]);
  const [file, entries] = ["ada.json", "ada.jsonl"].map((name) =>
    path.join(path.dirname(dataDir), name),
  );
  const order = `account export ada@b.co ${file} --entries ${entries}`;
  assert.equal((await cli.json(order)).file, file);
  const data = JSON.parse(readFileSync(file as string, "utf8"));
  assert.deepEqual([data.profile.email, data.apiKeys.length, data.complete], ["ada@b.co", 1, true]);
  assert.doesNotMatch(JSON.stringify(data), /sha256/i);
  const { at, ...entry } = anEntry();
  assert.deepEqual(data.requests, [{ ...entry, at: new Date(at).toISOString() }]);
  const lines = readFileSync(entries as string, "utf8")
    .trim()
    .split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).kind),
    ["grant", undefined],
  );
  assert.deepEqual(events().at(-1)?.detail, "by the operator");
  assert.match((await cli.run(order)).stderr, /already exists/);
  assert.equal((await cli.json(`${order} --force`)).email, "ada@b.co");
  assert.match(
    await cli.wrong(`account export ada@b.co ${file} --entries ${file} --force`),
    /--entries needs another file/,
  );
  await requests.close();
});

test("account reset-passkeys removes passkeys, ends sessions and tells the owner", async () => {
  const { cli, sql, signUp, emails, events } = await fixture();
  assert.match(await cli.refused("account reset-passkeys ada@b.co"), /Nobody has signed up/);
  signUp();
  sql((database) => {
    database.exec(`INSERT INTO user_passkey (id, userId, credentialID, publicKey, counter, deviceType, backedUp)
      VALUES ('k1', 'p1', 'c1', '', 0, 'singleDevice', 0);
      UPDATE users SET requiresPasskey = 1;
      INSERT INTO user_session (id, expiresAt, token, createdAt, updatedAt, userId)
      VALUES ('s1', '${AT}', 'token', '${AT}', '${AT}', 'p1')`);
  });
  const shown = await cli.run("account show ada@b.co");
  assert.match(shown.stdout, /; 1 passkey only$/m);
  const { id, ...outcome } = await cli.json("account reset-passkeys ada@b.co");
  assert.match(id as string, /^acc_/);
  assert.deepEqual(outcome, { email: "ada@b.co", passkeys: 1 });
  assert.deepEqual(
    events().map(({ kind }) => kind),
    ["passkeys_reset"],
  );
  assert.equal(emails().length, 1);
  await cli.json("account reset-passkeys ada@b.co");
  assert.equal(emails().length, 1, "nothing was removed the second time");
  const [user] = sql((database) => database.prepare("SELECT requiresPasskey FROM users").all());
  assert.equal(user?.["requiresPasskey"], 0);
});

test("account set-email moves the account, ends sessions and tells the old address, which can undo it", async () => {
  const { cli, sql, signUp, emails, events } = await fixture();
  signUp();
  const { stdout, stderr } = await cli.run("account set-email ada@b.co New@B.co");
  assert.match(
    stdout,
    /The account of ada@b\.co now has the address new@b\.co\. All sessions ended\./,
  );
  assert.match(stderr, /Queued an email to/);
  assert.deepEqual(
    events().map(({ kind, detail }) => [kind, detail]),
    [["email_changed", "new@b.co"]],
  );
  assert.deepEqual(
    emails().map(({ kind, target }) => [kind, target]),
    [
      ["address_changed", "ada@b.co"],
      ["email_changed", "new@b.co"],
    ],
  );
  const [undo] = sql((database) => database.prepare("SELECT * FROM sign_in_attempt").all());
  assert.deepEqual([undo?.["purpose"], undo?.["email"]], ["undo", "ada@b.co"]);
  assert.equal((await cli.json("account show new@b.co"))["email"], "new@b.co");
  const same = await cli.run("account set-email new@b.co new@b.co");
  assert.match(same.stdout, /already has the address new@b\.co/);
  await cli.json("account create bob@b.co");
  assert.match(
    await cli.refused("account set-email new@b.co bob@b.co"),
    /Another account has bob@b\.co/,
  );
  assert.match(await cli.refused("account set-email ada@b.co x@b.co"), /no account for ada@b\.co/i);
  const wrong = await cli.run("account set-email new@b.co nonsense");
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /<new email> must be a complete email address/);
  const { actions } = await cli.json("actions");
  assert.ok(actions.some(({ action }: Json) => action === "account set-email"));
});

test("an account that nobody signed up for gets no email", async () => {
  const { cli, emails } = await fixture();
  const { id } = await cli.json("key create ada@b.co --label production");
  await cli.json(`key revoke ${id}`);
  assert.equal((await cli.run("account close ada@b.co")).stderr, "");
  assert.deepEqual(emails(), []);
});

test("shows the key even if no email can be queued", async () => {
  const { cli, sql, signUp } = await fixture();
  signUp();
  sql((database) => database.exec("DROP TABLE email_requested; DROP TABLE job"));
  const { status, stdout, stderr } = await cli.run("key create ada@b.co --label production");
  assert.equal(status, 0);
  assert.match(stdout, /^tb_\w+\n/);
  assert.match(stderr, /Done, but no email to ada@b\.co could be queued/);
});

test("restore deletes sessions, links and emails of the backup, keeps users, and says what to revoke again", async () => {
  const { cli, sql, signUp, emails, dataDir } = await fixture();
  signUp();
  await cli.json("key create ada@b.co --label production");
  sql((database) => {
    database
      .prepare(
        "INSERT INTO user_session (id, expiresAt, token, createdAt, updatedAt, ipAddress, userAgent, userId) VALUES ('s1', ?, 'token', ?, ?, NULL, NULL, 'p1')",
      )
      .run(AT, AT, AT);
    database
      .prepare(
        "INSERT INTO sign_in_attempt VALUES ('t1', 'sign-in', 'ada@b.co', NULL, 'b', 'l', 'c', 0, ?, ?)",
      )
      .run(AT, AT);
  });
  const copy = path.join(path.dirname(dataDir), "copy.sqlite");
  await cli.json(`backup ${copy}`);
  await cli.stop();
  const { ended } = await cli.json(`restore ${copy}`);
  assert.deepEqual(ended, { sessions: 1, links: 1, emails: 1, webhooks: 0 });
  assert.deepEqual(emails(), []);
  const countRows = (table: string) =>
    sql((database) => database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
  assert.deepEqual(["user_session", "sign_in_attempt", "users"].map(countRows), [0, 0, 1]);
  const { stdout } = await cli.run(`restore ${copy}`);
  assert.match(stdout, /Users must sign in again\.\nKeys revoked, accounts closed/);
});
