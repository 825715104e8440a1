/** The upgrade of accounts that had passwords or one-time passwords, for every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { ActivityLog } from "#accounts/activity-log.ts";
import { tellOwners } from "#accounts/tell-owners.ts";
import { createMail, emailSealer } from "#email/email-queue.ts";
import { type SqlDatabase, sql } from "#stores/sql/sql-database.ts";

/** A database with the schema before, and the step to this release. */
export type OpenBefore = (t: TestContext) => Promise<{
  db: SqlDatabase;
  upgrade(): Promise<unknown>;
  activityLog: ActivityLog;
}>;

const NOW = Date.UTC(2026, 10, 28, 12);
const at = new Date(NOW - 3_600_000).toISOString();

/** Users by what they had. `name` is also the id. */
const USERS: {
  name: string;
  verified?: boolean;
  had: ("password" | "totp" | "codes" | "passkey" | "github")[];
}[] = [
  { name: "password", had: ["password"] },
  { name: "both", had: ["password", "totp"] },
  { name: "complete", had: ["password", "totp", "passkey"] },
  // An authenticator app that was never confirmed: the row holds recovery codes.
  { name: "factor", had: ["password", "codes", "passkey"] },
  { name: "passkey", had: ["codes", "passkey"] },
  { name: "github", had: ["github"] },
  { name: "never", verified: false, had: ["password"] },
];

function insertUser({ name, verified = true, had }: (typeof USERS)[number]) {
  const [email, account] = [`${name}@example.com`, verified ? `acc_${name}` : null];
  const login = (provider: string, password: string | null) =>
    sql`INSERT INTO user_login (id, "accountId", "providerId", "userId", password, "createdAt", "updatedAt")
        VALUES (${`${name} ${provider}`}, ${name}, ${provider}, ${name}, ${password}, ${at}, ${at})`;
  const totp = (isConfirmed: number) =>
    sql`INSERT INTO user_totp (id, "userId", secret, "backupCodes", verified)
        VALUES (${name}, ${name}, 'a-sealed-secret', 'sealed-codes', ${isConfirmed} = 1)`;
  const rows = {
    password: () => login("credential", `hash of ${name}`),
    github: () => login("github", null),
    totp: () => totp(1),
    codes: () => totp(0),
    passkey: () => sql`INSERT INTO user_passkey
        (id, "userId", "credentialID", "publicKey", counter, "deviceType", "backedUp")
        VALUES (${name}, ${name}, ${name}, '', 0, 'singleDevice', (1 = 0))`,
  };
  const hasFactor = had.some((each) => each !== "password" && each !== "github") ? 1 : 0;
  return [
    sql`INSERT INTO users (id, name, email, "emailVerified", "createdAt", "updatedAt", account, "twoFactorEnabled")
        VALUES (${name}, '', ${email}, ${verified ? 1 : 0} = 1, ${at}, ${at}, ${account}, ${hasFactor} = 1)`,
    sql`INSERT INTO user_session (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
        VALUES (${name}, ${new Date(NOW + 1).toISOString()}, ${name}, ${at}, ${at}, ${name})`,
    sql`INSERT INTO user_token (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
        VALUES (${name}, 'reset', ${name}, ${at}, ${at}, ${at})`,
    ...["signed_in", "password_changed", "factors_reset"].map(
      (kind) => sql`INSERT INTO user_event (user_id, at, kind) VALUES (${name}, ${NOW}, ${kind})`,
    ),
    ...had.map((each) => rows[each]()),
  ];
}

export function upgradeContract(store: string, open: OpenBefore): void {
  describe(`the upgrade to sign-in without passwords, ${store}`, () => {
    test("it drops passwords and codes, ends sessions, and requires the passkey of who had a one-time password, too", async (t) => {
      const { db, upgrade } = await open(t);
      for (const user of USERS) await db.batch(insertUser(user));
      await db.batch([
        sql`INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
            VALUES ('j1', 'email', 'reset_password', 'x@y.test', '', 'sealed', ${NOW}, ${NOW})`,
      ]);
      await upgrade();
      const [users, logins, events] = await db.batch([
        sql`SELECT id, "requiresPasskey" FROM users ORDER BY id`,
        sql`SELECT id, password FROM user_login`,
        sql`SELECT DISTINCT kind FROM user_event ORDER BY kind`,
      ]);
      assert.deepEqual(
        users?.map(({ id, requiresPasskey }) => [id, Boolean(requiresPasskey)]),
        ["both", "complete", "factor", "github", "passkey", "password"].map((id) => [
          id,
          id === "complete",
        ]),
      );
      assert.deepEqual(
        logins?.map((row) => ({ ...row })),
        [{ id: "github github", password: null }],
      );
      assert.deepEqual(
        events?.map(({ kind }) => kind),
        ["passkeys_reset", "signed_in"],
      );
      for (const table of ["user_session", "user_token", "job"]) {
        const [rows] = await db.batch([{ sql: `SELECT id FROM ${table}`, values: [] }]);
        assert.deepEqual(rows, [], table);
      }
      await assert.rejects(db.batch([sql`SELECT * FROM user_totp`]), /user_totp/);
    });

    test("each owner who had a password or codes gets one email, whatever is repeated", async (t) => {
      const { db, upgrade, activityLog } = await open(t);
      for (const user of USERS) await db.batch(insertUser(user));
      await upgrade();
      let ids = 0;
      const mail = createMail({
        queue: { add: () => assert.fail("it is queued with its record") },
        ...{ transportKind: "smtp", sealer: emailSealer(["a secret"]), now: () => NOW },
        random: (bytes) => {
          ids += 1;
          return new Uint8Array(bytes).fill(ids);
        },
        logError: (message) => assert.fail(message),
      });
      const given = {
        activityLog,
        mail,
        sender: { publicUrl: "https://x.test", name: "Toolbooth" },
        now: () => NOW,
        max: 2,
      };
      for (let round = 0; round < 4; round += 1) await tellOwners(given);
      const read = async () => {
        const [jobs, events] = await db.batch([
          sql`SELECT kind, target FROM job ORDER BY target`,
          sql`SELECT user_id FROM user_event WHERE kind = 'passwords_retired' ORDER BY user_id`,
        ]);
        return {
          jobs: jobs?.map((row) => ({ ...row })),
          events: events?.map((row) => row["user_id"]),
        };
      };
      const told = ["both", "complete", "factor", "passkey", "password"];
      const expected = {
        jobs: told.map((name) => ({ kind: "passwords_retired", target: `${name}@example.com` })),
        events: told,
      };
      assert.deepEqual(await read(), expected);
      await Promise.all([tellOwners(given), tellOwners(given)]);
      assert.deepEqual(await read(), expected);
    });
  });
}
