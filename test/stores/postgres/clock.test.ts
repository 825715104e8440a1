import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import { keepPartitions } from "#stores/postgres/partitions.ts";
import { createPostgresThrottle } from "#stores/postgres/throttle.ts";
import { createFixture, idempotency } from "../../contract/ledger/fixture.ts";
import { holding } from "../../contract/ledger/holds.ts";
import { type Node, openNodes } from "./fixture.ts";

/** Nodes with wrong clocks run the upkeep. They delete only rows that are old by the database's clock too. */
const NOW = Date.now();

async function openClocks(t: TestContext) {
  // Records count from the database's clock, so old ones are made by a node that does without it.
  const nodes = await openNodes(t, "database", "database", "caller");
  const [node, other, past] = nodes as [Node, Node, Node];
  await keepPartitions(node.pool, NOW, 0);
  return { node, other, past, ...createFixture(node) };
}

/** Runs the upkeep of a node whose clock is ahead by this much. */
const roundOf = ({ ledger }: Node, aheadMs: number) => {
  const now = Date.now() + aheadMs;
  return ledger.maintain({ now, rollUpBefore: now - 2 * DAY_MS, rowsMax: 100, after: null });
};

/** Apart from the time that the test has taken since it read the clock. */
const assertNear = (ms: number | undefined, expected: number) =>
  assert.ok(ms !== undefined && Math.abs(ms - expected) < HOUR_MS, String(ms));

test("a node whose clock is days ahead deletes and rolls up nothing early, and reports the difference", async (t) => {
  const { node, other, account, debit } = await openClocks(t);
  const id = await account("Ada", { credits: 10 });
  const call = () => debit(id, { now: NOW, idempotency: idempotency("once") });
  assert.equal((await call()).outcome, "debited");
  const throttle = createPostgresThrottle(node.pool);
  const rule = { window: 3_600, max: 1 };
  assert.equal((await throttle.countRequest("somebody", rule, NOW)).allowed, true);

  const { clockAheadMs, ...done } = await roundOf(other, 9 * DAY_MS);
  assert.deepEqual(done, { notified: 0, rolledUp: 0, forgotten: 0, after: null });
  assertNear(clockAheadMs, 9 * DAY_MS);
  assert.equal((await call()).outcome, "replayed");
  assert.equal((await throttle.countRequest("somebody", rule, NOW + 1)).allowed, false);
  const [kept] = await node.pool.once(
    "read",
    "SELECT count(*), min(tableoid::regclass::text) AS day FROM debit",
  );
  const day = `debit_${new Date(NOW).toISOString().slice(0, 10).replaceAll("-", "")}`;
  assert.deepEqual(kept, { count: 1, day });
});

test("rows that are old by both clocks are deleted by either node, and clocks that agree are not reported", async (t) => {
  const { node, other, past, account, debit, debitOrder, usage } = await openClocks(t);
  const id = await account("Ada", { credits: 10 });
  for (const days of [3, 4, 5]) await debit(id, { now: NOW - days * DAY_MS + HOUR_MS });
  const key = idempotency("old");
  await past.ledger.debit(debitOrder(id, { now: NOW - DAY_MS - HOUR_MS, idempotency: key }));
  const slow = await roundOf(other, -DAY_MS);
  assertNear(slow.clockAheadMs, -DAY_MS);
  assert.deepEqual([slow.rolledUp, slow.forgotten], [2, 0]);
  assert.deepEqual(await roundOf(node, 0), { notified: 0, rolledUp: 1, forgotten: 1, after: null });
  assert.equal((await usage()).length, 4);
});

test("a call with a wrong clock is neither charged again nor kept for less than a day", async (t) => {
  const { node, other, account, debit, debitOrder } = await openClocks(t);
  const id = await account("Ada", { credits: 10 });
  const at = (aheadMs: number) => ({ now: Date.now() + aheadMs });
  const first = debitOrder(id, { ...at(0), idempotency: idempotency("once") });
  assert.equal((await node.ledger.debit(first)).outcome, "debited");
  const repeat = (aheadMs: number, key = "once") =>
    other.ledger.debit(debitOrder(id, { ...at(aheadMs), idempotency: idempotency(key) }));
  assert.equal((await repeat(25 * HOUR_MS)).outcome, "replayed");
  const status = await other.ledger.keyStatus({
    ...{ account: id, keySha256: first.keySha256, ...at(25 * HOUR_MS) },
    ...{ tool: "hash", idempotencyKey: "once" },
  });
  assert.ok(status.outcome === "good" && status.replayable);

  assert.equal((await repeat(-25 * HOUR_MS, "slow")).outcome, "debited");
  assert.equal((await repeat(0, "slow")).outcome, "replayed");

  // A reversal finds the record although it counts from the database's clock.
  const slow = debitOrder(id, { ...at(-25 * HOUR_MS), idempotency: idempotency("reversed") });
  assert.equal((await other.ledger.debit(slow)).outcome, "debited");
  const reversal = { account: id, callId: slow.callId, at: slow.now, now: Date.now() };
  assert.deepEqual(await node.ledger.reverse(reversal), { reversed: true });
  assert.equal((await repeat(0, "reversed")).outcome, "debited");
  assert.equal((await debit(id, { ...at(0) })).outcome, "debited");
});

test("a call that held its price is named to its repeats as it was made, and kept for a day although its node has a slow clock", async (t) => {
  const opened = await openClocks(t);
  const id = await opened.account("Ada", { credits: 100 });
  const { orderOf, settle, release } = holding(opened);
  const held = (name: string, aheadMs: number) =>
    orderOf(id, { once: [name], onCrash: "unknown", now: Date.now() + aheadMs });
  const failed = held("failed", 0);
  await opened.ledger.hold(failed);
  await release(failed, "unknown");
  const repeat = await opened.ledger.hold(held("failed", 0));
  assert.ok(repeat.outcome === "outcome_unknown");
  assert.deepEqual([repeat.callId, repeat.at], [failed.callId, failed.now]);

  const slow = held("slow", -25 * HOUR_MS);
  await opened.ledger.hold(slow);
  await settle(slow);
  assert.equal((await opened.ledger.hold(held("slow", 0))).outcome, "kept");
});

test("a node whose clock is a year ahead does not use up the day's budget of a key for a year", async (t) => {
  const { node, other, account, debitOrder, createKey } = await openClocks(t);
  const id = await account("Ada", { credits: 100 });
  const budgets = { total: null, month: null, day: 3 };
  const none = { expiresAt: null, tools: null, networks: null, rate: null };
  await createKey(id, "own", Date.now(), { ...none, budgets });
  const debit = async ({ ledger }: Node, aheadMs: number) => {
    const order = debitOrder(id, { key: "own", now: Date.now() + aheadMs });
    return (await ledger.debit(order)).outcome;
  };
  const year = 365 * DAY_MS;
  assert.equal(await debit(other, year), "debited", "it counts for today");
  assert.equal(await debit(other, -year), "debited", "and so does this one");
  assert.equal(await debit(node, 0), "debited");
  for (const ahead of [0, year, -year])
    assert.equal(await debit(other, ahead), "key_budget_exhausted");
});
