import assert from "node:assert/strict";
import { type DebitOrder, OrderRejected } from "#ledger/port.ts";
import { callsByKey } from "#ledger/read-pages.ts";
import {
  allEntries,
  createRule,
  DAY,
  type Fixture,
  HOUR,
  keyId,
  maintainFully,
  type OpenLedger,
  START,
  tally,
} from "./fixture.ts";
import { debited, reverseDebit, withGrants } from "./partial-reversals.ts";

/** Calls that cost more than one credit, or none. */
export function describePrices(open: OpenLedger) {
  const rule = createRule(open);
  describeSpending(rule);
  describeFreeCalls(rule);
  describeLists(rule);
  describeTogether(rule);
}

type Rule = ReturnType<typeof createRule>;

const tooLittle = (balance: number) => ({ outcome: "insufficient_credits", balance });

function describeSpending(rule: Rule) {
  rule("a call takes its price, starting with the grant that expires soonest", async (fixture) => {
    const account = await withGrants(fixture, 3, 10);
    assert.deepEqual(await fixture.debit(account, { credits: 7 }), debited(7, 23));
    assert.deepEqual(await fixture.remaining(account), { g1: 3, g2: 10, g3: 10 });
    assert.deepEqual(await fixture.debit(account, { credits: 14 }), debited(14, 9));
    assert.deepEqual(await fixture.remaining(account), { g3: 9, g1: 0, g2: 0 });
    assert.equal((await fixture.totals()).debited, 21);
  });

  rule("a debit larger than the balance is rejected and changes nothing", async (fixture) => {
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
    rule(`${price} credits of ${count} grants of ${amount}`, async (fixture) => {
      const account = await withGrants(fixture, count, amount);
      const order = fixture.debitOrder(account, { credits: price });
      const total = count * amount;
      for (let time = 0; time < 2; time += 1)
        assert.deepEqual(await fixture.ledger.debit(order), debited(price, total - price));
      const spent = Math.floor(price / amount);
      const { grants } = await fixture.ledger.credits({ account, now: START });
      assert.equal(grants.filter(({ remaining }) => remaining === 0).length, spent);
      assert.equal((await fixture.totals()).debited, price);
      assert.deepEqual(await reverseDebit(fixture, order), { reversed: true });
      const back = (await fixture.ledger.credits({ account, now: START })).grants;
      assert.ok(back.every((grant) => grant.remaining === amount));
    });

  rule("a call with a price of 0 takes nothing, even with a balance of 0", async (fixture) => {
    const account = await fixture.account();
    assert.deepEqual(await fixture.debit(account, { credits: 0 }), debited(0, 0));
    await fixture.grant(account, "gift", 5);
    const order = fixture.debitOrder(account, { credits: 0 });
    assert.deepEqual(await fixture.ledger.debit(order), debited(0, 5));
    assert.deepEqual(await reverseDebit(fixture, order), { reversed: true });
    assert.deepEqual(await reverseDebit(fixture, order), { reversed: false });
    assert.equal(await fixture.balance(account), 5);
    const [usage] = await fixture.usage(account);
    assert.deepEqual([usage?.calls, usage?.credits], [1, 0], "it is usage all the same");
  });

  rule(
    "a call with a price of 0 and an invalid key is rejected like any other",
    async (fixture) => {
      const account = await fixture.account();
      const free = { credits: 0 };
      await fixture.ledger.suspendAccount({ account, now: START });
      const outcome = { outcome: "account_suspended", balance: 0 };
      assert.deepEqual(await fixture.debit(account, free), outcome);
      await fixture.ledger.revokeKey({ account, id: keyId(account), now: START });
      assert.deepEqual(await fixture.debit(account, free), { outcome: "invalid_key" });
    },
  );

  rule("expired credits pay nothing, to the millisecond", async (fixture) => {
    const account = await withGrants(fixture, 2, 10);
    const now = START + DAY;
    assert.deepEqual(await fixture.debit(account, { credits: 11, now }), tooLittle(10));
    const before = { credits: 11, now: now - 1 };
    assert.deepEqual(await fixture.debit(account, before), debited(11, 9));
  });

  for (const credits of [-1, 0.5, 1_000_001, 2 ** 53])
    rule(`a price of ${credits} credits is rejected and charges nothing`, async (fixture) => {
      const account = await fixture.account("Ada", { credits: 2_000_000, freeCall: "open" });
      await assert.rejects(fixture.debit(account, { credits, freeCallCredits: 9 }), OrderRejected);
      assert.equal(await fixture.balance(account), 2_000_000);
      assert.equal((await fixture.totals()).debited, 0);
      assert.deepEqual(await fixture.usage(), []);
    });
}

function describeFreeCalls(rule: Rule) {
  const freeCallOf = async (fixture: Fixture, account: string) =>
    (await fixture.ledger.findAccount({ account, now: START }))?.freeCall;

  for (const [price, limit, isFree] of [
    [1, 1, true],
    [1, 0, false],
    [2, 1, false],
    [5, 5, true],
    [6, 5, false],
  ] as const)
    rule(
      `a first call with a price of ${price} is ${isFree ? "" : "not "}free up to ${limit}`,
      async (fixture) => {
        const account = await fixture.account("Ada", { credits: 20, freeCall: "open" });
        const order = { credits: price, freeCallCredits: limit };
        const charged = isFree ? 0 : price;
        assert.deepEqual(await fixture.debit(account, order), debited(charged, 20 - charged));
        assert.equal(await freeCallOf(fixture, account), isFree ? "used" : "open");
        assert.deepEqual(await fixture.debit(account, order), debited(price, 20 - charged - price));
      },
    );

  rule("a call with a price of 0 does not use up the free call", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    const order = fixture.debitOrder(account, { credits: 0, freeCallCredits: 5 });
    assert.deepEqual(await fixture.ledger.debit(order), debited(0, 0));
    await reverseDebit(fixture, order);
    assert.equal(await freeCallOf(fixture, account), "open");
    const priced = { credits: 5, freeCallCredits: 5 };
    assert.deepEqual(await fixture.debit(account, priced), debited(0, 0));
    assert.equal((await fixture.debit(account, priced)).outcome, "insufficient_credits");
  });

  rule("a call above the free price leaves the free call for a cheaper one", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    assert.deepEqual(await fixture.debit(account, { credits: 2 }), tooLittle(0));
    assert.deepEqual(await fixture.debit(account, { credits: 1 }), debited(0, 0));
  });

  rule(
    "after the reversal of a free call of several credits, the free call is available again",
    async (fixture) => {
      const account = await fixture.account("Ada", { credits: 3, freeCall: "open" });
      const order = fixture.debitOrder(account, { credits: 4, freeCallCredits: 5 });
      assert.deepEqual(await fixture.ledger.debit(order), debited(0, 3));
      assert.deepEqual(await reverseDebit(fixture, order), { reversed: true });
      assert.equal(await fixture.balance(account), 3, "nothing comes back that was not taken");
      assert.equal(await freeCallOf(fixture, account), "open");
    },
  );
}

function describeLists(rule: Rule) {
  rule("entries contain the price and what each of several grants paid", async (fixture) => {
    const account = await withGrants(fixture, 2, 10);
    const one = fixture.debitOrder(account, { credits: 4, now: START + HOUR });
    const two = fixture.debitOrder(account, { credits: 9, now: START + 2 * HOUR });
    for (const order of [one, two]) await fixture.ledger.debit(order);
    await reverseDebit(fixture, two, START + 3 * HOUR);
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

  rule("usage and totals contain the prices, rolled up or not", async (fixture) => {
    const account = await withGrants(fixture, 4, 10);
    const orders = [7, 9, 0, 1].map((credits) => fixture.debitOrder(account, { credits }));
    for (const order of orders) await fixture.ledger.debit(order);
    await fixture.debit(account, { credits: 5, tool: "uuid" });
    await reverseDebit(fixture, orders[1] as DebitOrder);
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

  rule("a call that lowers the balance past several levels causes one event", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 1000 });
    await fixture.news();
    await fixture.debit(account, { credits: 990 });
    const low = { kind: "credits.low", at: START, balance: 10, lowBalance: 20 };
    assert.deepEqual(await fixture.news(), [low]);
    await fixture.debit(account, { credits: 10 });
    assert.deepEqual(await fixture.news(), [{ kind: "credits.depleted", at: START }]);
  });

  rule(
    "a call that takes the whole balance causes only the event that it is used up",
    async (fixture) => {
      const account = await fixture.account("Ada", { credits: 1000 });
      await fixture.news();
      await fixture.debit(account, { credits: 1000 });
      assert.deepEqual(await fixture.news(), [{ kind: "credits.depleted", at: START }]);
    },
  );
}

function describeTogether(rule: Rule) {
  rule("concurrent calls of any price never take more than the balance", async (fixture) => {
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
    await Promise.all(orders.map((order) => reverseDebit(fixture, order)));
    const { grants } = await fixture.ledger.credits({ account, now: START });
    assert.deepEqual([...new Set(grants.map((grant) => grant.remaining))], [10]);
  });
}
