import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import type { Ledger } from "#ledger/port.ts";
import { callsByKey } from "#ledger/read-pages.ts";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { createJournal } from "#stores/sqlite/journal.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";
import { exportSqlite } from "#stores/sqlite/transfer.ts";
import {
  allEntries,
  assertTotals,
  createFixture,
  DAY,
  HOUR,
  START,
} from "../../contract/ledger/fixture.ts";
import { ledgerModel } from "../../contract/ledger-model.ts";
import { openEmpty } from "../transfer-fixture.ts";

function open(driver: NodeSqlite) {
  const { ledger } = openSqliteDirect(driver);
  const runBatch = createBatchRunner(driver);
  const journal = createJournal(driver);
  const drain = (rows = 1000) => driver.transaction("write", () => journal.drain(rows));
  return { ledger, journal, drain, runBatch, fixture: createFixture({ ledger }) };
}

/** Moves some rows out of the journal after each order: one, two or all. */
function drainedAlways(driver: NodeSqlite): Ledger {
  const { ledger, drain } = open(driver);
  let orders = 0;
  const entries = Object.entries(ledger).map(([name, operation]) => [
    name,
    async (order: never) => {
      const outcome = await (operation as (order: never) => Promise<unknown>)(order);
      orders += 1;
      drain([1, 2, 1000][orders % 3]);
      return outcome;
    },
  ]);
  return Object.fromEntries(entries) as Ledger;
}

ledgerModel("in SQLite, with a journal that is drained after every order", async (t) => ({
  ledger: drainedAlways(openEmpty(t)),
}));

describe("the journal of debits", () => {
  test("reads of an account are the same before, during and after a drain", async (t) => {
    const driver = openEmpty(t);
    const { ledger, drain, fixture, journal } = open(driver);
    const [ada, bob] = [
      await fixture.account("Ada", { credits: 40 }),
      await fixture.account("Bob", { credits: 40 }),
    ];
    for (let call = 0; call < 30; call += 1) {
      const order = fixture.debitOrder(call % 3 === 0 ? bob : ada, { now: START + call * HOUR });
      await ledger.debit(order);
      const { account, callId, now: at } = order;
      if (call % 7 === 0) await ledger.reverse({ account, callId, at, now: at + 5 });
    }
    const told = async () => ({
      entries: [
        await allEntries(ledger, ada, START + 99 * HOUR, 7),
        await allEntries(ledger, bob, START),
      ],
      usage: await fixture.usage(),
      recent: await callsByKey(ledger, { account: ada, since: START + 11 * HOUR }),
      totals: (await assertTotals(ledger, START)).totals,
      lines: linesOf(driver),
    });
    const before = await told();
    assert.equal(journal.count(), 30);
    for (const [slice, left] of [
      [4, 26],
      [1, 25],
      [1000, 0],
    ] as const) {
      drain(slice);
      assert.equal(journal.count(), left);
      assert.deepEqual(await told(), before);
    }
  });

  test("an order that is repeated after its debit was moved is the same debit", async (t) => {
    const { ledger, drain, fixture, journal } = open(openEmpty(t));
    const account = await fixture.account("Ada", { credits: 3 });
    const order = fixture.debitOrder(account);
    const later = fixture.debitOrder(account, { now: START + 1 });
    await ledger.debit(order);
    await ledger.debit(later);
    drain(1);
    for (const each of [order, later, order])
      assert.deepEqual(await ledger.debit(each), { outcome: "debited", charged: 1, balance: 1 });
    drain();
    await ledger.debit(later);
    assert.equal(journal.count(), 0);
    assert.equal(await fixture.balance(account), 1);
  });

  test("a repeated order is found after maintenance in the same batch moved its debit", async (t) => {
    const { journal, fixture, runBatch } = open(openEmpty(t));
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

  test("a debit with a time before the moved ones is stored, and moved later", async (t) => {
    const { ledger, drain, fixture } = open(openEmpty(t));
    const account = await fixture.account("Ada", { credits: 3 });
    await fixture.debit(account, { now: START + 10 });
    drain();
    const late = fixture.debitOrder(account, { now: START + 5 });
    assert.equal((await ledger.debit(late)).outcome, "debited");
    drain();
    assert.deepEqual(await ledger.debit(late), { outcome: "debited", charged: 1, balance: 1 });
    await assertTotals(ledger, START);
  });

  test("many debits of one account at once bypass the journal, and no order is carried out twice", async (t) => {
    const { ledger, journal, fixture, runBatch } = open(openEmpty(t));
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
    const { journal, fixture, runBatch } = open(openEmpty(t));
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

  test("if grants are read again within a batch, an order before and after that is one debit", async (t) => {
    const { journal, fixture, runBatch } = open(openEmpty(t));
    const account = await fixture.account("Ada");
    for (let day = 1; day <= 8; day += 1)
      await fixture.grant(account, `day-${day}`, 10, { expiresAt: START + day * DAY });
    const debitAt = (now: number) => fixture.debitOrder(account, { now });
    // At each of these times a different grant comes first, so the balance is summed, including the batch's changes so
    // far.
    const order = debitAt(START + DAY + 1);
    const before = debitAt(START + 1);
    const late = Array.from({ length: 8 }, () => debitAt(START + DAY + 2));
    const results = runBatch([order, before, order, ...late].map((each) => ["debit", each]));
    assert.ok(results.every((result) => "value" in result));
    assert.equal(await fixture.balance(account, START + DAY + 2), 61);
    const entries = await allEntries(fixture.ledger, account, START + DAY + 2);
    assert.equal(entries.filter(({ kind }) => kind === "debit").length, 10);
    journal.drain(1000);
    await assertTotals(fixture.ledger, START + DAY + 1);
  });

  test("the journal is drained at 2,000 to 10,000 rows, later if it has more accounts", (t) => {
    const driver = openEmpty(t);
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

  test("a debit is reversed in either table, and a reversal that arrived first is kept", async (t) => {
    const { ledger, drain, fixture } = open(openEmpty(t));
    const account = await fixture.account("Ada", { credits: 3 });
    const [moved, kept, early] = [1, 2, 3].map((at) =>
      fixture.debitOrder(account, { now: START + at }),
    );
    for (const order of [moved, kept]) await ledger.debit(order as never);
    const reverse = ({ callId, now: at }: { callId: string; now: number }) =>
      ledger.reverse({ account, callId, at, now: START + 9 });
    assert.deepEqual(await reverse(early as never), { reversed: false });
    drain(1);
    assert.deepEqual(await reverse(moved as never), { reversed: true });
    assert.deepEqual(await reverse(kept as never), { reversed: true });
    drain();
    for (const order of [moved, kept, early])
      await assert.rejects(ledger.debit(order as never), /reversed/);
    assert.equal(await fixture.balance(account), 3);
  });

  test("orders of two connections see each other, whether or not the journal was drained", async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-journal-"));
    const file = path.join(folder, "ledger.sqlite");
    const drivers = [openNodeSqlite(file), openNodeSqlite(file)];
    t.after(() => {
      for (const driver of drivers) driver.close();
      rmSync(folder, { recursive: true });
    });
    const [one, other] = drivers.map(open) as [ReturnType<typeof open>, ReturnType<typeof open>];
    const account = await one.fixture.account("Ada", { credits: 30 });
    for (let round = 0; round < 9; round += 1) {
      const order = one.fixture.debitOrder(account, { now: START + round });
      assert.partialDeepStrictEqual(await one.ledger.debit(order), { balance: 29 - 3 * round });
      if (round % 3 === 0) other.drain(1);
      // The same order on the other connection is the same debit; a different order is not.
      assert.partialDeepStrictEqual(await other.ledger.debit(order), { balance: 29 - 3 * round });
      const own = { ...order, callId: `${order.callId}b` };
      assert.partialDeepStrictEqual(await other.ledger.debit(own), { balance: 28 - 3 * round });
      await other.fixture.grant(account, `gift-${round}`, 1, { now: START + round });
      await other.fixture.clawback(account, `gift-${round}`, 1, 1, START + round);
      await one.fixture.debit(account, { now: START + round, callId: `${order.callId}c` });
    }
    assert.equal(await other.fixture.balance(account), 3);
    await assertTotals(other.ledger, START);
  });
});

function linesOf(driver: NodeSqlite): string {
  const parts: Uint8Array[] = [];
  exportSqlite(driver, { secret: null }, (bytes) => parts.push(bytes));
  return Buffer.concat(parts).toString();
}
