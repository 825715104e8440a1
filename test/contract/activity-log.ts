/** Contract of the activity log, for every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { type ActivityLog, EVENTS_KEPT } from "#accounts/activity-log.ts";
import { type SqlDatabase, sql } from "#stores/sql/sql-database.ts";

/** `db`: the same database, for the rows that better-auth writes. */
export type OpenJournal = (
  t: TestContext,
) => Promise<{ activityLog: ActivityLog; db: SqlDatabase }>;

const START = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;
const iso = (at: number) => new Date(at).toISOString();

type Fixture = ReturnType<typeof fixtureOf>;
type Rule = (title: string, check: (fixture: Fixture) => Promise<void>) => void;

export function activityLogContract(name: string, open: OpenJournal): void {
  const rule: Rule = (title, check) => {
    test(title, async (t) => check(fixtureOf(await open(t))));
  };
  describe(`the activity log, ${name}`, () => {
    describeEvents(rule);
    describeUsers(rule);
    describeForgetting(rule);
  });
}

function fixtureOf({ activityLog, db }: { activityLog: ActivityLog; db: SqlDatabase }) {
  const addUser = async (id: string, verified = 1, createdAt = START) => {
    const email = `${id}@example.com`;
    const account = verified === 1 ? `acc_${id}` : null;
    await db.batch([
      sql`INSERT INTO users (id, name, email, "emailVerified", "createdAt", "updatedAt", account)
          VALUES (${id}, '', ${email}, ${verified} = 1, ${iso(createdAt)}, ${iso(createdAt)}, ${account})`,
    ]);
  };
  const record = (user: string, at: number) =>
    activityLog.recordEvent({ user, at, kind: "signed_in", detail: null, address: "1.2.3.4" });
  const count = async (table: string) => {
    const [rows] = await db.batch([{ sql: `SELECT count(*) AS count FROM ${table}`, values: [] }]);
    return Number(rows?.[0]?.["count"]);
  };
  return { activityLog, db, addUser, record, count };
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
    const event = { at: START, kind: "key_created", detail: "Käse 🐝", address: null } as const;
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
      assert.deepEqual(await record("nobody", START), { recorded: false });
      await addUser("ann");
      assert.deepEqual(await record("ann", START), { recorded: true });
      await db.batch([sql`DELETE FROM users WHERE id = 'ann'`]);
      assert.equal(await count("user_event"), 0);
      const { events } = await activityLog.listEvents({ user: "ann", after: null, max: 3 });
      assert.deepEqual(events, []);
    },
  );
}

function describeUsers(rule: Rule) {
  rule("the user of an account is found", async ({ activityLog, addUser }) => {
    await addUser("ann");
    await addUser("bea", 0);
    const found = await activityLog.findUser({ account: "acc_ann" });
    assert.deepEqual(found, { user: "ann", email: "ann@example.com" });
    for (const account of ["acc_bea", "acc_", "", "%"])
      assert.equal(await activityLog.findUser({ account }), null);
  });
}

function describeForgetting(rule: Rule) {
  rule(
    "unverified users, and expired sessions and links, are deleted in batches",
    async ({ activityLog, db, addUser, count }) => {
      await addUser("confirmed", 1, START - 30 * DAY);
      for (let turn = 0; turn < 5; turn += 1) await addUser(`never${turn}`, 0, START - 8 * DAY);
      await addUser("fresh", 0, START - DAY);
      for (const [id, end] of [
        ["over", iso(START - 1)],
        ["open", iso(START + 1)],
      ] as const) {
        await db.batch([
          sql`INSERT INTO user_session (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
              VALUES (${id}, ${end}, ${id}, ${iso(START)}, ${iso(START)}, 'confirmed')`,
          tokenRow(id, "x", "y", end),
        ]);
      }
      const order = { unverifiedBefore: START - 7 * DAY, now: START, max: 3 };
      assert.deepEqual(await activityLog.forgetStale(order), { forgotten: 3 + 1 + 1 });
      assert.deepEqual(await activityLog.forgetStale(order), { forgotten: 2 });
      assert.deepEqual(await activityLog.forgetStale(order), { forgotten: 0 });
      const left = [await count("users"), await count("user_session")];
      assert.deepEqual([...left, await count("user_token")], [2, 1, 1]);
    },
  );

  rule(
    "all links to reset a user's password are dropped, and nobody else's",
    async ({ activityLog, db }) => {
      const end = iso(START + DAY);
      await db.batch([
        tokenRow("one", "the hash of a", "ann", end),
        tokenRow("two", "the hash of b", "ann", end),
        tokenRow("else", "the hash of c", "bea", end),
        tokenRow("other", "the hash of d", '{"user":"ann"}', end),
      ]);
      assert.deepEqual(await activityLog.dropResetLinks({ user: "ann" }), { dropped: 2 });
      assert.deepEqual(await activityLog.dropResetLinks({ user: "ann" }), { dropped: 0 });
      const [rows] = await db.batch([sql`SELECT id FROM user_token ORDER BY id`]);
      assert.deepEqual(
        rows?.map(({ id }) => id),
        ["else", "other"],
      );
    },
  );
}

const tokenRow = (id: string, identifier: string, value: string, end: string) =>
  sql`INSERT INTO user_token (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
      VALUES (${id}, ${identifier}, ${value}, ${end}, ${iso(START)}, ${iso(START)})`;
