import assert from "node:assert/strict";
import { test } from "node:test";
import { Kysely, sql } from "kysely";
import { EVENTS_KEPT } from "#accounts/journal.ts";
import { createSqliteJournal } from "#store/sqlite-journal.ts";
import { createKyselyDialect } from "#store/sqlite-kysely.ts";
import { openNodeSqlite } from "#store/sqlite-node.ts";
import { openSqlitePeople } from "#store/sqlite-people.ts";
import { createTurns, inTurns } from "#store/sqlite-turns.ts";

const START = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;
const iso = (at: number) => new Date(at).toISOString();

function openJournal() {
  const driver = openNodeSqlite(":memory:");
  const journal = createSqliteJournal(driver);
  const addPerson = (id: string, verified = 1, createdAt = START) =>
    driver
      .prepare("INSERT INTO person VALUES (?, '', ?, ?, NULL, ?, ?, NULL)")
      .run(id, `${id}@example.com`, verified, iso(createdAt), iso(createdAt));
  const note = (person: string, at: number) =>
    journal.noteEvent({ person, at, kind: "signed_in", detail: null, address: "1.2.3.4" });
  const count = (table: string) => driver.prepare(`SELECT * FROM ${table}`).all().length;
  return { driver, journal, addPerson, note, count };
}

test("events are listed newest first, page by page, without gap or repetition", () => {
  const { journal, addPerson, note } = openJournal();
  addPerson("ann");
  for (let turn = 0; turn < 7; turn += 1) note("ann", START + turn);
  const seen: number[] = [];
  let after: string | null = null;
  do {
    const page = journal.listEvents({ person: "ann", after, max: 3 });
    assert.ok(page.events.length <= 3);
    seen.push(...page.events.map(({ at }) => at - START));
    // What happens meanwhile does not shift the pages.
    note("ann", START + 100);
    after = page.next;
  } while (after !== null);
  assert.deepEqual(seen, [6, 5, 4, 3, 2, 1, 0]);
});

test("a cursor that is none starts at the newest", () => {
  const { journal, addPerson, note } = openJournal();
  addPerson("ann");
  note("ann", START);
  for (const after of ["", "x", "-1", "1.5", "1e3", "9".repeat(40), "1; DROP TABLE person"]) {
    assert.equal(journal.listEvents({ person: "ann", after, max: 3 }).events.length, 1, after);
  }
  assert.deepEqual(journal.listEvents({ person: "ann", after: "0", max: 3 }).events, []);
});

test("the newest events of each person are kept, and those of others are left alone", () => {
  const { journal, addPerson, note, count } = openJournal();
  addPerson("ann");
  addPerson("bea");
  note("bea", START);
  for (let turn = 0; turn < EVENTS_KEPT + 5; turn += 1) note("ann", START + turn);
  assert.equal(count("person_event"), EVENTS_KEPT + 1);
  const { events } = journal.listEvents({ person: "ann", after: null, max: EVENTS_KEPT + 9 });
  assert.deepEqual([events.at(0)?.at, events.at(-1)?.at], [START + EVENTS_KEPT + 4, START + 5]);
});

test("nothing is noted of somebody who is not there, and what was noted goes with the person", () => {
  const { driver, journal, addPerson, note, count } = openJournal();
  assert.deepEqual(note("nobody", START), { noted: false });
  addPerson("ann");
  assert.deepEqual(note("ann", START), { noted: true });
  driver.prepare("DELETE FROM person WHERE id = ?").run("ann");
  assert.equal(count("person_event"), 0);
  assert.deepEqual(journal.listEvents({ person: "ann", after: null, max: 3 }).events, []);
});

test("people who never confirmed, and sessions and links whose time is up, are forgotten some at a time", () => {
  const { driver, journal, addPerson, count } = openJournal();
  addPerson("confirmed", 1, START - 30 * DAY);
  for (let turn = 0; turn < 5; turn += 1) addPerson(`never${turn}`, 0, START - 8 * DAY);
  addPerson("fresh", 0, START - DAY);
  for (const [id, end] of [
    ["over", START - 1],
    ["open", START + 1],
  ] as const) {
    driver
      .prepare("INSERT INTO person_session VALUES (?, ?, ?, ?, ?, NULL, NULL, 'confirmed')")
      .run(id, iso(end), id, iso(START), iso(START));
    driver
      .prepare("INSERT INTO person_token VALUES (?, 'x', 'y', ?, ?, ?)")
      .run(id, iso(end), iso(START), iso(START));
  }
  const order = { unverifiedBefore: START - 7 * DAY, now: START, max: 3 };
  assert.deepEqual(journal.forgetStale(order), { forgotten: 3 + 1 + 1 });
  assert.deepEqual(journal.forgetStale(order), { forgotten: 2 });
  assert.deepEqual(journal.forgetStale(order), { forgotten: 0 });
  assert.deepEqual([count("person"), count("person_session"), count("person_token")], [2, 1, 1]);
});

test("turns come in the order in which they were asked for, and a fault leaves the turn to the next", async () => {
  const turns = createTurns();
  const seen: string[] = [];
  const operations = inTurns(turns, {
    async slow(name: string) {
      seen.push(`${name} begins`);
      await new Promise(setImmediate);
      seen.push(`${name} ends`);
      if (name === "b") throw new Error("b fails");
      return name;
    },
  }) as { slow(name: string): Promise<string> };
  const outcomes = await Promise.allSettled(["a", "b", "c"].map((name) => operations.slow(name)));
  assert.deepEqual(
    seen,
    ["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
});

type Tables = { setting: { name: string; value: string } };

test("a transaction of the SQL builder and our own statements do not get into each other", async () => {
  const driver = openNodeSqlite(":memory:");
  const turns = createTurns();
  const kysely = new Kysely<Tables>({ dialect: createKyselyDialect(driver, turns) });
  const insert = driver.prepare("INSERT INTO setting (name, value) VALUES (?, 'ours')");
  const ours = inTurns(turns, {
    add: (name: string) => driver.transaction("write", () => insert.run(name)),
  }) as { add(name: string): Promise<number> };
  const theirs = (name: string, fails: boolean) =>
    kysely.transaction().execute(async (transaction) => {
      await transaction.insertInto("setting").values({ name, value: "theirs" }).execute();
      await new Promise(setImmediate);
      if (fails) throw new Error("rolled back");
      return transaction.selectFrom("setting").selectAll().execute();
    });
  const outcomes = await Promise.allSettled([
    ...[theirs("a", false), ours.add("b"), theirs("c", true), ours.add("d"), ours.add("b")],
    ...[theirs("a", false), theirs("e", false)],
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected", "fulfilled", "rejected", "rejected", "fulfilled"],
  );
  const rows = await kysely.selectFrom("setting").select("name").orderBy("name").execute();
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["a", "b", "d", "e"],
  );
});

test("statements that give rows give them, and those that change tell how many", async () => {
  const driver = openNodeSqlite(":memory:");
  const kysely = new Kysely<Tables>({ dialect: createKyselyDialect(driver, createTurns()) });
  const value = "select, returning and with are words of this text";
  const made = await kysely
    .insertInto("setting")
    .values([
      { name: "a", value },
      { name: "b", value },
    ])
    .returning("name")
    .execute();
  assert.deepEqual(
    made.map(({ name }) => name),
    ["a", "b"],
  );
  const changed = await kysely.updateTable("setting").set({ value: "x" }).executeTakeFirst();
  assert.equal(Number(changed.numUpdatedRows), 2);
  const gone = await kysely.deleteFrom("setting").where("name", "=", "a").executeTakeFirst();
  assert.equal(Number(gone.numDeletedRows), 1);
  const { rows } = await sql<{ one: number }>`WITH t AS (SELECT 1 AS one) SELECT * FROM t`.execute(
    kysely,
  );
  assert.deepEqual(
    rows.map(({ one }) => one),
    [1],
  );
});

test("many operations of every kind at once, over one connection, are all carried out", async () => {
  const store = openSqlitePeople(openNodeSqlite(":memory:"));
  const kysely = new Kysely<Tables>({ dialect: store.signInDatabase.dialect });
  const work = Array.from({ length: 60 }, (_, turn) => {
    const account = `acc_${String(turn).padStart(12, "0")}`;
    return [
      store.ledger.openAccount({ account, freeCall: "open", now: START }),
      store.directory.register({ email: `${turn}@x.test`, account, createdAt: START }),
      kysely
        .insertInto("setting")
        .values({ name: `s${turn}`, value: "" })
        .execute(),
    ];
  });
  await Promise.all(work.flat());
  assert.equal((await kysely.selectFrom("setting").selectAll().execute()).length, 60);
  const { accounts } = await store.ledger.audit({ now: START });
  assert.equal(accounts, 60);
});
