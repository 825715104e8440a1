import assert from "node:assert/strict";
import type { DebitOrder, DebitOutcome } from "#ledger/port.ts";
import { createRule, idempotency, type OpenLedger, START, sha256, tally } from "./fixture.ts";

/** Concurrency: all orders are sent before the first one is settled. */
export function describeConcurrency(open: OpenLedger) {
  const test = createRule(open);
  const times = <Item>(count: number, make: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => make(index));

  // Not more: where each order is a round trip, they take long.
  test("of 400 concurrent calls with 50 credits, exactly 50 are charged", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 50 });
    const outcomes = await Promise.all(times(400, () => fixture.debit(account)));
    assert.deepEqual(tally(outcomes), { debited: 50, insufficient_credits: 350 });
    const balances = outcomes.flatMap((each) => (each.outcome === "debited" ? each.balance : []));
    const each = times(50, (index) => index);
    assert.deepEqual(
      balances.toSorted((one, other) => one - other),
      each,
      "each balance once",
    );
    assert.equal(await fixture.balance(account), 0);
    assert.equal((await fixture.usage())[0]?.calls, 50);
  });

  test("of 20 concurrent first calls with a balance of 0, exactly one succeeds", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    const outcomes = await Promise.all(times(20, () => fixture.debit(account)));
    assert.deepEqual(tally(outcomes), { debited: 1, insufficient_credits: 19 });
    assert.ok(outcomes.every((each) => each.outcome !== "debited" || each.charged === 0));
  });

  test("of 200 concurrent calls with one idempotency key, one is charged and the others are replayed", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 500 });
    const outcomes = await Promise.all(
      times(200, (index) =>
        fixture.debit(account, { idempotency: idempotency("once", "body", `answer ${index}`) }),
      ),
    );
    assert.deepEqual(tally(outcomes), { debited: 1, replayed: 199 });
    const winner = outcomes.findIndex(({ outcome }) => outcome === "debited");
    const responses = new Set(
      outcomes.flatMap((each) => (each.outcome === "replayed" ? each.replay.responseSha256 : [])),
    );
    assert.deepEqual([...responses], [sha256(`answer ${winner}`)]);
    assert.equal(await fixture.balance(account), 499);
  });

  test("one call that is sent 50 times concurrently is one debit", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    const order = fixture.debitOrder(account);
    const outcomes = await Promise.all(times(50, () => fixture.ledger.debit(order)));
    assert.deepEqual(tally(outcomes), { debited: 50 });
    assert.ok(outcomes.every((each) => each.outcome === "debited" && each.charged === 1));
    assert.equal(await fixture.balance(account), 4);
  });

  test("concurrent calls of different accounts do not affect each other", async (fixture) => {
    const accounts = await Promise.all(
      times(20, (index) => fixture.account(`Many${index + 10}`, { credits: index + 1 })),
    );
    const orders = times(20 * 30, (index) => fixture.debitOrder(accounts[index % 20] as string));
    const outcomes = await Promise.all(
      orders.map(
        async (order): Promise<[DebitOrder, DebitOutcome]> => [
          order,
          await fixture.ledger.debit(order),
        ],
      ),
    );
    for (const [index, account] of accounts.entries()) {
      const own = outcomes.filter(([order]) => order.account === account);
      assert.equal(tally(own.map(([, outcome]) => outcome)).debited, index + 1);
      assert.equal(await fixture.balance(account), 0);
    }
  });

  test("one grant that is sent 50 times concurrently is made once", async (fixture) => {
    const account = await fixture.account();
    const outcomes = await Promise.all(times(50, () => fixture.grant(account, "starter", 100)));
    assert.equal(outcomes.filter(({ outcome }) => outcome === "granted").length, 1);
    assert.equal(outcomes.filter(({ outcome }) => outcome === "already_granted").length, 49);
    assert.equal(await fixture.balance(account), 100);
  });

  test("one call that is reversed 50 times concurrently returns one credit", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    const order = await debited(fixture, account);
    const outcomes = await Promise.all(times(50, () => fixture.reverse(order)));
    assert.equal(outcomes.filter(({ reversed }) => reversed).length, 1);
    assert.equal(await fixture.balance(account), 5);
  });

  test("an account that is opened 20 times concurrently is opened once", async ({ ledger }) => {
    const order = { account: "acc_Ada000000000", freeCall: "open", now: START } as const;
    const outcomes = await Promise.all(times(20, () => ledger.openAccount(order)));
    assert.equal(outcomes.filter(({ opened }) => opened).length, 1);
  });

  test("concurrent calls and other operations neither lose nor create credits", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open", credits: 20 });
    await Promise.all(
      times(120, async (index) => {
        if (index % 10 === 3) await fixture.grant(account, `gift-${index}`, 2);
        else if (index % 10 === 6) {
          await fixture.reverse(await debited(fixture, account));
        } else if (index % 10 === 9)
          await fixture.ledger.maintain({
            now: START,
            rollUpBefore: START,
            rowsMax: 3,
            after: null,
          });
        else await fixture.debit(account);
      }),
    );
    // What the last reversals gave back may be left over; then 20 + 24 credits were spent, and a free call.
    while ((await fixture.debit(account)).outcome === "debited");
    assert.equal(await fixture.balance(account), 0);
    const { debited: made, reversed } = await fixture.totals();
    assert.equal(made - reversed, 44);
  });
}

type Fixture = Parameters<Parameters<ReturnType<typeof createRule>>[1]>[0];

async function debited(fixture: Fixture, account: string): Promise<DebitOrder> {
  const order = fixture.debitOrder(account);
  await fixture.ledger.debit(order);
  return order;
}
