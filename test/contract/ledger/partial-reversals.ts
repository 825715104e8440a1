import assert from "node:assert/strict";
import type { DebitOrder } from "#ledger/port.ts";
import { createRule, DAY, idempotency, type OpenLedger, type Scene, START } from "./fixture.ts";

export const debited = (charged: number, balance: number) => ({
  outcome: "debited",
  charged,
  balance,
});

/** So many grants, each of the same amount; the first made expires first. */
export async function withGrants(scene: Scene, count: number, amount: number, name = "Ada") {
  const account = await scene.account(name);
  for (let number = 1; number <= count; number += 1)
    await scene.grant(account, `g${number}`, amount, { expiresAt: START + number * DAY });
  return account;
}

export const reverseDebit = (
  { ledger }: Scene,
  { account, callId, now: at }: DebitOrder,
  now = at,
) => ledger.reverse({ account, callId, at, now });

/** Reversals of calls that several grants paid. */
export function describePartialReversals(open: OpenLedger) {
  const rule = createRule(open);

  rule("a reversal gives each grant its part back", async (scene) => {
    const account = await withGrants(scene, 3, 10);
    const first = scene.debitOrder(account, { credits: 4 });
    const second = scene.debitOrder(account, { credits: 19 });
    await scene.ledger.debit(first);
    await scene.ledger.debit(second);
    assert.deepEqual(await scene.remaining(account), { g3: 7, g1: 0, g2: 0 });
    assert.deepEqual(await reverseDebit(scene, second), { reversed: true });
    assert.deepEqual(await scene.remaining(account), { g1: 6, g2: 10, g3: 10 });
    assert.deepEqual(await reverseDebit(scene, first), { reversed: true });
    assert.deepEqual(await reverseDebit(scene, second), { reversed: false });
    assert.deepEqual(await scene.remaining(account), { g1: 10, g2: 10, g3: 10 });
    const { debited: taken, reversed } = await scene.books();
    assert.deepEqual([taken, reversed], [23, 23]);
    await assert.rejects(scene.ledger.debit(second), /reversed/);
  });

  rule("of several grants each part comes back as its grant stands", async (scene) => {
    const account = await withGrants(scene, 3, 10);
    const order = scene.debitOrder(account, { credits: 26 });
    await scene.ledger.debit(order);
    // The first expires, the second is clawed back in part, the third is open.
    await scene.clawback(account, "g2", 4);
    const now = START + DAY;
    await reverseDebit(scene, order, now);
    assert.deepEqual(await scene.remaining(account, now), { g2: 6, g3: 10, g1: 10 });
    assert.equal(await scene.balance(account, now), 16);
    const { expired, voided } = await scene.books(now);
    assert.deepEqual({ expired, voided }, { expired: 10, voided: 4 });
  });

  rule("parts that come back to a closed account are forfeit", async (scene) => {
    const account = await withGrants(scene, 2, 10);
    const order = scene.debitOrder(account, { credits: 15 });
    await scene.ledger.debit(order);
    await scene.ledger.closeAccount({ account, now: START });
    await reverseDebit(scene, order);
    assert.equal(await scene.balance(account), 0);
    assert.equal((await scene.books()).voided, 20);
  });

  rule("a replay says nothing of the price and charges nothing", async (scene) => {
    const account = await withGrants(scene, 2, 10);
    const once = { credits: 12, idempotency: idempotency("once") };
    const order = scene.debitOrder(account, once);
    await scene.ledger.debit(order);
    // Even where the price has risen since.
    const repeated = await scene.debit(account, { ...once, credits: 15 });
    assert.equal(repeated.outcome, "replayed");
    assert.equal(await scene.balance(account), 8);
    await reverseDebit(scene, order);
    assert.deepEqual(await scene.debit(account, once), debited(12, 8), "the key is free again");
  });

  rule("a call that was reversed before it came takes nothing from any grant", async (scene) => {
    const account = await withGrants(scene, 2, 10);
    const order = scene.debitOrder(account, { credits: 15 });
    assert.deepEqual(await reverseDebit(scene, order), { reversed: false });
    await assert.rejects(scene.ledger.debit(order), /reversed/);
    assert.deepEqual(await scene.remaining(account), { g1: 10, g2: 10 });
  });
}
