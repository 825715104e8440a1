import assert from "node:assert/strict";
import { test } from "node:test";
import { CompiledQuery, Kysely } from "kysely";
import { unstable_splitSqlQuery as splitAsWrangler } from "wrangler";
import { NotCarriedOut } from "#ledger/port.ts";
import { createD1DashboardStore } from "#stores/sql/d1-dashboard.ts";
import { createD1Database, type D1, type D1Statement } from "#stores/sql/d1-database.ts";
import { sql } from "#stores/sql/sql-database.ts";
import { MIGRATIONS, openD1 } from "./d1-fixture.ts";

const NOW = "2026-11-22T12:00:00.000Z";
const address = (email: string, account: string) =>
  sql`INSERT INTO address (email, account, created_at) VALUES (${email}, ${account}, 1)`;

test("a batch is carried out in full or not at all", async () => {
  const { d1, rows } = openD1();
  const db = createD1Database(d1);
  const twice = db.batch([address("a@x.org", "acc_a"), address("a@x.org", "acc_b")]);
  await assert.rejects(twice, /UNIQUE constraint failed: address.email/);
  assert.deepEqual(await rows("SELECT * FROM address"), []);
  const results = await db.batch([
    address("a@x.org", "acc_a"),
    sql`SELECT email FROM address`,
    sql`UPDATE address SET created_at = created_at + 1 RETURNING created_at`,
  ]);
  assert.deepEqual(results, [[], [{ email: "a@x.org" }], [{ created_at: 2 }]]);
});

test("texts and numbers are returned unchanged, whatever they contain", async () => {
  const { d1 } = openD1();
  const db = createD1Database(d1);
  const texts = ["", "'; DROP TABLE address; --", '"?', "?1", "ü🐝\n\t\u2028", "x".repeat(500_000)];
  for (const [index, text] of texts.entries()) {
    await db.batch([
      sql`INSERT INTO closed_address (email_hash, closed_at)
          VALUES (${text}, ${Number.MAX_SAFE_INTEGER - index})`,
    ]);
    const [found] = await db.batch([sql`SELECT * FROM closed_address WHERE email_hash = ${text}`]);
    assert.deepEqual(found, [{ email_hash: text, closed_at: Number.MAX_SAFE_INTEGER - index }]);
  }
});

test("Wrangler cuts the migrations into the statements that they have", () => {
  assert.deepEqual(splitAsWrangler(MIGRATIONS.join("\n")), MIGRATIONS.map(withoutEnd));
  for (const statement of MIGRATIONS) {
    assert.doesNotMatch(statement, /--|\r/);
    for (const [literal] of statement.matchAll(/'[^']*'/g)) assert.doesNotMatch(literal, /;/);
    if (statement.includes("TRIGGER")) assert.doesNotMatch(statement.trim(), /\n/);
  }
});

const withoutEnd = (statement: string) => statement.trim().replace(/;$/, "");

test("D1 keeps strict columns, cascades, triggers and partial indexes", async () => {
  const { d1, rows } = openD1();
  const db = createD1Database(d1);
  const user = (id: string, account: string) =>
    sql`INSERT INTO users (id, name, email, "emailVerified", "createdAt", "updatedAt", account)
        VALUES (${id}, '', ${`${id}@x.org`}, 1, ${NOW}, ${NOW}, ${account})`;
  await assert.rejects(
    db.batch([sql`INSERT INTO closed_address (email_hash, closed_at) VALUES ('h', 'soon')`]),
    /cannot store TEXT value in INTEGER column/,
  );
  const session = sql`INSERT INTO user_session
      (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
    VALUES ('s', ${NOW}, 't', ${NOW}, ${NOW}, 'ann')`;
  await assert.rejects(db.batch([session]), /FOREIGN KEY constraint failed/);
  await db.batch([
    ...[address("ann@x.org", "acc_ann"), address("bea@x.org", "acc_bea")],
    ...[user("ann", "acc_ann"), user("bea", "acc_bea"), session],
    sql`INSERT INTO user_token (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
        VALUES ('k', 'challenge-x', 'ann', ${NOW}, ${NOW}, ${NOW})`,
    sql`UPDATE users SET email = 'new@x.org' WHERE id = 'ann'`,
  ]);
  const { directory, activityLog } = createD1DashboardStore(d1);
  await activityLog.recordEvent({
    user: "ann",
    at: 1,
    kind: "signed_up",
    detail: null,
    address: null,
  });
  assert.equal((await directory.findByEmail({ email: "new@x.org" }))?.account, "acc_ann");
  await directory.forget({ account: "acc_ann", emailHash: "h", now: 1 });
  for (const table of ["user_session", "user_token", "user_event"])
    assert.deepEqual(await rows(`SELECT * FROM ${table}`), [], table);
  assert.deepEqual(await rows("SELECT id FROM users"), [{ id: "bea" }]);
  const asked: string[] = [];
  const prepare = (text: string) => {
    asked.push(text);
    return d1.prepare(text);
  };
  await createD1DashboardStore({ ...d1, prepare }).activityLog.forgetStale({
    now: 1,
    max: 9,
  });
  const deletion = asked.find((text) => text.startsWith("DELETE FROM sign_in_attempt")) ?? "";
  const plan = await rows(`EXPLAIN QUERY PLAN ${deletion}`, NOW, 9);
  assert.match(JSON.stringify(plan), /sign_in_attempt_by_end/);
});

/** A database whose first requests fail with these messages. It counts the requests. */
function troubled(messages: string[]) {
  const left = [...messages];
  const count = { asked: 0 };
  const response = async <Result>(result: Result): Promise<Result> => {
    count.asked += 1;
    const message = left.shift();
    if (message !== undefined) throw new Error(`D1_ERROR: ${message}`);
    return result;
  };
  const result = { results: [], meta: { changes: 0, rows_read: 0, rows_written: 0 } };
  const statement: D1Statement = { bind: () => statement };
  const d1: D1 = {
    prepare: () => statement,
    batch: (statements) => response(statements.map(() => result)),
  };
  return { count, d1 };
}

const READ = "SELECT 1";
const WRITE = "DELETE FROM job WHERE id = 'SELECT' RETURNING id";
/** As the stores ask, and as better-auth does. */
const both = [
  (d1: D1, text: string) => createD1Database(d1).batch([{ sql: text, values: [] }]),
  async (d1: D1, text: string) => {
    const { dialect } = createD1DashboardStore(d1).signInDatabase;
    const db = new Kysely({ dialect });
    return db.executeQuery(CompiledQuery.raw(text));
  },
];

test("a request that an overloaded database did not receive is not carried out and not repeated", async () => {
  for (const message of [
    "D1 DB is overloaded. Requests queued for too long.",
    "D1 DB is overloaded. Too many requests queued.",
    "Cannot resolve D1 DB due to transient issue on remote node.",
  ]) {
    for (const ask of both) {
      for (const text of [READ, WRITE]) {
        const { d1, count } = troubled([message]);
        await assert.rejects(ask(d1, text), NotCarriedOut);
        assert.equal(count.asked, 1);
      }
    }
  }
});

test("an interrupted read is repeated and finally fails as not carried out; the outcome of a write is unknown", async () => {
  const messages = [
    "Network connection lost.",
    "D1 DB reset because its code was updated.",
    "Internal error in D1 DB storage caused object to be reset.",
    "D1 DB's isolate exceeded its memory limit and was reset.",
  ];
  const prove = async (message: string, ask: (typeof both)[number]) => {
    const once = troubled([message]);
    await ask(once.d1, READ);
    assert.equal(once.count.asked, 2);
    const gone = troubled(Array(9).fill(message));
    await assert.rejects(ask(gone.d1, READ), NotCarriedOut);
    assert.equal(gone.count.asked, 3);
    const write = troubled([message]);
    const isUnknown = (error: Error) =>
      !(error instanceof NotCarriedOut) && error.message.includes(message);
    await assert.rejects(ask(write.d1, WRITE), isUnknown);
    assert.equal(write.count.asked, 1);
  };
  await Promise.all(messages.flatMap((message) => both.map((ask) => prove(message, ask))));
});

test("the error of an invalid statement is passed on immediately and unchanged", async () => {
  for (const ask of both) {
    const { d1, count } = troubled(["no such table: users: SQLITE_ERROR"]);
    await assert.rejects(ask(d1, READ), /no such table/);
    assert.equal(count.asked, 1);
  }
});
