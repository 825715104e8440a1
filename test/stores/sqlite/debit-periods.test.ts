import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { exportRecords } from "#stores/durable-object/exports.ts";
import { countWrites } from "#stores/durable-object/writes.ts";
import { createDebitPeriods } from "#stores/sqlite/debit-periods.ts";
import {
  allEntries,
  assertTotals,
  DAY,
  HOUR,
  idempotency,
  MINUTE,
  maintainFully,
  START,
} from "../../contract/ledger/fixture.ts";
import { openBatched, openDriver } from "./fixture.ts";

/** The ledger of an object, whose periods the test starts and rolls up. */
async function open(t: TestContext) {
  const driver = openDriver(t);
  const periods = createDebitPeriods(driver);
  const { ledger, ...fixture } = openBatched(driver, { periods });
  const count = (table: string) =>
    Number(driver.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
  return {
    ...fixture,
    ...{ ledger, driver, periods, count },
    startNew: (now: number) => driver.transaction("write", () => periods.startNew(now)),
    rollUp: (before: number, now = before + 40 * DAY) =>
      maintainFully(ledger, { now, rollUpBefore: before, rowsMax: 500 }),
  };
}

/** Calls of two accounts with two tools over 20 hours, some reversed; the first one of Ada is free. */
async function fill({ account, debitOrder, ledger, startNew }: Awaited<ReturnType<typeof open>>) {
  const accounts = [
    await account("Ada", { freeCall: "open", credits: 500 }),
    await account("Bob", { credits: 500 }),
  ];
  const reversals = [];
  for (let call = 0; call < 120; call += 1) {
    if (call === 70) startNew(START + 12 * HOUR);
    const order = debitOrder(accounts[call % 2] as string, {
      // Some arrive late: their times are in the period before.
      now: START + (call % 9 === 8 ? call / 3 : call) * 10 * MINUTE,
      tool: call % 3 === 0 ? "hash" : "uuid",
    });
    await ledger.debit(order);
    const { account: of, callId, now: at } = order;
    if (call % 11 === 5) reversals.push({ account: of, callId, at, now: START + DAY });
  }
  return { accounts, reversals };
}

describe("periods of debits", () => {
  for (const sum of [null, 4]) {
    const how = sum === null ? "not summed" : "summed before";
    test(`rolling a period up changes no usage, total or balance: ${how}`, async (t) => {
      const opened = await open(t);
      const { ledger, periods, usage, count, driver } = opened;
      const { accounts, reversals } = await fill(opened);
      for (const reversal of reversals.slice(0, 4)) await ledger.reverse(reversal);
      for (const account of accounts)
        while (sum !== null && (await opened.sumUsage({ account, max: sum })).more);
      for (const reversal of reversals.slice(4)) await ledger.reverse(reversal);
      const start = periods.start();
      assert.equal(start % HOUR, 0);
      const kept = `SELECT count(*) AS n FROM debit WHERE at >= ${start}`;
      const later = Number(driver.prepare(kept).get()?.["n"]);
      assert.equal(count("debit_by_account"), later);
      const reports = async () => [
        await usage(),
        (await ledger.audit({ now: START + DAY })).totals,
        await ledger.credits({ account: accounts[0] as string, now: START + DAY }),
      ];
      const before = await reports();
      await opened.rollUp(start);
      assert.deepEqual([count("debit_journal"), count("debit_by_account")], [0, later]);
      assert.deepEqual(await reports(), before);
      await assertTotals(ledger, START + DAY);
      // A call that arrives even later, and another period.
      for (const account of accounts) await opened.debit(account, { now: START + HOUR });
      opened.startNew(START + 30 * HOUR);
      const next = await reports();
      await opened.rollUp(START + 40 * HOUR);
      assert.equal(count("debit"), 0);
      assert.deepEqual(await reports(), next);
      await assertTotals(ledger, START + DAY);
      const free = driver.prepare("SELECT sum(free_calls) AS calls FROM usage_hour").get();
      assert.equal(free?.["calls"], 1, "the first call was free");
    });
  }

  test("a call of the earlier period is charged once, can be reversed, and keeps its idempotency key", async (t) => {
    const opened = await open(t);
    const { ledger, debitOrder, balance, startNew, count } = opened;
    const account = await opened.account("Ada", { credits: 10 });
    const [one, two] = ["one", "two"].map((key) =>
      debitOrder(account, { idempotency: idempotency(key) }),
    );
    assert.ok(one !== undefined && two !== undefined);
    for (const order of [one, two]) await ledger.debit(order);
    startNew(START);
    for (const { idempotency } of [one, two]) {
      const repeat = debitOrder(account, { idempotency });
      assert.equal((await ledger.debit(repeat)).outcome, "replayed");
    }
    const plain = debitOrder(account, { now: START + 1 });
    for (let time = 0; time < 2; time += 1)
      assert.equal((await ledger.debit(plain)).outcome, "debited");
    assert.equal(count("debit_journal"), 3);
    assert.equal(await balance(account), 7);
    const { callId, now: at } = one;
    assert.deepEqual(await ledger.reverse({ account, callId, at, now: at }), { reversed: true });
    assert.deepEqual(await ledger.reverse({ account, callId, at, now: at }), { reversed: false });
    assert.equal(await balance(account), 8);
    const again = debitOrder(account, { idempotency: idempotency("one"), now: START + 2 });
    assert.equal((await ledger.debit(again)).outcome, "debited", "a reversed call is not replayed");
    const call = await ledger.findCall({ account, callId: two.callId, at: two.now });
    assert.ok(call.outcome === "found" && call.isRepeatable);
    const reversed = await ledger.findCall({ account, callId, at });
    assert.ok(reversed.outcome === "found" && !reversed.isRepeatable);
    await assertTotals(ledger, START);
  });

  test("the record of a reversed call is not exported", async (t) => {
    const { ledger, driver, debitOrder, ...opened } = await open(t);
    const account = await opened.account("Ada", { credits: 10 });
    for (const key of ["kept", "reversed"]) {
      const order = debitOrder(account, { idempotency: idempotency(key) });
      await ledger.debit(order);
      if (key === "reversed") await ledger.reverse({ ...order, at: order.now });
    }
    const page = { account, kind: "idempotency", after: null, max: 9, hold: false } as const;
    const { records } = exportRecords(driver, countWrites(), page);
    assert.deepEqual(
      records.map((record) => "key" in record && record.key),
      ["kept"],
    );
  });

  test("a part of a period can be rolled up, debit by debit", async (t) => {
    const opened = await open(t);
    const { ledger, usage, count } = opened;
    const { accounts } = await fill(opened);
    for (const account of accounts) while ((await opened.sumUsage({ account, max: 4 })).more);
    const before = await usage();
    await opened.rollUp(START + 5 * HOUR);
    assert.ok(count("debit_journal") > 0);
    assert.equal(count(`debit WHERE at < ${START + 5 * HOUR}`), 0);
    assert.deepEqual(await usage(), before);
    await opened.rollUp(START + 40 * HOUR);
    assert.equal(count("debit"), 0);
    assert.deepEqual(await usage(), before);
    await assertTotals(ledger, START + DAY);
  });

  test("a clock that was ahead does not keep a period", async (t) => {
    const opened = await open(t);
    const account = await opened.account("Ada", { credits: 10 });
    await opened.debit(account);
    await opened.debit(account, { now: START + 1_000 * DAY });
    opened.startNew(START);
    assert.deepEqual([opened.count("debit_journal"), opened.count("debit_by_account")], [1, 1]);
    assert.equal(opened.periods.isEarlierBefore(START + 1), true);
  });

  test("entries are the same before and after a new period starts", async (t) => {
    const opened = await open(t);
    const account = await opened.account("Ada", { credits: 50 });
    for (let call = 0; call < 20; call += 1)
      await opened.debit(account, { now: START + call * 20 * MINUTE });
    const entries = () => allEntries(opened.ledger, account, START + DAY, 3);
    const before = await entries();
    opened.startNew(START + 2 * HOUR);
    assert.ok(opened.count("debit_journal") > 0 && opened.count("debit_by_account") > 0);
    assert.deepEqual(await entries(), before);
  });
});
