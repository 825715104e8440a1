import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { keepPartitions, UPKEEP_LOCK } from "#stores/postgres/partitions.ts";
import {
  assertTotals,
  createFixture,
  DAY,
  HOUR,
  keySha256,
  maintainFully,
  START,
} from "../../contract/ledger/fixture.ts";
import { type Node, newDatabase, openNode } from "./fixture.ts";

/** The day tables of debits: created ahead, used, rolled up and dropped, while calls continue. */
const TODAY = Math.floor(START / DAY) * DAY;
const nameOf = (day: number) =>
  `debit_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;

/** Two nodes on one database that has no day table yet. */
async function openFixture(t: TestContext) {
  const url = await newDatabase();
  const [node, other] = (await Promise.all([openNode(url), openNode(url)])) as [Node, Node];
  t.after(() => Promise.all([node.close(), other.close()]));
  const fixture = createFixture(node);
  const { pool } = node;
  return {
    ...{ node, other, pool },
    ...fixture,
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

test("two nodes that create partitions at once both succeed", async (t) => {
  const { pool, other, days } = await openFixture(t);
  for (let round = 0; round < 10; round += 1) {
    const now = TODAY + round * DAY;
    const both = [pool, other.pool, pool, other.pool];
    await Promise.all(both.map((each) => keepPartitions(each, now, 0)));
    assert.equal((await days()).length, 5 + round);
  }
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

test("a partition is not dropped while it contains a debit", async (t) => {
  const { keep, account, debit, days } = await openFixture(t);
  await keep(START);
  const id = await account("Ada", { credits: 1 });
  await debit(id);
  await keep(START + 9 * DAY, START + 8 * DAY);
  assert.ok((await days()).includes(nameOf(TODAY)));
  assert.ok(!(await days()).includes(nameOf(TODAY + DAY)), "an empty one goes");
});

test("of two nodes, one does the maintenance, and the other returns immediately", async (t) => {
  const { node, other, account, debit, keep } = await openFixture(t);
  await keep(START);
  const id = await account("Ada", { credits: 10 });
  await debit(id);
  const order = { now: START + DAY, rollUpBefore: START + HOUR, rowsMax: 10, after: null };
  await node.pool.transaction("write", async (query) => {
    await query("SELECT pg_advisory_xact_lock($1)", [UPKEEP_LOCK]);
    const outcome = await other.ledger.maintain(order);
    assert.deepEqual(outcome, { rolledUp: 0, forgotten: 0, after: null });
  });
  assert.equal((await other.ledger.maintain(order)).rolledUp, 1);
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

test("two nodes accept calls while both maintain twenty days of partitions, and nothing is lost", async (t) => {
  const { node, other, account, debitOrder, days, ledger } = await openFixture(t);
  const DAYS = 20;
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
