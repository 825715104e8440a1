import assert from "node:assert/strict";
import {
  createRule,
  DAY,
  debited,
  type Fixture,
  idempotency,
  type OpenLedger,
  START,
} from "./fixture.ts";

/** So many grants, each of the same amount; the first made expires first. */
export async function withGrants(fixture: Fixture, count: number, amount: number, name = "Ada") {
  const account = await fixture.account(name);
  for (let number = 1; number <= count; number += 1)
    await fixture.grant(account, `g${number}`, amount, { expiresAt: START + number * DAY });
  return account;
}

/** Reversals of calls that several grants paid. */
export function describePartialReversals(open: OpenLedger) {
  const test = createRule(open);

  test("a reversal returns to each grant what it paid", async (fixture) => {
    const account = await withGrants(fixture, 3, 10);
    const first = fixture.debitOrder(account, { credits: 4 });
    const second = fixture.debitOrder(account, { credits: 19 });
    await fixture.ledger.debit(first);
    await fixture.ledger.debit(second);
    assert.deepEqual(await fixture.remaining(account), { g3: 7, g1: 0, g2: 0 });
    assert.deepEqual(await fixture.reverse(second), { reversed: true });
    assert.deepEqual(await fixture.remaining(account), { g1: 6, g2: 10, g3: 10 });
    assert.deepEqual(await fixture.reverse(first), { reversed: true });
    assert.deepEqual(await fixture.reverse(second), { reversed: false });
    assert.deepEqual(await fixture.remaining(account), { g1: 10, g2: 10, g3: 10 });
    const { debited: taken, reversed } = await fixture.totals();
    assert.deepEqual([taken, reversed], [23, 23]);
    await assert.rejects(fixture.ledger.debit(second), /reversed/);
  });

  test("each returned part follows the current state of its grant", async (fixture) => {
    const account = await withGrants(fixture, 3, 10);
    const order = fixture.debitOrder(account, { credits: 26 });
    await fixture.ledger.debit(order);
    // The first expires, the second is clawed back in part, the third is open.
    await fixture.clawback(account, "g2", 4);
    const now = START + DAY;
    await fixture.reverse(order, now);
    assert.deepEqual(await fixture.remaining(account, now), { g2: 6, g3: 10, g1: 10 });
    assert.equal(await fixture.balance(account, now), 16);
    const { expired, voided } = await fixture.totals(now);
    assert.deepEqual({ expired, voided }, { expired: 10, voided: 4 });
  });

  test("a replay ignores the price and charges nothing", async (fixture) => {
    const account = await withGrants(fixture, 2, 10);
    const once = { credits: 12, idempotency: idempotency("once") };
    const order = fixture.debitOrder(account, once);
    await fixture.ledger.debit(order);
    // Even where the price has risen since.
    const repeated = await fixture.debit(account, { ...once, credits: 15 });
    assert.equal(repeated.outcome, "replayed");
    assert.equal(await fixture.balance(account), 8);
    await fixture.reverse(order);
    assert.deepEqual(await fixture.debit(account, once), debited(12, 8), "the key is free again");
  });
}
