import assert from "node:assert/strict";
import { type HoldOrder, OrderRejected, type Outcome } from "#ledger/port.ts";
import { OWN_PRICES_MAX, PRICE_CREDITS_MAX } from "#limits.ts";
import { createRule, debited, type Fixture, keySha256, type OpenLedger, START } from "./fixture.ts";

/** Prices that an account has in place of those of the tools. */
export function describeOwnPrices(open: OpenLedger) {
  const test = createRule(open);

  test("a call costs the account its own price from the next order on, until that is removed", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    const other = await fixture.account("Bob", { credits: 100 });
    const call = (tool: string, by = account) => fixture.debit(by, { tool, credits: 5 });
    assert.deepEqual(await call("hash"), debited(5, 95));
    assert.deepEqual(await set(fixture, account, "hash", 2), { found: true, forfeited: 0 });
    assert.deepEqual(await call("hash"), debited(2, 93));
    assert.deepEqual(await call("uuid"), debited(5, 88));
    assert.deepEqual(await call("hash", other), debited(5, 95));
    await set(fixture, account, "hash", 0);
    assert.deepEqual(await call("hash"), debited(0, 88));
    await set(fixture, account, "hash", 80);
    assert.deepEqual(await call("hash"), debited(80, 8));
    await set(fixture, account, "hash", null);
    await set(fixture, account, "uuid", null);
    assert.deepEqual(await call("hash"), debited(5, 3));
  });

  test("an account has a price for each of several tools, whatever they are named", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    const prices = { constructor: 7, "a-tool": 1, hash: PRICE_CREDITS_MAX, uuid: 0 };
    for (const [tool, credits] of Object.entries(prices))
      await set(fixture, account, tool, credits);
    assert.deepEqual({ ...(await pricesOf(fixture, account)) }, prices);
    assert.deepEqual(await fixture.debit(account, { tool: "constructor" }), debited(7, 93));
    assert.deepEqual(await fixture.debit(account, { tool: "to-string" }), debited(1, 92));
    await set(fixture, account, "hash", null);
    const { hash: _, ...left } = prices;
    assert.deepEqual({ ...(await pricesOf(fixture, account)) }, left);
    for (const tool of Object.keys(left)) await set(fixture, account, tool, null);
    assert.deepEqual(await pricesOf(fixture, account), {});
  });

  test("an account that cannot pay its own price is told that price, before and after a call", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 3 });
    await set(fixture, account, "hash", 4);
    const poor = { outcome: "insufficient_credits", balance: 3, price: 4 };
    assert.deepEqual(await fixture.debit(account, { credits: 1 }), poor);
    const asked = { account, keySha256: keySha256(account), now: START };
    const status = (tool: string | null) =>
      fixture.ledger.keyStatus({ ...asked, tool, credits: 1 });
    const good = { outcome: "good", balance: 3, freeCall: false };
    assert.deepEqual(await status("hash"), { ...good, price: 4 });
    assert.deepEqual(await status("uuid"), good);
    assert.deepEqual(await status(null), good);
  });

  test("the budgets of a key and the free call go by the account's own price", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open", credits: 100 });
    await set(fixture, account, "hash", 3);
    await set(fixture, account, "uuid", 1);
    assert.deepEqual(await fixture.debit(account, { credits: 1 }), debited(3, 97));
    assert.deepEqual(await fixture.debit(account, { tool: "uuid", credits: 9 }), debited(0, 97));
    const budgets = { total: 5, month: null, day: null };
    const limits = { expiresAt: null, tools: null, networks: null, rate: null, budgets };
    await fixture.createKey(account, "small", START, limits);
    const call = () => fixture.debit(account, { credits: 1, key: "small" });
    assert.deepEqual(await call(), debited(3, 94));
    const { outcome, price } = (await call()) as { outcome: string; price: number };
    assert.deepEqual([outcome, price], ["key_budget_exhausted", 3]);
  });

  test("a hold takes the account's own price, and a price that is set later does not change it", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    await set(fixture, account, "look", 20);
    const order = holdOf(fixture, account);
    const held = { outcome: "held", credits: 20, balance: 80, price: 20 };
    assert.deepEqual(await fixture.ledger.hold(order), held);
    assert.deepEqual(await fixture.ledger.hold(order), held);
    await set(fixture, account, "look", 50);
    const { leaseMs: _, onCrash: __, ...call } = order;
    const settlement = { ...call, at: START, credits: 20, idempotency: null };
    assert.deepEqual(await fixture.ledger.settle(settlement), {
      ...{ outcome: "settled", charged: 20, balance: 80 },
    });
    const poor = holdOf(fixture, account);
    await set(fixture, account, "look", 81);
    assert.deepEqual(await fixture.ledger.hold(poor), {
      ...{ outcome: "insufficient_credits", balance: 80, price: 81 },
    });
  });

  test("a call that is settled after its hold has ended costs what it was to cost", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    const order = holdOf(fixture, account);
    const { leaseMs: _, onCrash: __, ...call } = order;
    await set(fixture, account, "look", 50);
    assert.deepEqual(
      await fixture.ledger.settle({ ...call, at: START, credits: 7, idempotency: null }),
      { outcome: "settled", charged: 7, balance: 93, isLate: true },
    );
  });

  test("a price is a whole number of credits, and an account has a bounded number of them", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    for (const credits of [-1, 0.5, PRICE_CREDITS_MAX + 1])
      await assert.rejects(set(fixture, account, "hash", credits), rejected);
    for (let tool = 0; tool < OWN_PRICES_MAX; tool += 1)
      await set(fixture, account, `tool-${tool}`, 1);
    await assert.rejects(set(fixture, account, "hash", 1), rejected);
    await set(fixture, account, "tool-0", 2);
    await set(fixture, account, "tool-1", null);
    await set(fixture, account, "hash", 1);
    assert.equal(Object.keys(await pricesOf(fixture, account)).length, OWN_PRICES_MAX);
  });

  test("an account that is closed or was never opened gets no price", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    await fixture.ledger.changeAccount({ account, state: "closed", now: START });
    const nobody = { found: false, forfeited: 0 };
    assert.deepEqual(await set(fixture, account, "hash", 1), nobody);
    assert.deepEqual(await set(fixture, "acc_Nobody000000", "hash", 1), nobody);
  });
}

const rejected = (error: Error) => error.constructor.name === OrderRejected.name;

const set = (
  { ledger }: Pick<Fixture, "ledger">,
  account: string,
  tool: string,
  credits: number | null,
): Promise<Outcome<"changeAccount">> =>
  ledger.changeAccount({ account, price: { tool, credits }, now: START });

const pricesOf = async ({ ledger }: Fixture, account: string) =>
  (await ledger.findAccount({ account, now: START }))?.prices ?? {};

function holdOf({ debitOrder }: Fixture, account: string): HoldOrder {
  const { idempotency: _, ...call } = debitOrder(account, { credits: 10, tool: "look" });
  return { ...call, freeCallCredits: 0, leaseMs: 20_000, onCrash: "release", idempotency: null };
}
