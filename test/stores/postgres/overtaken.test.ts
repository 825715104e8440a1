import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  assertTotals,
  createFixture,
  DAY,
  idempotency,
  START,
} from "../../contract/ledger/fixture.ts";
import { borrowDatabase, type Node, openNode, openNodes } from "./fixture.ts";

const PIDS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()";

/** An automatic vacuum, or a connection of an earlier test, may just have ended. */
function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ESRCH");
    }
  }
}

test("a debit that a stalled backend delays until after its reversal is not charged", async (t) => {
  const url = await borrowDatabase(t);
  const node = await openNode(url);
  t.after(() => node.close());
  const { ledger, account, debit, debitOrder, balance, usage } = createFixture(node);
  const id = await account("Ada", { credits: 10 });
  await debit(id);
  const pids = (await node.pool.once<{ pid: number }>("read", PIDS)).map(({ pid }) => pid);
  const other = await openNode(url);
  t.after(() => other.close());

  const order = debitOrder(id);
  const { callId, now: at } = order;
  signal(pids, "SIGSTOP");
  const late = ledger.debit(order);
  late.catch(() => {});
  try {
    await wait(100);
    const reversal = { account: id, callId, at, now: at };
    assert.deepEqual(await other.ledger.reverse(reversal), { reversed: false });
  } finally {
    signal(pids, "SIGCONT");
  }
  await assert.rejects(late, /was reversed/);
  assert.equal((await debit(id)).outcome, "debited");
  assert.equal(await balance(id), 8);
  assert.equal((await usage())[0]?.calls, 2);
  await assertTotals(ledger, START);
});

const WAITING =
  "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

test("an idempotency record that a call replaces while the upkeep deletes the old one is kept", async (t) => {
  const [node, other] = (await openNodes(t, "caller", "caller")) as [Node, Node];
  const { ledger, account, debitOrder } = createFixture(node);
  const id = await account("Ada", { credits: 10 });
  const call = (now: number) =>
    node.ledger.debit(debitOrder(id, { now, idempotency: idempotency("daily") }));
  await call(START);
  const upkeep = { now: START + DAY, rollUpBefore: 0, rowsMax: 100, after: null };
  let maintained: Promise<unknown> | undefined;
  await other.pool.transaction("write", async (query) => {
    for (const sql of REPLACE) await query(sql);
    maintained = ledger.maintain(upkeep);
    while ((await other.pool.once("read", WAITING)).length === 0) await wait(5);
  });
  await maintained;
  const { outcome } = await call(START + DAY + 1);
  assert.equal(outcome, "replayed");
});

/** As a debit does. */
const REPLACE = [
  "SELECT 1 FROM account FOR NO KEY UPDATE",
  `UPDATE idempotency SET at = ${START + DAY}`,
];
