import assert from "node:assert/strict";
import { test } from "node:test";
import { createOperatorActs } from "#store/d1-acts.ts";
import { createD1Database, type D1, type D1Result, type D1Statement } from "#store/d1-database.ts";
import { createAccountIndex } from "#store/d1-index.ts";
import { d1People } from "#store/d1-people.ts";
import { type SqlDatabase, sql } from "#store/sql-database.ts";
import { openD1 } from "./d1-scene.ts";

/** What D1 bills: rows read and written, counted by itself, and that neither grows with how many people there are. */
const START = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;
const iso = (at: number) => new Date(at).toISOString();

/** A binding that adds up what its answers tell of their cost. */
function metered(d1: D1) {
  const bill = { read: 0, written: 0 };
  const note = (result: D1Result) => {
    bill.read += result.meta.rows_read;
    bill.written += result.meta.rows_written;
    return result;
  };
  const wrap = (statement: D1Statement): D1Statement => ({
    ...statement,
    bind: (...values) => wrap(statement.bind(...values)),
    all: async () => note(await statement.all()),
  });
  const wrapped: D1 = {
    prepare: (text) => wrap(d1.prepare(text)),
    batch: async (statements) => (await d1.batch(statements)).map(note),
    exec: (text) => d1.exec(text),
  };
  return { d1: wrapped, bill };
}

/** So many people with all that belongs to them; each has some of everything. */
const populate = (db: SqlDatabase, count: number) => {
  const numbers = sql`WITH RECURSIVE numbers (n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
  const [now, later] = [iso(START), iso(START + DAY)];
  return db.batch([
    sql`INSERT INTO address (email, account, created_at)
        ${numbers} SELECT n || '@x.org', 'acc_' || n, ${START} FROM numbers`,
    sql`INSERT INTO closed_address (email_hash, closed_at)
        ${numbers} SELECT 'hash' || n, ${START} FROM numbers`,
    sql`INSERT INTO person (id, name, email, "emailVerified", "createdAt", "updatedAt", account)
        ${numbers} SELECT 'p' || n, '', n || '@x.org', 1, ${now}, ${now}, 'acc_' || n FROM numbers`,
    sql`INSERT INTO person_session (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
        ${numbers} SELECT 's' || n, ${later}, 't' || n, ${now}, ${now}, 'p' || n FROM numbers`,
    // Links that wait end within a day, so there are few; closing an account looks through them all.
    sql`INSERT INTO person_token (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
        ${numbers} SELECT 'k' || n, 'reset-password:' || n, 'q' || n, ${later}, ${now}, ${now}
        FROM numbers WHERE n <= 9`,
    sql`INSERT INTO person_event (person, at, kind)
        ${numbers} SELECT 'p' || n, ${START}, 'signed_in' FROM numbers`,
    sql`INSERT INTO letter_asked (recipient, letter_group, at)
        ${numbers} SELECT 'r' || n, 'asked', ${START} FROM numbers`,
    sql`INSERT INTO account_index (account, created_at)
        ${numbers} SELECT 'acc_' || n, ${START} + n FROM numbers`,
    sql`INSERT INTO operator_act (at, act, outcome)
        ${numbers} SELECT ${START}, 'grant', 'granted' FROM numbers`,
  ]);
};

const letter = (id: string, kind: "key_created" | "verify_address") => ({
  letter: {
    ...{ id, to: "1@x.org", subject: "", text: "", html: "", kind, way: "smtp" as const },
    usefulUntil: null,
  },
  now: START,
});

/** Every operation once, in this order; closing an account comes last. */
function operations(d1: D1) {
  const { directory, journal, letterQueue } = d1People(d1);
  const db = createD1Database(d1);
  const index = createAccountIndex(db);
  const acts = createOperatorActs(db);
  const event = { at: START, kind: "signed_in", detail: null, address: null } as const;
  const fresh = { email: "new@x.org", account: "acc_new", createdAt: START };
  const due = { now: START, leaseUntil: START + 1, max: 4, way: "smtp" } as const;
  const act = { at: START, act: "grant", subject: null, outcome: "granted", address: null };
  return {
    register: () => directory.register(fresh),
    findByEmail: () => directory.findByEmail({ email: "7@x.org" }),
    listAddresses: () => directory.listAddresses({ after: "5@x.org", max: 3 }),
    wasClosed: () => directory.wasClosed({ emailHash: "hash7" }),
    noteEvent: () => journal.noteEvent({ person: "p7", ...event }),
    listEvents: () => journal.listEvents({ person: "p7", after: null, max: 3 }),
    findPerson: () => journal.findPerson({ account: "acc_7" }),
    forgetStale: () => journal.forgetStale({ unverifiedBefore: START, now: START, max: 100 }),
    addNotice: () => letterQueue.add(letter("let_1", "key_created")),
    addAsked: () => letterQueue.add(letter("let_2", "verify_address")),
    take: () => letterQueue.take(due),
    nextDue: () => letterQueue.nextDue({ way: "smtp" }),
    done: () => letterQueue.done({ id: "let_1" }),
    noteAccount: () => index.note({ account: "acc_new", now: START }),
    listAccounts: () => index.list({ after: { account: "acc_5", createdAt: START + 5 }, max: 3 }),
    noteAct: () => acts.note(act),
    listActs: () => acts.list({ after: null, max: 3 }),
    forget: () => directory.forget({ account: "acc_7", emailHash: "h", now: START }),
  };
}

async function billsOf(people: number) {
  const { d1 } = openD1();
  await populate(createD1Database(d1), people);
  const meter = metered(d1);
  const bills: Record<string, { read: number; written: number }> = {};
  for (const [name, operation] of Object.entries(operations(meter.d1))) {
    const before = { ...meter.bill };
    await operation();
    const { read, written } = meter.bill;
    bills[name] = { read: read - before.read, written: written - before.written };
  }
  return bills;
}

test("what an operation reads and writes does not grow with the people that there are", async (t) => {
  const few = await billsOf(20);
  const many = await billsOf(2_000);
  assert.deepEqual(many, few);
  for (const [name, { read, written }] of Object.entries(many)) {
    t.diagnostic(`${name}: ${read} rows read, ${written} written`);
    assert.ok(read <= 40 && written <= 20, name);
  }
});
