import assert from "node:assert/strict";
import { assertTotals, createRule, DAY, type OpenLedger, START } from "./fixture.ts";

export function describeTotals(open: OpenLedger) {
  const test = createRule(open);

  test("the totals of an empty ledger are 0 and reconcile", async ({ ledger }) => {
    assert.deepEqual(await ledger.audit({ now: START }), {
      ok: true,
      accounts: 0,
      totals: { granted: 0, debited: 0, reversed: 0, remaining: 0, held: 0, expired: 0, voided: 0 },
      faults: [],
    });
  });

  test("every credit granted is accounted for: debited, reversed, remaining, expired or voided", async (fixture) => {
    const [ada, bob] = [
      await fixture.account("Ada", { freeCall: "open", credits: 10 }),
      await fixture.account("Bob", { credits: 20 }),
    ];
    await fixture.grant(ada, "short", 5, { expiresAt: START + DAY });
    await fixture.debit(ada);
    const reversed = fixture.debitOrder(ada);
    for (const order of [reversed, fixture.debitOrder(ada), fixture.debitOrder(bob)])
      await fixture.ledger.debit(order);
    await fixture.reverse(reversed);
    await fixture.ledger.changeAccount({ account: bob, now: START, state: "closed" });

    const totals = { granted: 35, debited: 3, reversed: 1, held: 0, voided: 19 };
    const before = await assertTotals(fixture.ledger, START + DAY - 1);
    assert.deepEqual(before.totals, { ...totals, remaining: 14, expired: 0 });
    const after = await assertTotals(fixture.ledger, START + DAY);
    assert.deepEqual(after.totals, { ...totals, remaining: 10, expired: 4 });
    assert.equal(after.accounts, 2, "closed accounts count in the totals");
  });

  test("probe resolves for a ledger that accepts writes, and changes no totals", async (fixture) => {
    await fixture.account("Ada", { credits: 1 });
    const audit = await fixture.ledger.audit({ now: START });
    assert.deepEqual(await fixture.ledger.probe({ now: START }), { ready: true });
    assert.deepEqual(await fixture.ledger.probe({ now: START + 1 }), { ready: true });
    assert.deepEqual(await fixture.ledger.audit({ now: START }), audit);
  });
}
