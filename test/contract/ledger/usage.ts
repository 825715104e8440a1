import assert from "node:assert/strict";
import type { UsageRow } from "#ledger/port.ts";
import { callsByKey } from "#ledger/read-pages.ts";
import {
  accountId,
  assertTotals,
  createRule,
  DAY,
  type Fixture,
  HOUR,
  keyId,
  MINUTE,
  type OpenLedger,
  START,
  sortedUsage,
} from "./fixture.ts";

export function describeUsage(open: OpenLedger) {
  const test = createRule(open);

  test("usage counts calls and credits by account, key, tool and hour", async (fixture) => {
    const ada = await callsOfTwoHours(fixture);
    const bob = accountId("Bob");
    const row = { account: ada, key: keyId(ada), tool: "hash", hour: START, calls: 1, credits: 1 };
    const expected = [
      { ...row, key: keyId(ada), calls: 3, credits: 2 },
      { ...row, key: keyId(ada), tool: "uuid" },
      { ...row, key: keyId(ada, "other") },
      { ...row, account: bob, key: keyId(bob) },
      { ...row, key: keyId(ada), hour: START + HOUR, calls: 1 },
    ];
    assert.deepEqual(await fixture.usage(), expected);
    const ofAda = expected.filter(({ account }) => account === ada);
    assert.deepEqual(await fixture.usage(ada), ofAda);
    for (const max of [1, 2, 3]) {
      const pages: UsageRow[] = [];
      for (let after: UsageRow | null = null, length = max; length === max; ) {
        const order = { account: ada, from: START, to: START + DAY, after, max };
        const page: readonly UsageRow[] = await fixture.ledger.usage(order);
        pages.push(...page);
        after = page.at(-1) ?? null;
        length = page.length;
      }
      assert.deepEqual(
        pages,
        await fixture.ledger.usage({ account: ada, from: START, to: START + DAY }),
      );
    }
  });

  test("a debit counts in the hour in which it was made, to the millisecond", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    for (const now of [START - 1, START, START + HOUR - 1, START + HOUR])
      await fixture.debit(account, { now });
    assert.deepEqual(
      (await fixture.usage()).map(({ hour, calls }) => [hour, calls]),
      [
        [START - HOUR, 1],
        [START, 2],
        [START + HOUR, 1],
      ],
    );
  });

  for (const rolledUp of [false, true])
    test(`usage covers from <= hour < to, ${rolledUp ? "after" : "before"} rolling up`, async (fixture) => {
      const account = await fixture.account("Ada", { credits: 5 });
      for (const hours of [0, 1, 2])
        await fixture.debit(account, { now: START + hours * HOUR + 7 });
      if (rolledUp) await fixture.rollUp(START + DAY);
      const hoursIn = async (from: number, to: number) =>
        (await sortedUsage(fixture.ledger, [account], { from, to })).map(({ hour }) => hour);
      assert.deepEqual(await hoursIn(START, START + 2 * HOUR), [START, START + HOUR]);
      assert.deepEqual(await hoursIn(START + HOUR, START + HOUR + 1), [START + HOUR]);
      assert.deepEqual(await hoursIn(START + 1, START + 2 * HOUR), [START + HOUR]);
      assert.deepEqual(await hoursIn(START, START), []);
    });

  for (const rolledUp of [false, true])
    test(`reversed calls are not usage, ${rolledUp ? "after" : "before"} rolling up`, async (fixture) => {
      const account = await fixture.account("Ada", { freeCall: "open", credits: 5 });
      const [free, paid, kept] = [1, 2, 3].map(() => fixture.debitOrder(account));
      for (const order of [free, paid, kept]) if (order) await fixture.ledger.debit(order);
      for (const order of [free, paid]) if (order) await fixture.reverse(order);
      const only = fixture.debitOrder(account, { tool: "uuid" });
      await fixture.ledger.debit(only);
      await fixture.reverse(only);
      if (rolledUp) await fixture.rollUp(START + 1);
      const row = { account, key: keyId(account), tool: "hash", hour: START };
      assert.deepEqual(await fixture.usage(), [{ ...row, calls: 1, credits: 1 }]);
    });

  test("recent calls are counted by key, from the start of an hour", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open", credits: 9 });
    await fixture.createKey(account, "other");
    await fixture.createKey(account, "idle");
    const bob = await fixture.account("Bob", { credits: 9 });
    for (const now of [START, START + HOUR, START + 2 * HOUR])
      await fixture.debit(account, { now });
    await fixture.debit(account, { now: START + HOUR, key: "other", tool: "uuid" });
    await fixture.debit(bob, { now: START + 1 });
    const reversed = fixture.debitOrder(account, { now: START + 2 * HOUR, key: "other" });
    await fixture.ledger.debit(reversed);
    await fixture.reverse(reversed);
    await fixture.ledger.revokeKey({ account, id: keyId(account, "other"), now: START + 3 * HOUR });
    const recent = async (since: number) =>
      (await callsByKey(fixture.ledger, { account, since }))
        .map(({ key, calls, credits }) => `${key.slice(-10)} ${calls} ${credits}`)
        .sort();
    assert.deepEqual(await recent(START), ["main000000 3 2", "other00000 1 1"]);
    assert.deepEqual(await recent(START + 2 * HOUR - 1), ["main000000 2 2", "other00000 1 1"]);
    assert.deepEqual(await recent(START + 2 * HOUR), ["main000000 1 1"]);
    assert.deepEqual(await recent(START + 3 * HOUR), []);
    const nobody = { account: accountId("Nobody"), since: 0 };
    assert.deepEqual(await callsByKey(fixture.ledger, nobody), []);
  });

  test("summing debits changes no usage, whatever arrives late or is reversed", async (fixture) => {
    const { ledger } = fixture;
    const account = await fixture.account("Ada", { freeCall: "open", credits: 50 });
    const expected = new Map<number, number>();
    const call = async (at: number) => {
      const order = fixture.debitOrder(account, { now: at });
      await ledger.debit(order);
      const hour = at - (at % HOUR);
      expected.set(hour, (expected.get(hour) ?? 0) + 1);
      return order;
    };
    const check = async () => {
      const rows = [...expected].filter(([, calls]) => calls > 0).sort(([one], [two]) => one - two);
      const usage = (await fixture.usage()).map(({ hour, calls }) => [hour, calls]);
      assert.deepEqual(usage, rows);
      await assertTotals(ledger, START);
    };
    const reverse = async (order: ReturnType<Fixture["debitOrder"]>) => {
      assert.deepEqual(await fixture.reverse(order), { reversed: true });
      const { now: at } = order;
      expected.set(at - (at % HOUR), (expected.get(at - (at % HOUR)) ?? 0) - 1);
    };
    const early = await call(START);
    // Three in one millisecond, which are summed together.
    const same = [START + HOUR, START + HOUR, START + HOUR];
    for (const at of same) await call(at);
    const last = await call(START + 2 * HOUR);
    assert.deepEqual(await fixture.sumUsage({ account, max: 9 }), { more: false });
    for (let more = true; more; await check())
      ({ more } = await fixture.sumUsage({ account, max: 1 }));
    const late = await call(START + 1);
    await check();
    await reverse(early);
    await reverse(late);
    await check();
    // A reversal that arrives before its call leaves a mark, which is no call.
    const unmade = fixture.debitOrder(account, { now: START + 2 });
    assert.deepEqual(await fixture.reverse(unmade), { reversed: false });
    await assert.rejects(ledger.debit(unmade));
    await check();
    await fixture.rollUp(START + HOUR + 1, { now: START + DAY, rowsMax: 2 });
    await check();
    await reverse(last);
    await call(START + 2 * HOUR + 1);
    await check();
  });

  test("sums are exact while calls, reversals and roll-ups run at once", async (fixture) => {
    const { ledger } = fixture;
    const account = await fixture.account("Ada", { credits: 500 });
    const orders = Array.from({ length: 60 }, (_, call) =>
      fixture.debitOrder(account, { now: START + ((call * 7) % 60) * MINUTE }),
    );
    const roll = { now: START + DAY, rollUpBefore: START + 10 * MINUTE, rowsMax: 3 };
    await Promise.all(
      orders.flatMap((order, index) => {
        const works: Promise<unknown>[] = [ledger.debit(order)];
        if (index % 4 === 0) works.push(fixture.sumUsage({ account, max: 2 }));
        if (index % 5 === 0) works.push(fixture.reverse(order).catch(() => {}));
        if (index % 9 === 0) works.push(ledger.maintain({ ...roll, after: null }));
        return works.map((work) => work.catch(() => {}));
      }),
    );
    await assertTotals(ledger, START);
    const sum = (rows: readonly { calls: number }[]) =>
      rows.reduce((total, { calls }) => total + calls, 0);
    const { debited, reversed } = await fixture.totals();
    assert.equal(sum(await fixture.usage()), debited - reversed);
  });

  test("usage of revoked keys and closed accounts is kept", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    await fixture.debit(account);
    const usage = await fixture.usage();
    await fixture.ledger.revokeKey({ account, id: keyId(account), now: START });
    await fixture.ledger.changeAccount({ account, now: START, state: "closed" });
    assert.deepEqual(await fixture.usage(), usage);
    assert.equal(usage.length, 1);
  });
}

/** Ada calls with two keys, two tools and in two hours, the first time for nothing; Bob calls once. */
async function callsOfTwoHours(fixture: Fixture): Promise<string> {
  const ada = await fixture.account("Ada", { freeCall: "open", credits: 50 });
  const bob = await fixture.account("Bob", { credits: 50 });
  await fixture.createKey(ada, "other");
  for (const now of [START, START + 1, START + HOUR - 1]) await fixture.debit(ada, { now });
  await fixture.debit(ada, { tool: "uuid" });
  await fixture.debit(ada, { key: "other" });
  await fixture.debit(bob);
  await fixture.debit(ada, { now: START + HOUR });
  return ada;
}
