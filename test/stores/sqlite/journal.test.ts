import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createJournal } from "#stores/sqlite/new-debits.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { assertTotals, DAY, START } from "../../contract/ledger/fixture.ts";
import { openBatched, openDriver } from "./fixture.ts";

function open(driver: NodeSqlite) {
  const { ledger, runBatch, ...fixture } = openBatched(driver);
  const journal = createJournal(driver);
  const drain = (rows = 1000) => driver.transaction("write", () => journal.drain(rows));
  return { ledger, journal, drain, runBatch, fixture: { ledger, ...fixture } };
}

/** That reads and repeated orders do not depend on drains is also shown with random orders (`ledger.test.ts`). */
describe("the journal of debits", () => {
  test("a repeated order is found after maintenance in the same batch moved its debit", async (t) => {
    const { journal, fixture, runBatch } = open(openDriver(t));
    const account = await fixture.account("Ada", { credits: 9 });
    const [old, fresh] = [
      fixture.debitOrder(account),
      fixture.debitOrder(account, { now: START + 9 * DAY }),
    ];
    await fixture.ledger.debit(old);
    const upkeep = { now: START + 9 * DAY, rollUpBefore: START + DAY, rowsMax: 1, after: null };
    const results = runBatch([
      ["debit", fresh],
      ["maintain", upkeep],
      ["debit", old],
    ]);
    assert.deepEqual(results[2], { value: { outcome: "debited", charged: 1, balance: 7 } });
    assert.equal(await fixture.balance(account), 7);
    journal.drain(1000);
    await assertTotals(fixture.ledger, START);
  });

  test("many debits of one account at once bypass the journal, and no order is carried out twice", async (t) => {
    const { ledger, journal, fixture, runBatch } = open(openDriver(t));
    const account = await fixture.account("Ada", { credits: 1_000 });
    const ordersAt = (now: number) =>
      Array.from({ length: 20 }, () => fixture.debitOrder(account, { now }));
    const debitAll = (orders: ReturnType<typeof ordersAt>) =>
      runBatch(orders.map((order) => ["debit", order])).map((result) => "value" in result);
    const [first, second, third] = [1, 2, 3].map((at) => ordersAt(START + at));
    assert.ok(debitAll(first as never).every(Boolean));
    assert.equal(journal.count(), 0);
    // Single debits are appended. A batch that is not later than all of them is appended too.
    for (const order of second as never as ReturnType<typeof ordersAt>) await ledger.debit(order);
    assert.equal(journal.count(), 20);
    const again = [...(first ?? []), ...(second ?? [])].flatMap((order) => [order, order]);
    assert.ok(debitAll(again).every(Boolean));
    assert.equal(await fixture.balance(account), 960);
    assert.ok(debitAll(third as never).every(Boolean));
    for (const order of [...(first ?? []), ...(third ?? [])]) await ledger.debit(order);
    assert.ok(debitAll([...(third ?? []), ...(second ?? [])]).every(Boolean));
    assert.equal(await fixture.balance(account), 940);
    assert.equal(journal.count(), 20);
    await assertTotals(ledger, START);
  });

  test("a batch that starts in the last millisecond of the journal bypasses it, and finds the debits in it", async (t) => {
    const { journal, fixture, runBatch } = open(openDriver(t));
    const account = await fixture.account("Ada", { credits: 100 });
    const orders = (count: number, now: number) =>
      Array.from({ length: count }, () => fixture.debitOrder(account, { now }));
    const debitAll = (of: ReturnType<typeof orders>) =>
      runBatch(of.map((order) => ["debit", order])).map(
        (result) => (result as { value: { balance: number } }).value.balance,
      );
    const appended = fixture.debitOrder(account, { now: START });
    await fixture.ledger.debit(appended);
    const [sameTime, later] = [orders(5, START), orders(8, START + 1)];
    assert.equal(debitAll([...sameTime, ...later]).at(-1), 86);
    assert.equal(journal.count(), 1);
    // Too few are later, so all are appended, although some are as old as debits outside the journal.
    assert.equal(debitAll([...orders(7, START + 2), ...orders(5, START)]).at(-1), 74);
    assert.equal(journal.count(), 13);
    assert.equal(debitAll([...orders(9, START + 3), appended]).at(-1), 65);
    assert.equal(debitAll([...later.slice(0, 2), ...orders(3, START + 3)]).at(-1), 62);
    assert.equal(await fixture.balance(account), 62);
    journal.drain(1000);
    await assertTotals(fixture.ledger, START);
  });

  test("the journal is drained at 2,000 to 10,000 rows, later if it has more accounts", (t) => {
    const driver = openDriver(t);
    const { journal } = open(driver);
    const fill = (accounts: number) =>
      driver.exec(`
        DELETE FROM debit_journal;
        INSERT INTO debit_journal (account_no, at, call_id, key_no, tool, credits, is_free)
          WITH RECURSIVE call(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM call WHERE n < 2999)
          SELECT n % ${accounts}, n, 'call-' || n, 1, 'hash', 0, 1 FROM call`);
    for (const [accounts, rows] of [
      [1, 2_000],
      [201, 2_010],
      [999, 9_990],
      [3_000, 10_000],
    ] as const) {
      fill(accounts);
      assert.equal(journal.drainFrom(), rows);
    }
  });
});
