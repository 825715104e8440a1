import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { decideTogether } from "#stores/postgres/decide-together.ts";
import { keepPartitions, UPKEEP_LOCK } from "#stores/postgres/partitions.ts";
import type { PostgresSend } from "#stores/postgres/pool.ts";
import {
  assertTotals,
  createFixture,
  DAY,
  HOUR,
  idempotency,
  keySha256,
  maintainFully,
  START,
} from "../../contract/ledger/fixture.ts";
import { type Node, openNodes } from "./fixture.ts";

/**
 * The day tables of debits: created ahead, used, rolled up and dropped while calls continue, and created by an import before it
 * inserts its calls.
 */
const dayOf = (at: number) => Math.floor(at / DAY) * DAY;
const TODAY = dayOf(START);
const nameOf = (day: number) =>
  `debit_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
/** A day whose calls are long rolled up. */
const OLD = TODAY - 50 * DAY;
const ROLL_UP_BEFORE = START - 40 * DAY;

/** Two nodes on one database that has no day table yet. */
async function openFixture(t: TestContext) {
  const [node, other] = (await openNodes(t, "caller", "caller")) as [Node, Node];
  const { pool } = node;
  return {
    ...{ node, other, pool },
    ...createFixture(node),
    keep: (now: number, rollUpBefore = 0) => keepPartitions(pool, now, rollUpBefore),
    async days() {
      const sql =
        "SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'debit'::regclass ORDER BY 1";
      return (await pool.once<{ name: string }>("read", sql)).map(({ name }) => name);
    },
    /** The table that contains each call. */
    async places() {
      const sql = "SELECT call_id, tableoid::regclass::text AS place FROM debit";
      const rows = await pool.once<{ call_id: string; place: string }>("read", sql);
      return Object.fromEntries(rows.map(({ call_id: call, place }) => [call, place]));
    },
    makeDay: (day: number) =>
      pool.once(
        "upkeep",
        `CREATE TABLE ${nameOf(day)} PARTITION OF debit FOR VALUES FROM (${day}) TO (${day + DAY})`,
      ),
    async isThere(day: number): Promise<boolean> {
      const sql = "SELECT to_regclass($1) IS NOT NULL AS is";
      const [row] = await pool.once<{ is: boolean }>("read", sql, [nameOf(day)]);
      return row?.is === true;
    },
  };
}

const daysFrom = (day: number) => [0, 1, 2, 3].map((ahead) => nameOf(day + ahead * DAY));

test("partitions for today and three days ahead are created, one more at midnight, and none twice", async (t) => {
  const { keep, days } = await openFixture(t);
  await keep(TODAY);
  assert.deepEqual(await days(), [...daysFrom(TODAY), "debit_other"]);
  await keep(TODAY + DAY - 1);
  assert.deepEqual(await days(), [...daysFrom(TODAY), "debit_other"]);
  await keep(TODAY + DAY);
  const next = nameOf(TODAY + 4 * DAY);
  assert.deepEqual(await days(), [...daysFrom(TODAY), next, "debit_other"]);
});

test("calls of one batch around midnight are in the partitions of their days, and each can be reversed", async (t) => {
  const { ledger, keep, account, debitOrder, places, remaining } = await openFixture(t);
  await keep(TODAY);
  const id = await account("Ada", { credits: 10 });
  const midnight = TODAY + DAY;
  const times = [midnight - 1, midnight, midnight + 1, TODAY - 1, TODAY + 9 * DAY];
  const orders = times.map((now) => debitOrder(id, { now }));
  const outcomes = await Promise.all(orders.map((order) => ledger.debit(order)));
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    Array(5).fill("debited"),
  );
  const [before, after, later, past, future] = orders.map(({ callId }) => callId) as string[];
  assert.deepEqual(await places(), {
    [before as string]: nameOf(TODAY),
    [after as string]: nameOf(midnight),
    [later as string]: nameOf(midnight),
    [past as string]: "debit_other",
    [future as string]: "debit_other",
  });
  await assertTotals(ledger, START);
  for (const { callId, now: at } of orders) {
    const reference = { account: id, callId, at, now: at + 1 };
    assert.deepEqual(await ledger.reverse(reference), { reversed: true });
    assert.deepEqual(await ledger.reverse(reference), { reversed: false });
  }
  assert.deepEqual(await remaining(id), { first: 10 });
  await assertTotals(ledger, START);
});

test("debits of a day in the default partition stay there until they are rolled up, while calls continue", async (t) => {
  const { ledger, keep, account, debit, days, places } = await openFixture(t);
  const id = await account("Ada", { credits: 10 });
  await debit(id, { callId: "early", now: START });
  await keep(START);
  assert.deepEqual(await days(), [...daysFrom(TODAY).slice(1), "debit_other"]);
  await debit(id, { callId: "late", now: START + 1 });
  await debit(id, { callId: "tomorrow", now: START + DAY });
  const expected = { early: "debit_other", late: "debit_other", tomorrow: nameOf(TODAY + DAY) };
  assert.deepEqual(await places(), expected);
  await maintainFully(ledger, { now: START + 1, rollUpBefore: START + HOUR, rowsMax: 100 });
  await keep(START + 2);
  assert.deepEqual(await days(), [...daysFrom(TODAY), "debit_other"]);
  await assertTotals(ledger, START);
});

test("partitions whose debits are all rolled up are dropped, the others stay, and the totals are unchanged", async (t) => {
  const { ledger, keep, account, debit, days, places, usage, totals } = await openFixture(t);
  const id = await account("Ada", { credits: 100 });
  for (let day = 0; day < 6; day += 1) {
    const now = START + day * DAY;
    await keep(now);
    for (let call = 0; call < 5; call += 1) await debit(id, { callId: `${day}-${call}`, now });
  }
  await ledger.reverse({ account: id, callId: "1-1", at: START + DAY, now: START + DAY + 1 });
  const [usedBefore, totalsBefore] = [await usage(), await totals()];
  // Until some time in the fourth day: its first calls are rolled up, its table stays.
  const rollUpBefore = START + 3 * DAY + 1;
  const order = { now: START + 6 * DAY, rollUpBefore, rowsMax: 4 };
  assert.equal((await maintainFully(ledger, order)).rolledUp, 20);
  await maintainFully(ledger, order);
  const left = (await days()).filter((name) => name !== "debit_other");
  assert.equal(left[0], nameOf(TODAY + 3 * DAY));
  assert.equal(left.length, 7);
  assert.equal(Object.keys(await places()).length, 10);
  assert.deepEqual([await usage(), await totals()], [usedBefore, totalsBefore]);
  const ofRolledUp = { account: id, callId: "0-0", at: START, now: START + 6 * DAY };
  assert.deepEqual(await ledger.reverse(ofRolledUp), { reversed: false });
  await assertTotals(ledger, START + 6 * DAY);
});

test("of two nodes, one does the maintenance, and the other neither waits nor changes days", async (t) => {
  const { node, other, account, debit, keep, makeDay, isThere } = await openFixture(t);
  await keep(START);
  await makeDay(OLD);
  const id = await account("Ada", { credits: 10 });
  await debit(id);
  const later = START + DAY;
  const order = { now: later, rollUpBefore: START + HOUR, rowsMax: 10, after: null };
  await node.pool.transaction("write", async (query) => {
    await query("SELECT pg_advisory_xact_lock($1)", [UPKEEP_LOCK]);
    const outcome = await other.ledger.maintain(order);
    assert.deepEqual(outcome, { notified: 0, rolledUp: 0, forgotten: 0, after: null });
    await keepPartitions(other.pool, later, ROLL_UP_BEFORE, "try");
    assert.deepEqual([await isThere(OLD), await isThere(TODAY + 4 * DAY)], [true, false]);
  });
  assert.equal((await other.ledger.maintain(order)).rolledUp, 1);
  await keepPartitions(other.pool, later, ROLL_UP_BEFORE, "try");
  assert.deepEqual([await isThere(OLD), await isThere(TODAY + 4 * DAY)], [false, true]);
});

test("a long read blocks neither calls nor maintenance; partitions are created in a later round", async (t) => {
  const { node, other, account, debit, keep, days } = await openFixture(t);
  const id = await account("Ada", { credits: 10 });
  await other.pool.transaction("report", async (query) => {
    await query("SELECT count(*) FROM debit");
    const [, ...outcomes] = await Promise.all([
      keep(START),
      ...[1, 2, 3].map((no) => debit(id, { callId: `meanwhile-${no}` })),
    ]);
    for (const { outcome } of outcomes) assert.equal(outcome, "debited");
    assert.deepEqual(await days(), ["debit_other"]);
  });
  await maintainFully(node.ledger, { now: START + DAY, rollUpBefore: START + 1, rowsMax: 10 });
  assert.deepEqual(await days(), [...daysFrom(TODAY + DAY), "debit_other"]);
});

test("while a reader holds all partitions, only one of three drops is attempted, and calls wait no longer than for that", async (t) => {
  const { other, pool, keep, account, debit, makeDay, isThere } = await openFixture(t);
  await keep(START);
  const days = [OLD, OLD - DAY, OLD - 2 * DAY];
  for (const day of days) await makeDay(day);
  const id = await account("Ada", { credits: 10 });
  let tries = 0;
  const counted = {
    ...pool,
    once: ((mode, sql, values) => {
      if (sql.includes("DROP TABLE")) tries += 1;
      return pool.once(mode, sql, values);
    }) as typeof pool.once,
  };
  await other.pool.transaction("report", async (query) => {
    await query("SELECT count(*) FROM debit");
    const calls = [1, 2, 3].map(() => debit(id, { now: START }));
    await keepPartitions(counted, START, ROLL_UP_BEFORE);
    for (const { outcome } of await Promise.all(calls)) assert.equal(outcome, "debited");
  });
  assert.equal(tries, 1);
  for (const day of days) assert.ok(await isThere(day));
  await keepPartitions(counted, START, ROLL_UP_BEFORE);
  for (const day of days) assert.ok(!(await isThere(day)));
});

const LOCKED = `SELECT relname AS name FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
  JOIN pg_inherits i ON i.inhrelid = c.oid WHERE pid = pg_backend_pid() AND inhparent = 'debit'::regclass`;

test("a call locks only the partition of its day, whether it is charged, has an idempotency key, is rejected or is repeated", async (t) => {
  const { pool, account, debitOrder, makeDay, keep } = await openFixture(t);
  await keep(START);
  for (let day = 1; day <= 5; day += 1) await makeDay(TODAY - day * DAY);
  const id = await account("Ada", { credits: 1_000 });
  const at = { now: START };
  const again = debitOrder(id, at);
  const repeated = () => debitOrder(id, { ...at, idempotency: idempotency("once") });
  const kinds = {
    paid: () => debitOrder(id, at),
    again: () => again,
    keyed: () => debitOrder(id, { ...at, idempotency: idempotency(debitOrder(id).callId) }),
    repeated,
    refused: () => debitOrder(id, { ...at, key: "unknown" }),
  };
  for (const isCareful of [false, true])
    for (const [kind, make] of Object.entries(kinds))
      for (let round = 0; round < 7; round += 1) {
        const locked = await pool
          .roundTrips("write", async (send) => {
            const beforeCommit: PostgresSend = (message) => send({ ...message, isLast: false });
            await decideTogether(beforeCommit, "debit", [make()], { isCareful });
            const [rows = []] = await send({ statements: [LOCKED] });
            return rows.map(({ name }) => name);
          })
          .catch((error: { code?: string }) => error.code);
        // If nothing is looked up first, the table shows that the call was made.
        if (!isCareful && kind === "again" && round > 0) assert.equal(locked, "23505");
        else
          assert.deepEqual(
            [...new Set(locked)],
            [nameOf(TODAY)],
            `${isCareful}, ${kind}, ${round}`,
          );
      }
});

test("an old partition with many rolled-up rows is dropped while calls of every kind continue", async (t) => {
  const { node, other, pool, keep, account, debitOrder, makeDay, isThere } = await openFixture(t);
  await keep(START);
  await makeDay(OLD);
  const id = await account("Old");
  await pool.once(
    "upkeep",
    `INSERT INTO debit (account_no, at, call_id, key_no, tool, credits, is_free)
     SELECT 1, ${OLD} + i, 'call_' || i, 1, 'hash', 0, 0 FROM generate_series(1, 50000) i`,
  );
  await keepPartitions(pool, START, ROLL_UP_BEFORE);
  assert.ok(await isThere(OLD), "not while there are calls in it");
  await pool.once("upkeep", `DELETE FROM ${nameOf(OLD)}`);
  const ids = await Promise.all(
    ["Ada", "Bob", "Cid", "Dot"].map((name) => account(name, { credits: 100_000 })),
  );
  let isOver = false;
  let debited = 0;
  const callers = [...ids, ...ids].map(async (each, caller) => {
    const { ledger } = caller % 2 === 0 ? node : other;
    for (let call = 0; !isOver; call += 1) {
      const kept = caller % 4 < 2 ? idempotency(`${caller}-${call >> 1}`) : null;
      const order = debitOrder(each, { now: START, idempotency: kept });
      const { outcome } = await ledger.debit(order);
      assert.match(outcome, /^(?:debited|replayed)$/);
      assert.equal(
        (await ledger.debit(debitOrder(id, { now: START, key: "no" }))).outcome,
        "invalid_key",
      );
      debited += 1;
    }
  });
  // On a busy machine a round may find no moment for it; the next one does.
  while (await isThere(OLD)) await keepPartitions(pool, START, ROLL_UP_BEFORE, "try");
  const before = debited;
  while (debited < before + 50) await wait(5);
  isOver = true;
  await Promise.all(callers);
});

test("two nodes accept calls while both maintain eight days of partitions, and nothing is lost", async (t) => {
  const { node, other, account, debitOrder, days, ledger } = await openFixture(t);
  const DAYS = 8;
  const CALLS = 30;
  const ids = await Promise.all(
    ["Ada", "Bob", "Cid"].map((name) => account(name, { credits: (DAYS * CALLS) / 3 })),
  );
  let rolledUp = 0;
  for (let day = 0; day < DAYS; day += 1) {
    const now = START + day * DAY;
    const calls = Array.from({ length: CALLS }, (_, call) => {
      const id = ids[call % 3] as string;
      // Calls during the day, at its last moment and after its midnight.
      const at = [now, TODAY + (day + 1) * DAY - 1, TODAY + (day + 1) * DAY][call % 3] as number;
      const order = debitOrder(id, { now: at, keySha256: keySha256(id) });
      return (call % 2 === 0 ? node : other).ledger.debit(order);
    });
    const order = { now, rollUpBefore: now - 2 * DAY, rowsMax: 20 };
    const upkeep = [node, other].map((each) => maintainFully(each.ledger, order));
    for (const { outcome } of await Promise.all(calls)) assert.equal(outcome, "debited");
    for (const sum of await Promise.all(upkeep)) rolledUp += sum.rolledUp;
  }
  const { totals } = await assertTotals(ledger, START);
  assert.deepEqual([totals.debited, totals.remaining], [DAYS * CALLS, 0]);
  const end = { now: START + 99 * DAY, rollUpBefore: START + 99 * DAY, rowsMax: 100 };
  rolledUp += (await maintainFully(ledger, end)).rolledUp;
  assert.equal(rolledUp, DAYS * CALLS, "each call was folded once");
  assert.equal((await assertTotals(ledger, START)).totals.debited, DAYS * CALLS);
  await maintainFully(ledger, end);
  assert.deepEqual(await days(), [...daysFrom(TODAY + 99 * DAY), "debit_other"]);
});
