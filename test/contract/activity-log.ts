/** Contract of the activity log, for every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import {
  type ActivityLog,
  EVENTS_KEPT,
  type EventKind,
  forgetStale,
} from "#accounts/activity-log.ts";
import {
  EMAILS_BEFORE_CREDITS_WAIT,
  EMAILS_BEFORE_SECURITY_STOPS,
  QUEUED_EMAILS_MAX,
} from "#email/bounds.ts";
import type { QueuedEmail } from "#email/email-queue.ts";
import { ACTIVITY_KEPT_DAYS, SECURITY_EMAILS_OF_A_KIND_MAX } from "#limits.ts";
import { type SqlDatabase, sql } from "#stores/sql/sql-database.ts";
import { fillQueue } from "./email-queue-fixture.ts";

/** `db`: the same database, for the rows that better-auth writes. */
export type OpenJournal = (
  t: TestContext,
) => Promise<{ activityLog: ActivityLog; db: SqlDatabase }>;

const START = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const iso = (at: number) => new Date(at).toISOString();

type Fixture = ReturnType<typeof fixtureOf>;
type Rule = (title: string, check: (fixture: Fixture) => Promise<void>) => void;

export function activityLogContract(name: string, open: OpenJournal): void {
  const rule: Rule = (title, check) => {
    test(title, async (t) => check(fixtureOf(await open(t))));
  };
  describe(`the activity log, ${name}`, () => {
    describeEvents(rule);
    describeEmails(rule);
    describeFailedSignIns(rule);
    describeUsers(rule);
    describePasskeys(rule);
    describeAddresses(rule);
    describeUpgrade(rule);
    describeForgetting(rule);
  });
}

function fixtureOf({ activityLog, db }: { activityLog: ActivityLog; db: SqlDatabase }) {
  const addUser = async (id: string) => {
    const [email, account] = [`${id}@example.com`, `acc_${id}`];
    await db.batch([
      sql`INSERT INTO users (id, name, email, "emailVerified", "createdAt", "updatedAt", account)
          VALUES (${id}, '', ${email}, (1 = 1), ${iso(START)}, ${iso(START)}, ${account})`,
      sql`INSERT INTO address (email, account, created_at) VALUES (${email}, ${account}, ${START})`,
    ]);
  };
  const addSession = (user: string, id: string, end = START + DAY) =>
    db.batch([
      sql`INSERT INTO user_session (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
          VALUES (${id}, ${iso(end)}, ${id}, ${iso(START)}, ${iso(START)}, ${user})`,
    ]);
  const record = (user: string, at: number) =>
    activityLog.recordEvent({ user, at, kind: "signed_in", detail: null, address: "1.2.3.4" });
  const count = async (table: string) => {
    const [rows] = await db.batch([{ sql: `SELECT count(*) AS count FROM ${table}`, values: [] }]);
    return Number(rows?.[0]?.["count"]);
  };
  const addLogin = (user: string, provider: string, at = START) =>
    db.batch([
      sql`INSERT INTO user_login (id, "accountId", "providerId", "userId", "createdAt", "updatedAt")
          VALUES (${`${user} ${provider}`}, ${user}, ${provider}, ${user}, ${iso(at)}, ${iso(at)})`,
    ]);
  const addPasskey = (user: string, id: string, at = START) =>
    db.batch([
      sql`INSERT INTO user_passkey
            (id, "userId", "credentialID", "publicKey", counter, "deviceType", "backedUp", "createdAt")
          VALUES (${id}, ${user}, ${id}, '', 0, 'singleDevice', (1 = 0), ${iso(at)})`,
    ]);
  const requires = async (user: string) => {
    const [rows] = await db.batch([sql`SELECT "requiresPasskey" FROM users WHERE id = ${user}`]);
    return Boolean(rows?.[0]?.["requiresPasskey"]);
  };
  const emailOf = async (user: string) => (await activityLog.findAddress({ user }))?.email;
  const more = { addSession, addLogin, addPasskey, requires, emailOf };
  return { activityLog, db, addUser, record, count, ...more };
}

function describeEvents(rule: Rule) {
  rule(
    "events are listed newest first, page by page, without gap or repetition",
    async ({ activityLog, addUser, record }) => {
      await addUser("ann");
      for (let turn = 0; turn < 7; turn += 1) await record("ann", START + turn);
      const seen: number[] = [];
      let after: string | null = null;
      do {
        const { events, next } = await activityLog.listEvents({ user: "ann", after, max: 3 });
        assert.ok(events.length <= 3);
        seen.push(...events.map(({ at }) => at - START));
        // New events do not shift the pages.
        await record("ann", START + 100);
        after = next as string | null;
      } while (after !== null);
      assert.deepEqual(seen, [6, 5, 4, 3, 2, 1, 0]);
    },
  );

  rule("an event is listed as it was recorded", async ({ activityLog, addUser }) => {
    await addUser("ann");
    const event = {
      ...({ at: START, kind: "key_created", detail: "Käse 🐝", address: null } as const),
      ...{ browser: "Firefox on Linux", times: 1 },
    };
    await activityLog.recordEvent({ user: "ann", ...event });
    const { events, next } = await activityLog.listEvents({ user: "ann", after: null, max: 3 });
    assert.deepEqual([events, next], [[{ ...event, id: events[0]?.id }], null]);
    assert.match(events[0]?.id ?? "", /^\d+$/);
  });

  rule("an invalid cursor starts at the newest event", async ({ activityLog, addUser, record }) => {
    await addUser("ann");
    await record("ann", START);
    for (const after of ["", "x", "-1", "1.5", "1e3", "9".repeat(40), "1; DROP TABLE users"]) {
      const { events } = await activityLog.listEvents({ user: "ann", after, max: 3 });
      assert.equal(events.length, 1, after);
    }
    const { events } = await activityLog.listEvents({ user: "ann", after: "0", max: 3 });
    assert.deepEqual(events, []);
  });

  rule(
    "only the newest events of each user stay, whatever others do",
    async ({ activityLog, db, addUser, record, count }) => {
      await addUser("ann");
      await addUser("bea");
      await record("bea", START);
      await db.batch([
        sql`INSERT INTO user_event (user_id, at, kind)
            WITH RECURSIVE turns (turn) AS (
              SELECT 0 UNION ALL SELECT turn + 1 FROM turns WHERE turn < ${EVENTS_KEPT + 3})
            SELECT 'ann', ${START} + turn, 'signed_in' FROM turns`,
      ]);
      await record("ann", START + EVENTS_KEPT + 4);
      assert.equal(await count("user_event"), EVENTS_KEPT + 1);
      const all = { user: "ann", after: null, max: EVENTS_KEPT + 9 };
      const { events } = await activityLog.listEvents(all);
      assert.deepEqual([events.at(0)?.at, events.at(-1)?.at], [START + EVENTS_KEPT + 4, START + 5]);
    },
  );

  rule(
    "nothing is recorded for an unknown user, and events are deleted with their user",
    async ({ activityLog, db, addUser, record, count }) => {
      assert.deepEqual(await record("nobody", START), { recorded: false, emailed: null });
      await addUser("ann");
      assert.deepEqual(await record("ann", START), { recorded: true, emailed: null });
      await db.batch([sql`DELETE FROM users WHERE id = 'ann'`]);
      assert.equal(await count("user_event"), 0);
      const { events } = await activityLog.listEvents({ user: "ann", after: null, max: 3 });
      assert.deepEqual(events, []);
    },
  );
}

function describeEmails(rule: Rule) {
  const emailOf = (id: string, to: string): QueuedEmail => ({
    ...{ id, to, content: "sealed", kind: "key_created" },
    ...{ usefulUntil: null, transportKind: "smtp" },
  });

  rule(
    `a user gets ${SECURITY_EMAILS_OF_A_KIND_MAX} emails about events of one kind within 24 hours, then a summary; other kinds and users have their own`,
    async ({ activityLog, db, addUser }) => {
      await addUser("ann");
      await addUser("bea");
      let turns = 0;
      const recordAs = async (user: string, kind: EventKind, at: number) => {
        turns += 1;
        const [one, two] = [emailOf(`${turns}a`, "old@x.org"), emailOf(`${turns}b`, "new@x.org")];
        const emails = { each: [one, two], summary: emailOf(`${turns}s`, "new@x.org") };
        const order = { user, at, kind, detail: null, address: null, emails };
        return (await activityLog.recordEvent(order)).emailed;
      };
      const queued = async () => {
        const [rows] = await db.batch([sql`SELECT id FROM job ORDER BY no`]);
        return (rows ?? []).map(({ id }) => id);
      };
      const each: unknown[] = [];
      for (let turn = 0; turn < SECURITY_EMAILS_OF_A_KIND_MAX; turn += 1) {
        assert.equal(await recordAs("ann", "key_created", START + turn), "each");
        each.push(`${turn + 1}a`, `${turn + 1}b`);
      }
      assert.deepEqual(await queued(), each);
      assert.equal(await recordAs("ann", "key_created", START + 100), "summary");
      assert.deepEqual(await queued(), [...each, `${turns}s`]);
      for (let turn = 0; turn < 20; turn += 1)
        assert.equal(await recordAs("ann", "key_created", START + 200), "over_limit");
      assert.equal((await queued()).length, each.length + 1);
      assert.equal(await recordAs("ann", "email_changed", START + 300), "each");
      assert.equal(await recordAs("bea", "key_created", START + 300), "each");
      assert.equal(await recordAs("nobody", "key_created", START + 300), null);
      assert.equal((await queued()).length, each.length + 5);
      const { events } = await activityLog.listEvents({ user: "ann", after: null, max: 99 });
      assert.equal(events.length, SECURITY_EMAILS_OF_A_KIND_MAX + 22, "the log lists every event");
      assert.equal(await recordAs("ann", "key_created", START + DAY), "summary");
      assert.equal(await recordAs("ann", "key_created", START + 2 * DAY), "each");
    },
  );

  rule(
    "of twenty events at once, the limit of emails holds",
    async ({ activityLog, addUser, count }) => {
      await addUser("ann");
      const emailed = await Promise.all(
        Array.from({ length: 20 }, async (_, turn) => {
          const emails = {
            each: [emailOf(`e${turn}`, "a@x.org")],
            summary: emailOf(`s${turn}`, "a@x.org"),
          };
          const order = { at: START, kind: "key_created", detail: null, address: null } as const;
          return (await activityLog.recordEvent({ user: "ann", ...order, emails })).emailed;
        }),
      );
      const times = (verdict: string) => emailed.filter((each) => each === verdict).length;
      const max = SECURITY_EMAILS_OF_A_KIND_MAX;
      assert.deepEqual([times("each"), times("summary"), times("over_limit")], [max, 1, 19 - max]);
      assert.equal(await count("job"), max + 1);
    },
  );

  rule(
    "a queue that strangers filled still takes emails about events; a full one is reported",
    async ({ activityLog, db, addUser, count }) => {
      await addUser("ann");
      const recordAs = async (id: string) => {
        const emails = { each: [emailOf(id, "a@x.org")], summary: emailOf(`${id}s`, "a@x.org") };
        const order = { at: START, kind: "key_created", detail: null, address: null } as const;
        return (await activityLog.recordEvent({ user: "ann", ...order, emails })).emailed;
      };
      await fillQueue(db, QUEUED_EMAILS_MAX);
      assert.equal(await recordAs("one"), "each");
      await db.batch([sql`UPDATE job SET id = 'a' || id`]);
      await fillQueue(db, QUEUED_EMAILS_MAX - 1);
      assert.equal(await count("job"), EMAILS_BEFORE_SECURITY_STOPS);
      assert.equal(await recordAs("two"), "queue_full");
      assert.equal(await count("job"), EMAILS_BEFORE_SECURITY_STOPS);
      assert.equal(await count("user_event"), 2);
    },
  );
}

function describeFailedSignIns(rule: Rule) {
  rule(
    "failed sign-ins of one hour are one entry with their number, and those of unknown addresses leave none",
    async ({ activityLog, addUser, count }) => {
      await addUser("ann");
      await addUser("bea");
      const fail = (email: string, at: number, address: string) =>
        activityLog.recordFailedSignIn({ email, at, address, browser: "Firefox on Linux" });
      assert.deepEqual(await fail("nobody@example.com", START, "1.1.1.1"), { recorded: false });
      for (let turn = 0; turn < 40; turn += 1)
        await fail("ann@example.com", START + turn, `1.1.1.${turn}`);
      await fail("bea@example.com", START, "2.2.2.2");
      assert.deepEqual(await fail("ann@example.com", START + HOUR, "3.3.3.3"), { recorded: true });
      const { events } = await activityLog.listEvents({ user: "ann", after: null, max: 9 });
      assert.deepEqual(
        events.map(({ kind, at, times, address }) => [kind, at - START, times, address]),
        [
          ["sign_in_failed", HOUR, 1, "3.3.3.3"],
          ["sign_in_failed", 39, 40, "1.1.1.39"],
        ],
      );
      assert.equal(await count("user_event"), 3);
    },
  );

  rule(
    "repeating one kind of event does not push another one out of the log",
    async ({ activityLog, db, addUser, record }) => {
      await addUser("ann");
      const change = { at: START, kind: "email_changed", detail: null, address: null } as const;
      await activityLog.recordEvent({ user: "ann", ...change });
      await db.batch([
        sql`INSERT INTO user_event (user_id, at, kind)
            WITH RECURSIVE turns (turn) AS (
              SELECT 0 UNION ALL SELECT turn + 1 FROM turns WHERE turn < ${EVENTS_KEPT + 3})
            SELECT 'ann', ${START} + turn, 'signed_in' FROM turns`,
      ]);
      await record("ann", START + EVENTS_KEPT + 4);
      const all = { user: "ann", after: null, max: 2 * EVENTS_KEPT };
      const { events } = await activityLog.listEvents(all);
      assert.equal(events.length, EVENTS_KEPT + 1);
      assert.equal(events.at(-1)?.kind, "email_changed");
    },
  );

  rule("events are deleted after a year", async ({ activityLog, addUser, record, count }) => {
    await addUser("ann");
    for (let turn = 0; turn < 5; turn += 1) await record("ann", START + turn * DAY);
    const year = START + 3 * DAY + ACTIVITY_KEPT_DAYS * DAY;
    assert.deepEqual(await forgetStale(activityLog, year), { forgotten: 3 });
    assert.equal(await count("user_event"), 2);
  });
}

function describeUsers(rule: Rule) {
  rule(
    "what is stored about a user is read for its export",
    async ({ activityLog, db, addUser }) => {
      for (const user of ["ann", "bea"]) await addUser(user);
      const [begun, end] = [iso(START), iso(START + DAY)];
      await db.batch([
        sql`INSERT INTO user_session (id, "expiresAt", token, "createdAt", "updatedAt", "userId", "ipAddress", "userAgent")
          VALUES ('s1', ${end}, 'the token', ${begun}, ${begun}, 'ann', '1.2.3.4', 'curl/8')`,
        sql`INSERT INTO user_login (id, "accountId", "providerId", "userId", "createdAt", "updatedAt")
          VALUES ('l1', 'ann', 'github', 'ann', ${begun}, ${begun})`,
        sql`INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
          VALUES ('j1', 'email', 'key_created', 'ann@example.com', '', 'the text', ${START}, ${START})`,
        sql`INSERT INTO user_passkey (id, "userId", name, "credentialID", "publicKey", counter, "deviceType", "backedUp", "createdAt")
            VALUES ('p1', 'ann', 'Phone', 'c1', 'k1', 0, 'singleDevice', (1 = 0), ${begun})`,
        sql`INSERT INTO notification_choice (account, low, expiring) VALUES ('acc_ann', 1, 0)`,
        sql`INSERT INTO webhook_endpoint (id, account, url, secret, kinds, created_at)
            VALUES ('w1', 'acc_ann', 'https://x.org/', 'the secret', '["credits.low"]', ${START})`,
      ]);
      const found = await activityLog.readUser({ account: "acc_ann" });
      assert.deepEqual(found, {
        ...{ id: "ann", email: "ann@example.com", createdAt: START },
        account: "acc_ann",
        logins: [{ provider: "github", accountId: "ann", createdAt: START }],
        sessions: [
          {
            ...{ id: "s1", createdAt: START, lastSeenAt: START, expiresAt: START + DAY },
            ...{ address: "1.2.3.4", userAgent: "curl/8" },
          },
        ],
        passkeys: [{ name: "Phone", createdAt: START, lastUsedAt: null }],
        requiresPasskey: false,
        emailChoices: { low: true, expiring: false },
        endpoints: [
          {
            ...{ id: "w1", url: "https://x.org/", kinds: ["credits.low"] },
            ...{ createdAt: START, pausedAt: null },
          },
        ],
        emailsWaiting: [{ kind: "key_created", createdAt: START }],
      });
      const other = await activityLog.readUser({ account: "acc_bea" });
      assert.deepEqual([other?.logins, other?.sessions, other?.emailsWaiting], [[], [], []]);
      assert.equal(await activityLog.readUser({ account: "acc_" }), null);
      assert.deepEqual(await activityLog.findAddress({ user: "bea" }), {
        email: "bea@example.com",
      });
      assert.equal(await activityLog.findAddress({ user: "acc_bea" }), null);
    },
  );

  rule("the user of an account is found", async ({ activityLog, addUser }) => {
    await addUser("ann");
    const found = await activityLog.findUser({ account: "acc_ann" });
    assert.deepEqual(found, { user: "ann", email: "ann@example.com" });
    for (const account of ["acc_", "", "%"])
      assert.equal(await activityLog.findUser({ account }), null);
  });
}

function describePasskeys(rule: Rule) {
  rule(
    "a passkey can be required by a user who has one, until the last one is removed",
    async ({ activityLog, addUser, addPasskey, requires, count }) => {
      for (const user of ["ann", "bea"]) await addUser(user);
      const setRequired = (user: string, requires: boolean) =>
        activityLog.requirePasskey({ user, requires });
      assert.deepEqual(await setRequired("ann", true), { done: false });
      assert.deepEqual(await setRequired("ann", false), { done: true });
      await addPasskey("ann", "ann1");
      await addPasskey("ann", "ann2");
      await addPasskey("bea", "bea1");
      assert.deepEqual(await setRequired("ann", true), { done: true });
      const remove = (passkey: string) => activityLog.removePasskey({ user: "ann", passkey });
      const kept = { removed: false, endedRequirement: false };
      assert.deepEqual(await remove("bea1"), kept);
      assert.deepEqual(await remove("ann1"), { removed: true, endedRequirement: false });
      assert.deepEqual(await remove("ann1"), kept);
      assert.deepEqual([await requires("ann"), await requires("bea")], [true, false]);
      // Of a removal and a requirement at the same time, a requirement without a passkey never comes.
      const [last] = await Promise.all([remove("ann2"), setRequired("ann", true)]);
      assert.deepEqual(last, { removed: true, endedRequirement: true });
      assert.deepEqual([await requires("ann"), await count("user_passkey")], [false, 1]);
    },
  );

  rule(
    "a reset removes all passkeys of one user and ends their sessions",
    async ({ activityLog, addUser, addPasskey, addSession, requires, count }) => {
      for (const user of ["ann", "bea"]) {
        await addUser(user);
        await addPasskey(user, `${user}1`);
        await activityLog.requirePasskey({ user, requires: true });
        await addSession(user, user);
      }
      const reset = (account: string) => activityLog.resetPasskeys({ account });
      assert.deepEqual(await reset("acc_ann"), { found: true, passkeys: 1 });
      assert.deepEqual(await reset("acc_ann"), { found: true, passkeys: 0 });
      assert.deepEqual(await reset("acc_nobody"), { found: false, passkeys: 0 });
      assert.deepEqual([await requires("ann"), await requires("bea")], [false, true]);
      for (const table of ["user_passkey", "user_session"])
        assert.equal(await count(table), 1, table);
    },
  );
}

/** The order that changes an address, with the link `link`. */
const change = (user: string, from: string, to: string, link: string, at = START) => ({
  ...{ account: `acc_${user}`, from, to, at, keptSession: "kept" },
  undo: { id: `undo ${link}`, link, until: at + 3 * DAY },
  email: { ...queued(`about ${link}`), to: from },
});

const queued = (id: string): QueuedEmail => ({
  ...{ id, to: "ann@example.com", content: "", kind: "address_changed" },
  ...{ usefulUntil: null, transportKind: "smtp" },
});

function describeAddresses(rule: Rule) {
  const [FIRST, SECOND, THIRD] = ["ann@example.com", "second@example.com", "third@example.com"];

  rule(
    "a changed address is that of user and account, ends the other sessions, and queues its email once",
    async ({ activityLog, db, addUser, addSession, emailOf, count }) => {
      for (const user of ["ann", "bea"]) await addUser(user);
      for (const session of ["kept", "other"]) await addSession("ann", session);
      await addSession("bea", "beas");
      const changeAddress = (order: ReturnType<typeof change>) => activityLog.changeAddress(order);
      const order = change("ann", FIRST, SECOND, "one");
      assert.deepEqual(await changeAddress(order), { outcome: "changed" });
      assert.deepEqual(await changeAddress(order), { outcome: "unchanged" });
      assert.equal(await emailOf("ann"), SECOND);
      const [rows] = await db.batch([
        sql`SELECT email FROM address WHERE account = 'acc_ann'`,
        sql`SELECT id FROM user_session ORDER BY id`,
      ]);
      assert.deepEqual({ ...rows?.[0] }, { email: SECOND });
      assert.deepEqual([await count("user_session"), await count("job")], [2, 1]);
      const outcomes = [
        await changeAddress(change("ann", SECOND, "bea@example.com", "two")),
        await changeAddress(change("ann", SECOND, SECOND, "three")),
        await changeAddress(change("nobody", "x@y.test", THIRD, "four")),
        // Somebody else has changed it meanwhile.
        await changeAddress(change("ann", FIRST, THIRD, "five")),
      ].map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ["taken", "unchanged", "no_account", "taken"]);
      assert.equal(await emailOf("ann"), SECOND);
      assert.deepEqual([await count("sign_in_attempt"), await count("job")], [1, 1]);
    },
  );

  rule(
    "an account for which nobody has signed up gets another address without a link",
    async ({ activityLog, db, count }) => {
      await db.batch([
        sql`INSERT INTO address (email, account, created_at) VALUES (${FIRST}, 'acc_ann', ${START})`,
      ]);
      const order = change("ann", FIRST, SECOND, "one");
      assert.deepEqual(await activityLog.changeAddress(order), { outcome: "changed" });
      const [rows] = await db.batch([sql`SELECT email FROM address`]);
      assert.deepEqual({ ...rows?.[0] }, { email: SECOND });
      assert.deepEqual([await count("sign_in_attempt"), await count("job")], [0, 0]);
    },
  );

  rule(
    "an undo gives the address back, ends all sessions and removes what was added since the day before",
    async ({
      activityLog,
      addUser,
      addSession,
      addPasskey,
      addLogin,
      emailOf,
      count,
      requires,
    }) => {
      await addUser("ann");
      await addPasskey("ann", "old", START - 2 * DAY);
      await addPasskey("ann", "new", START - HOUR);
      await addLogin("ann", "github", START - 2 * DAY);
      await addLogin("ann", "google", START + HOUR);
      await activityLog.requirePasskey({ user: "ann", requires: true });
      await activityLog.changeAddress(change("ann", FIRST, SECOND, "one"));
      await activityLog.changeAddress(change("ann", SECOND, THIRD, "two", START + HOUR));
      await addSession("ann", "kept");
      const undo = (link: string, at = START + DAY) => activityLog.undoAddressChange({ link, at });
      assert.deepEqual(await undo("none"), { outcome: "expired" });
      assert.deepEqual(await undo("one", START + 3 * DAY), { outcome: "expired" });
      const expected = { outcome: "undone", user: "ann", email: FIRST, before: THIRD };
      const pressedTwice = await Promise.all([undo("one"), undo("one")]);
      pressedTwice.sort((a, b) => b.outcome.localeCompare(a.outcome));
      assert.deepEqual(pressedTwice, [expected, { outcome: "expired" }]);
      assert.equal(await emailOf("ann"), FIRST);
      for (const link of ["one", "two"]) assert.deepEqual(await undo(link), { outcome: "expired" });
      const left = await Promise.all(["user_session", "user_passkey", "user_login"].map(count));
      assert.deepEqual(left, [0, 1, 1]);
      assert.equal(await requires("ann"), true, "a passkey is left");
    },
  );

  rule(
    "an undo of a later change leaves the links of earlier ones",
    async ({ activityLog, addUser, emailOf }) => {
      await addUser("ann");
      await activityLog.changeAddress(change("ann", FIRST, SECOND, "one"));
      await activityLog.changeAddress(change("ann", SECOND, THIRD, "two", START + HOUR));
      const undo = async (link: string) =>
        (await activityLog.undoAddressChange({ link, at: START + DAY })).outcome;
      const until = async (at: number) =>
        (await activityLog.undoableUntil({ user: "ann", at })).until;
      assert.equal(await until(START), START + HOUR + 3 * DAY);
      assert.equal(await until(START + HOUR + 3 * DAY), null);
      assert.equal(await undo("two"), "undone");
      assert.equal(await until(START), START + 3 * DAY);
      assert.equal(await emailOf("ann"), SECOND);
      assert.equal(await undo("one"), "undone");
      assert.equal(await emailOf("ann"), FIRST);
    },
  );

  rule(
    "an address that another account has by now is given back only once that is closed, and nothing is removed before",
    async ({ activityLog, db, addUser, addPasskey, emailOf, count }) => {
      await addUser("ann");
      await activityLog.changeAddress(change("ann", FIRST, SECOND, "one"));
      await addPasskey("ann", "new");
      await addUser("bea");
      await activityLog.changeAddress(change("bea", "bea@example.com", FIRST, "two"));
      const undo = async () =>
        (await activityLog.undoAddressChange({ link: "one", at: START + HOUR })).outcome;
      assert.equal(await undo(), "taken");
      assert.deepEqual([await emailOf("ann"), await emailOf("bea")], [SECOND, FIRST]);
      assert.equal(await count("user_passkey"), 1);
      await db.batch([sql`DELETE FROM address WHERE account = 'acc_bea'`]);
      assert.equal(await undo(), "undone");
      assert.equal(await emailOf("ann"), FIRST);
    },
  );

  rule(
    "closing an account deletes its attempts and links",
    async ({ activityLog, db, addUser, count }) => {
      await addUser("ann");
      await activityLog.changeAddress(change("ann", FIRST, SECOND, "one"));
      await db.batch([
        attemptRow("sign-in", SECOND, START + DAY),
        attemptRow("other", "other@example.com", START + DAY),
        sql`DELETE FROM address WHERE account = 'acc_ann'`,
      ]);
      assert.equal(await count("sign_in_attempt"), 1);
    },
  );
}

const attemptRow = (id: string, email: string, end: number) =>
  sql`INSERT INTO sign_in_attempt (id, purpose, email, browser, link, code, tries, "createdAt", "expiresAt")
      VALUES (${id}, 'sign-in', ${email}, ${`b ${id}`}, ${`l ${id}`}, '', 0, ${iso(START)}, ${iso(end)})`;

function describeUpgrade(rule: Rule) {
  rule(
    "owners are told of an upgrade once, also by two nodes at once, and not while the queue is half full",
    async ({ activityLog, db, addUser, count }) => {
      const users = ["ann", "bea", "cid"];
      for (const user of users) await addUser(user);
      await db.batch(
        users.map((user) => sql`INSERT INTO upgrade_notice (user_id) VALUES (${user})`),
      );
      assert.deepEqual(await activityLog.listUntold({ max: 2 }), [
        { user: "ann", email: "ann@example.com" },
        { user: "bea", email: "bea@example.com" },
      ]);
      const tell = async (user: string, id: string) =>
        (await activityLog.tellOwner({ user, at: START, email: queued(id) })).sent;
      const both = await Promise.all([tell("ann", "one"), tell("ann", "two")]);
      assert.deepEqual(both.sort(), [false, true]);
      assert.equal(await tell("ann", "three"), false);
      assert.deepEqual([await count("job"), await count("upgrade_notice")], [1, 2]);
      const { events } = await activityLog.listEvents({ user: "ann", after: null, max: 9 });
      assert.deepEqual(
        events.map(({ kind }) => kind),
        ["passwords_retired"],
      );
      await fillQueue(db, EMAILS_BEFORE_CREDITS_WAIT);
      assert.equal(await tell("bea", "four"), false);
      assert.equal((await activityLog.listUntold({ max: 9 })).length, 2);
    },
  );
}

function describeForgetting(rule: Rule) {
  rule(
    "expired sessions, challenges and attempts are deleted in batches, and counts of emails after a day",
    async ({ activityLog, db, addUser, addSession, count }) => {
      await addUser("ann");
      for (let turn = 0; turn < 5; turn += 1) await addSession("ann", `over${turn}`, START - 1);
      await addSession("ann", "open", START + 1);
      for (const [id, end] of [
        ["over", START - 1],
        ["open", START + 1],
      ] as const)
        await db.batch([tokenRow(id, iso(end)), attemptRow(id, "x@y.test", end)]);
      await db.batch(
        [START - DAY, START - DAY + 1].map(
          (at) => sql`INSERT INTO email_requested (recipient, email_group, at, network)
            VALUES ('hash', 'sign_in', ${at}, '')`,
        ),
      );
      const order = { now: START, max: 3 };
      assert.deepEqual(await activityLog.forgetStale(order), { forgotten: 3 + 1 + 1 });
      assert.deepEqual(await activityLog.forgetStale(order), { forgotten: 2 });
      assert.deepEqual(await activityLog.forgetStale(order), { forgotten: 0 });
      const left = ["user_session", "user_token", "sign_in_attempt", "email_requested"].map(count);
      assert.deepEqual(await Promise.all(left), [1, 1, 1, 1]);
    },
  );
}

const tokenRow = (id: string, end: string) =>
  sql`INSERT INTO user_token (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
      VALUES (${id}, ${id}, '', ${end}, ${iso(START)}, ${iso(START)})`;
