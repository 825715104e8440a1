import assert from "node:assert/strict";
import { type DebitOrder, OrderRejected } from "#ledger/port.ts";
import { callsByKey } from "#ledger/read-pages.ts";
import {
  allEntries,
  createRule,
  DAY,
  debited,
  type Fixture,
  HOUR,
  maintainFully,
  type OpenLedger,
  START,
  tally,
  tooLittle,
} from "./fixture.ts";
import { withGrants } from "./partial-reversals.ts";

/** Calls that cost more than one credit, or none. */
export function describePrices(open: OpenLedger) {
  const test = createRule(open);
  describeSpending(test);
  describeFreeCalls(test);
  describeLists(test);
  describeTogether(test);
}

type Rule = ReturnType<typeof createRule>;

function describeSpending(test: Rule) {
  test("a call takes its price, starting with the grant that expires soonest", async (fixture) => {
    const account = await withGrants(fixture, 3, 10);
    assert.deepEqual(await fixture.debit(account, { credits: 7 }), debited(7, 23));
    assert.deepEqual(await fixture.remaining(account), { g1: 3, g2: 10, g3: 10 });
    assert.deepEqual(await fixture.debit(account, { credits: 14 }), debited(14, 9));
    assert.deepEqual(await fixture.remaining(account), { g3: 9, g1: 0, g2: 0 });
    assert.equal((await fixture.totals()).debited, 21);
  });

  test("a debit larger than the balance is rejected and changes nothing", async (fixture) => {
    const account = await withGrants(fixture, 3, 10);
    assert.deepEqual(await fixture.debit(account, { credits: 31 }), tooLittle(30));
    assert.deepEqual(await fixture.remaining(account), { g1: 10, g2: 10, g3: 10 });
    assert.deepEqual(await fixture.debit(account, { credits: 30 }), debited(30, 0));
    assert.deepEqual(await fixture.debit(account, { credits: 1 }), tooLittle(0));
  });

  for (const [count, amount, price] of [
    [50, 1, 50],
    [50, 20_000, 1_000_000],
    [50, 3, 148],
    [7, 2, 13],
    [2, 1_000_000, 1_000_000],
  ] as const)
    test(`${price} credits of ${count} grants of ${amount}`, async (fixture) => {
      const account = await withGrants(fixture, count, amount);
      const order = fixture.debitOrder(account, { credits: price });
      const total = count * amount;
      for (let time = 0; time < 2; time += 1)
        assert.deepEqual(await fixture.ledger.debit(order), debited(price, total - price));
      const spent = Math.floor(price / amount);
      const { grants } = await fixture.ledger.credits({ account, now: START });
      assert.equal(grants.filter(({ remaining }) => remaining === 0).length, spent);
      assert.equal((await fixture.totals()).debited, price);
      assert.deepEqual(await fixture.reverse(order), { reversed: true });
      const back = (await fixture.ledger.credits({ account, now: START })).grants;
      assert.ok(back.every((grant) => grant.remaining === amount));
    });

  test("a call with a price of 0 takes nothing, even with a balance of 0", async (fixture) => {
    const account = await fixture.account();
    assert.deepEqual(await fixture.debit(account, { credits: 0 }), debited(0, 0));
    await fixture.grant(account, "gift", 5);
    const order = fixture.debitOrder(account, { credits: 0 });
    assert.deepEqual(await fixture.ledger.debit(order), debited(0, 5));
    assert.deepEqual(await fixture.reverse(order), { reversed: true });
    assert.deepEqual(await fixture.reverse(order), { reversed: false });
    assert.equal(await fixture.balance(account), 5);
    const [usage] = await fixture.usage(account);
    assert.deepEqual([usage?.calls, usage?.credits], [1, 0], "it is usage all the same");
  });

  for (const credits of [-1, 0.5, 1_000_001, 2 ** 53])
    test(`a price of ${credits} credits is rejected and charges nothing`, async (fixture) => {
      const account = await fixture.account("Ada", { credits: 2_000_000, freeCall: "open" });
      await assert.rejects(fixture.debit(account, { credits, freeCallCredits: 9 }), OrderRejected);
      assert.equal(await fixture.balance(account), 2_000_000);
      assert.equal((await fixture.totals()).debited, 0);
      assert.deepEqual(await fixture.usage(), []);
    });
}

function describeFreeCalls(test: Rule) {
  const freeCallOf = async (fixture: Fixture, account: string) =>
    (await fixture.ledger.findAccount({ account, now: START }))?.freeCall;

  for (const [price, limit, isFree] of [
    [1, 1, true],
    [1, 0, false],
    [2, 1, false],
    [5, 5, true],
    [6, 5, false],
  ] as const)
    test(`a first call with a price of ${price} is ${isFree ? "" : "not "}free up to ${limit}`, async (fixture) => {
      const account = await fixture.account("Ada", { credits: 20, freeCall: "open" });
      const order = { credits: price, freeCallCredits: limit };
      const charged = isFree ? 0 : price;
      assert.deepEqual(await fixture.debit(account, order), debited(charged, 20 - charged));
      assert.equal(await freeCallOf(fixture, account), isFree ? "used" : "open");
      assert.deepEqual(await fixture.debit(account, order), debited(price, 20 - charged - price));
    });

  test("a call with a price of 0 does not use up the free call", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    const order = fixture.debitOrder(account, { credits: 0, freeCallCredits: 5 });
    assert.deepEqual(await fixture.ledger.debit(order), debited(0, 0));
    await fixture.reverse(order);
    assert.equal(await freeCallOf(fixture, account), "open");
    const priced = { credits: 5, freeCallCredits: 5 };
    assert.deepEqual(await fixture.debit(account, priced), debited(0, 0));
    assert.equal((await fixture.debit(account, priced)).outcome, "insufficient_credits");
  });
}

function describeLists(test: Rule) {
  test("entries contain the price and what each of several grants paid", async (fixture) => {
    const account = await withGrants(fixture, 2, 10);
    const one = fixture.debitOrder(account, { credits: 4, now: START + HOUR });
    const two = fixture.debitOrder(account, { credits: 9, now: START + 2 * HOUR });
    for (const order of [one, two]) await fixture.ledger.debit(order);
    await fixture.reverse(two, START + 3 * HOUR);
    const part = (id: string, credits: number) => ({ grant: { id, kind: "operator" }, credits });
    const entries = await allEntries(fixture.ledger, account, START + 3 * HOUR);
    assert.deepEqual(
      entries
        .slice(0, 3)
        .map(({ kind, credits, grant, parts }) => [kind, credits, grant?.id, parts]),
      [
        ["reversal", 9, "g1", [part("g1", 6), part("g2", 3)]],
        ["debit", -9, "g1", [part("g1", -6), part("g2", -3)]],
        ["debit", -4, "g1", null],
      ],
    );
  });

  test("usage and totals contain the prices, rolled up or not", async (fixture) => {
    const account = await withGrants(fixture, 4, 10);
    const orders = [7, 9, 0, 1].map((credits) => fixture.debitOrder(account, { credits }));
    for (const order of orders) await fixture.ledger.debit(order);
    await fixture.debit(account, { credits: 5, tool: "uuid" });
    await fixture.reverse(orders[1] as DebitOrder);
    const check = async () => {
      const usage = await fixture.usage(account);
      assert.deepEqual(
        usage.map(({ tool, calls, credits }) => [tool, calls, credits]),
        [
          ["hash", 3, 8],
          ["uuid", 1, 5],
        ],
      );
      const { debited: taken, reversed, remaining } = await fixture.totals();
      assert.deepEqual([taken, reversed, remaining], [22, 9, 27]);
      await allEntries(fixture.ledger, account, START);
    };
    await check();
    const [recent] = await callsByKey(fixture.ledger, { account, since: START });
    assert.deepEqual([recent?.calls, recent?.credits], [4, 13]);
    await maintainFully(
      fixture.ledger,
      { now: START + DAY, rollUpBefore: START + 1, rowsMax: 2 },
      check,
    );
    await check();
  });

  test("a call that lowers the balance past several levels causes one event", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 1000 });
    await fixture.news();
    await fixture.debit(account, { credits: 990 });
    const low = { kind: "credits.low", at: START, balance: 10, lowBalance: 20 };
    assert.deepEqual(await fixture.news(), [low]);
    await fixture.debit(account, { credits: 10 });
    assert.deepEqual(await fixture.news(), [{ kind: "credits.depleted", at: START }]);
  });
}

function describeTogether(test: Rule) {
  test("concurrent calls of any price never take more than the balance", async (fixture) => {
    const account = await withGrants(fixture, 20, 10);
    const orders = Array.from({ length: 60 }, (_, number) =>
      fixture.debitOrder(account, { credits: 1 + ((number * 7) % 13) }),
    );
    const outcomes = await Promise.all(orders.map((order) => fixture.ledger.debit(order)));
    const taken = outcomes.reduce(
      (sum, outcome) => sum + (outcome.outcome === "debited" ? outcome.charged : 0),
      0,
    );
    const { debited: inTotals, remaining } = await fixture.totals();
    assert.deepEqual([inTotals, remaining], [taken, 200 - taken]);
    assert.ok(remaining < 13, "what is left was too little for the dearest");
    assert.ok((tally(outcomes).insufficient_credits ?? 0) > 0);
    await Promise.all(orders.map((order) => fixture.reverse(order)));
    const { grants } = await fixture.ledger.credits({ account, now: START });
    assert.deepEqual([...new Set(grants.map((grant) => grant.remaining))], [10]);
  });
}
