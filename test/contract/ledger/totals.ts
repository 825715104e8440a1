import assert from "node:assert/strict";
import { assertBooks, createRule, DAY, type OpenLedger, START } from "./fixture.ts";

export function describeBooks(open: OpenLedger) {
  const rule = createRule(open);

  rule("the books of an empty ledger are empty and in order", async ({ ledger }) => {
    assert.deepEqual(await ledger.audit({ now: START }), {
      ok: true,
      accounts: 0,
      books: { granted: 0, debited: 0, reversed: 0, remaining: 0, expired: 0, voided: 0 },
      faults: [],
    });
  });

  rule(
    "every credit granted is accounted for: debited, reversed, remaining, expired or voided",
    async (scene) => {
      const [ada, bob] = [
        await scene.account("Ada", { freeCall: "open", credits: 10 }),
        await scene.account("Bob", { credits: 20 }),
      ];
      await scene.grant(ada, "short", 5, { expiresAt: START + DAY });
      await scene.debit(ada);
      const reversed = scene.debitOrder(ada);
      for (const order of [reversed, scene.debitOrder(ada), scene.debitOrder(bob)])
        await scene.ledger.debit(order);
      await scene.ledger.reverse({ account: ada, callId: reversed.callId, at: START, now: START });
      await scene.ledger.closeAccount({ account: bob, now: START });

      const books = { granted: 35, debited: 3, reversed: 1, voided: 19 };
      const before = await assertBooks(scene.ledger, START + DAY - 1);
      assert.deepEqual(before.books, { ...books, remaining: 14, expired: 0 });
      const after = await assertBooks(scene.ledger, START + DAY);
      assert.deepEqual(after.books, { ...books, remaining: 10, expired: 4 });
      assert.equal(after.accounts, 2, "closed accounts are kept in the books");
    },
  );

  rule(
    "a ledger that takes writes says so, and its books do not change by asking",
    async (scene) => {
      await scene.account("Ada", { credits: 1 });
      const audit = await scene.ledger.audit({ now: START });
      assert.deepEqual(await scene.ledger.probe({ now: START }), { ready: true });
      assert.deepEqual(await scene.ledger.probe({ now: START + 1 }), { ready: true });
      assert.deepEqual(await scene.ledger.audit({ now: START }), audit);
    },
  );
}
