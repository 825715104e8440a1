import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { DAY_MS } from "#limits.ts";
import { decideTogether } from "#stores/postgres/decide-together.ts";
import { keepPartitions, UPKEEP_LOCK } from "#stores/postgres/partitions.ts";
import type { PostgresSend } from "#stores/postgres/pool.ts";
import { createFixture, idempotency } from "../../contract/ledger/fixture.ts";
import { type Node, newDatabase, openNode } from "./fixture.ts";

/** Days are created and dropped during calls: what a call locks, and what the upkeep of days waits for. */
const NOW = Date.now();
const TODAY = Math.floor(NOW / DAY_MS) * DAY_MS;
const nameOf = (day: number) =>
  `debit_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
const OLD = TODAY - 50 * DAY_MS;
const ROLL_UP_BEFORE = NOW - 40 * DAY_MS;

async function openDays(t: TestContext) {
  const url = await newDatabase();
  const [node, other] = (await Promise.all([openNode(url), openNode(url)])) as [Node, Node];
  t.after(() => Promise.all([node.close(), other.close()]));
  const { pool } = node;
  await keepPartitions(pool, NOW, 0);
  const makeDay = (day: number) =>
    pool.once(
      "upkeep",
      `CREATE TABLE ${nameOf(day)} PARTITION OF debit FOR VALUES FROM (${day}) TO (${day + DAY_MS})`,
    );
  return {
    ...{ node, other, pool, makeDay },
    ...createFixture(node),
    async isThere(day: number) {
      const [row] = await pool.once<{ is: boolean }>(
        "read",
        "SELECT to_regclass($1) IS NOT NULL AS is",
        [nameOf(day)],
      );
      return row?.is;
    },
  };
}

const LOCKED = `SELECT relname AS name FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
  JOIN pg_inherits i ON i.inhrelid = c.oid WHERE pid = pg_backend_pid() AND inhparent = 'debit'::regclass`;

test("a call locks only the partition of its day, whether it is charged, has an idempotency key, is rejected or is repeated", async (t) => {
  const { pool, account, debitOrder, makeDay } = await openDays(t);
  for (let day = 1; day <= 20; day += 1) await makeDay(TODAY - day * DAY_MS);
  const id = await account("Ada", { credits: 1_000 });
  const at = { now: NOW };
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
      for (let round = 0; round < 8; round += 1) {
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
  const { node, other, pool, account, debitOrder, makeDay, isThere } = await openDays(t);
  await makeDay(OLD);
  const id = await account("Old");
  await pool.once(
    "upkeep",
    `INSERT INTO debit (account_no, at, call_id, key_no, tool, credits, is_free)
     SELECT 1, ${OLD} + i, 'call_' || i, 1, 'hash', 0, 0 FROM generate_series(1, 200000) i`,
  );
  await keepPartitions(pool, NOW, ROLL_UP_BEFORE);
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
      const order = debitOrder(each, { now: NOW, idempotency: kept });
      const { outcome } = await ledger.debit(order);
      assert.match(outcome, /^(?:debited|replayed)$/);
      assert.equal(
        (await ledger.debit(debitOrder(id, { now: NOW, key: "no" }))).outcome,
        "invalid_key",
      );
      debited += 1;
    }
  });
  // If another program slows down the machine, the next round succeeds.
  for (let round = 0; round < 5 && (await isThere(OLD)); round += 1)
    await keepPartitions(pool, NOW, ROLL_UP_BEFORE, "try");
  const gone = !(await isThere(OLD));
  const before = debited;
  while (debited < before + 50) await wait(5);
  isOver = true;
  await Promise.all(callers);
  assert.ok(gone);
});

test("while a reader holds all partitions, only one of three drops is attempted, and calls wait no longer than for that", async (t) => {
  const { other, pool, account, debit, makeDay, isThere } = await openDays(t);
  const days = [OLD, OLD - DAY_MS, OLD - 2 * DAY_MS];
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
    const calls = [1, 2, 3].map(() => debit(id, { now: NOW }));
    await keepPartitions(counted, NOW, ROLL_UP_BEFORE);
    for (const { outcome } of await Promise.all(calls)) assert.equal(outcome, "debited");
  });
  assert.equal(tries, 1);
  for (const day of days) assert.ok(await isThere(day));
  await keepPartitions(counted, NOW, ROLL_UP_BEFORE);
  for (const day of days) assert.ok(!(await isThere(day)));
});

test("while one node does the maintenance, another one neither creates nor drops partitions", async (t) => {
  const { other, pool, makeDay, isThere } = await openDays(t);
  await makeDay(OLD);
  const later = NOW + DAY_MS;
  await pool.transaction("write", async (query) => {
    await query("SELECT pg_advisory_xact_lock($1)", [UPKEEP_LOCK]);
    await keepPartitions(other.pool, later, ROLL_UP_BEFORE, "try");
    assert.ok(await isThere(OLD));
    assert.ok(!(await isThere(TODAY + 4 * DAY_MS)));
  });
  await keepPartitions(other.pool, later, ROLL_UP_BEFORE, "try");
  assert.ok(!(await isThere(OLD)));
  assert.ok(await isThere(TODAY + 4 * DAY_MS));
});
