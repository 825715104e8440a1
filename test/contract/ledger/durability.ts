import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allEntries,
  assertBooks,
  createScene,
  DAY,
  HOUR,
  idempotency,
  keyId,
  maintainFully,
  type OpenLedger,
  type Scene,
  START,
  sortedUsage,
} from "./fixture.ts";

/** For stores that outlive their process. */
export function describeDurability(open: OpenLedger) {
  test("whatever was answered is still there after the store is opened again", async (t) => {
    const scene = createScene(await open(t));
    if (scene.reopen === undefined) return t.skip("this store does not outlive its process");
    const account = await scene.account("Ada", { freeCall: "open", credits: 5 });
    await scene.grant(account, "short", 3, { expiresAt: START + DAY });
    await scene.createKey(account, "other");
    const once = { idempotency: idempotency("once") };
    const [free, paid, reversed] = [1, 2, 3].map(() => scene.debitOrder(account)) as [
      Order,
      Order,
      Order,
    ];
    for (const order of [free, paid, reversed, scene.debitOrder(account, once)])
      await scene.ledger.debit(order);
    await scene.ledger.reverse({ account, callId: reversed.callId, at: START, now: START });
    await scene.ledger.revokeKey({ account, id: keyId(account, "other"), now: START });
    await maintainFully(scene.ledger, { now: START, foldBefore: START - HOUR, rowsMax: 9 });
    const before = await picture(scene.ledger, account);

    const ledger = await scene.reopen();
    assert.deepEqual(await picture(ledger, account), before);
    assert.deepEqual(await ledger.debit(paid), { outcome: "debited", charged: 1, balance: 6 });
    await assert.rejects(ledger.debit(reversed), /reversed/);
    const repeat = scene.debitOrder(account, once);
    assert.equal((await ledger.debit(repeat)).outcome, "replayed");
    assert.equal(
      (await ledger.debit(scene.debitOrder(account, { key: "other" }))).outcome,
      "invalid_key",
    );
    assert.equal((await ledger.debit(scene.debitOrder(account))).outcome, "debited");
    await assertBooks(ledger, START);
  });
}

type Order = ReturnType<Scene["debitOrder"]>;

const picture = async (ledger: Scene["ledger"], account: string) => ({
  found: await ledger.findAccount({ account, now: START }),
  credits: await ledger.credits({ account, now: START }),
  keys: await ledger.listKeys({ account }),
  usage: await sortedUsage(ledger),
  entries: await allEntries(ledger, account, START),
  audit: await ledger.audit({ now: START }),
});
