import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { assertTotals, createFixture, START } from "../../contract/ledger/fixture.ts";
import { borrowDatabase, openNode } from "./fixture.ts";

const PIDS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()";

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
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  const late = ledger.debit(order);
  late.catch(() => {});
  try {
    await wait(100);
    const reversal = { account: id, callId, at, now: at };
    assert.deepEqual(await other.ledger.reverse(reversal), { reversed: false });
  } finally {
    for (const pid of pids) process.kill(pid, "SIGCONT");
  }
  await assert.rejects(late, /was reversed/);
  assert.equal((await debit(id)).outcome, "debited");
  assert.equal(await balance(id), 8);
  assert.equal((await usage())[0]?.calls, 2);
  await assertTotals(ledger, START);
});
