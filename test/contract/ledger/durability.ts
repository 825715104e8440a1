import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allEntries,
  assertTotals,
  createFixture,
  DAY,
  debited,
  type Fixture,
  HOUR,
  idempotency,
  keyId,
  type OpenLedger,
  START,
  sortedUsage,
} from "./fixture.ts";

/** For stores that outlive their process. */
export function describeDurability(open: OpenLedger) {
  test("every acknowledged change is still there after the store was reopened", async (t) => {
    const fixture = createFixture(await open(t));
    if (fixture.reopen === undefined) return t.skip("this store does not outlive its process");
    const account = await fixture.account("Ada", { freeCall: "open", credits: 5 });
    await fixture.grant(account, "short", 3, { expiresAt: START + DAY });
    await fixture.createKey(account, "other");
    const once = { idempotency: idempotency("once") };
    const [free, paid, reversed] = [1, 2, 3].map(() => fixture.debitOrder(account)) as [
      Order,
      Order,
      Order,
    ];
    for (const order of [free, paid, reversed, fixture.debitOrder(account, once)])
      await fixture.ledger.debit(order);
    await fixture.reverse(reversed);
    await fixture.ledger.revokeKey({ account, id: keyId(account, "other"), now: START });
    await fixture.rollUp(START - HOUR);
    const before = await picture(fixture.ledger, account);

    const ledger = await fixture.reopen();
    assert.deepEqual(await picture(ledger, account), before);
    assert.deepEqual(await ledger.debit(paid), debited(1, 6));
    await assert.rejects(ledger.debit(reversed), /reversed/);
    const repeat = fixture.debitOrder(account, once);
    assert.equal((await ledger.debit(repeat)).outcome, "replayed");
    assert.equal(
      (await ledger.debit(fixture.debitOrder(account, { key: "other" }))).outcome,
      "invalid_key",
    );
    assert.equal((await ledger.debit(fixture.debitOrder(account))).outcome, "debited");
    await assertTotals(ledger, START);
  });
}

type Order = ReturnType<Fixture["debitOrder"]>;

const picture = async (ledger: Fixture["ledger"], account: string) => ({
  found: await ledger.findAccount({ account, now: START }),
  credits: await ledger.credits({ account, now: START }),
  keys: await ledger.listKeys({ account }),
  usage: await sortedUsage(ledger, [account]),
  entries: await allEntries(ledger, account, START),
  audit: await ledger.audit({ now: START }),
});
