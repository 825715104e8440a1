import assert from "node:assert/strict";
import { OrderRefused } from "#ledger/port.ts";
import { allEntries, createRule, DAY, type OpenLedger, type Scene, START } from "./scene.ts";

const withdrawn = (voided: number, spent = 0) => ({ outcome: "withdrawn", voided, spent });

/** What is taken back of a grant, because its price was paid back. */
export function describeWithdrawals(open: OpenLedger) {
  const rule = createRule(open);

  rule(
    "what is unspent of a withdrawn grant is voided, what is spent stays spent",
    async (scene) => {
      const account = await scene.account("Ada", { credits: 10 });
      await spend(scene, account, 4);
      assert.deepEqual(await scene.withdraw(account, "first", 10), withdrawn(6, 4));
      assert.equal(await scene.balance(account), 0);
      const { voided, debited, remaining } = await scene.books();
      assert.deepEqual({ voided, debited, remaining }, { voided: 6, debited: 4, remaining: 0 });
      assert.equal((await scene.debit(account)).outcome, "insufficient_credits");
    },
  );

  rule("a part that is withdrawn leaves the rest to be spent", async (scene) => {
    const account = await scene.account("Ada", { credits: 10 });
    assert.deepEqual(await scene.withdraw(account, "first", 3), withdrawn(3));
    assert.equal(await scene.balance(account), 7);
    await spend(scene, account, 2);
    assert.deepEqual(await scene.withdraw(account, "first", 8), withdrawn(8, 2));
    assert.equal(await scene.balance(account), 0);
  });

  rule("what is to be withdrawn is said in all: asking again takes nothing more", async (scene) => {
    const account = await scene.account("Ada", { credits: 10 });
    for (let times = 0; times < 3; times += 1)
      assert.deepEqual(await scene.withdraw(account, "first", 4), withdrawn(4));
    assert.deepEqual(await scene.withdraw(account, "first", 1), withdrawn(4), "never fewer");
    assert.deepEqual(await scene.withdraw(account, "first", 7), withdrawn(7));
    assert.equal(await scene.balance(account), 3);
  });

  rule("more than the grant is the whole grant", async (scene) => {
    const account = await scene.account("Ada", { credits: 10 });
    await scene.grant(account, "other", 5);
    assert.deepEqual(await scene.withdraw(account, "first", 2 ** 53 - 1), withdrawn(10));
    assert.deepEqual(await scene.remaining(account), { other: 5, first: 0 });
  });

  rule("of a grant that is spent nothing is voided", async (scene) => {
    const account = await scene.account("Ada", { credits: 3 });
    await spend(scene, account, 3);
    assert.deepEqual(await scene.withdraw(account, "first", 3), withdrawn(0, 3));
    assert.equal((await scene.books()).voided, 0);
  });

  rule("what is spent after a part was withdrawn leaves less to withdraw", async (scene) => {
    const account = await scene.account("Ada", { credits: 10 });
    await spend(scene, account, 6);
    assert.deepEqual(await scene.withdraw(account, "first", 3), withdrawn(3, 6));
    assert.deepEqual(await scene.withdraw(account, "first", 8), withdrawn(4, 6));
    assert.equal(await scene.balance(account), 0);
  });

  rule("what has expired stays expired, to the millisecond", async (scene) => {
    const [ada, bob] = [await scene.account("Ada"), await scene.account("Bob")];
    const expiresAt = START + DAY;
    for (const account of [ada, bob]) await scene.grant(account, "short", 5, { expiresAt });
    await spend(scene, ada, 1);
    assert.deepEqual(await scene.withdraw(ada, "short", 5, expiresAt), withdrawn(0, 1));
    assert.deepEqual(await scene.withdraw(bob, "short", 5, expiresAt - 1), withdrawn(5));
    const { expired, voided } = await scene.books(expiresAt);
    assert.deepEqual({ expired, voided }, { expired: 4, voided: 5 });
  });

  rule("of a closed account nothing is left to void", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    await spend(scene, account, 2);
    await scene.ledger.closeAccount({ account, now: START });
    assert.deepEqual(await scene.withdraw(account, "first", 2), withdrawn(3, 2));
    assert.deepEqual(await scene.withdraw(account, "first", 5), withdrawn(3, 2));
    assert.deepEqual(await scene.news(), []);
  });

  rule("a lifetime grant of a closed account can be withdrawn", async (scene) => {
    const account = await scene.account();
    await scene.grant(account, "short", 5, { expiresAt: START + DAY });
    await scene.grant(account, "plan", 9, { kind: "lifetime" });
    await scene.ledger.closeAccount({ account, now: START });
    assert.deepEqual(await scene.withdraw(account, "plan", 9, START + 1), withdrawn(9));
    const later = { now: START + 2 * DAY, max: 10 };
    assert.deepEqual(await scene.ledger.recordExpiries(later), { noticed: 0, more: false });
    assert.deepEqual(await scene.news(), []);
  });

  rule("a suspended account's grants can be withdrawn", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    await scene.ledger.suspendAccount({ account, now: START });
    assert.deepEqual(await scene.withdraw(account, "first", 5), withdrawn(5));
    assert.deepEqual(await scene.debit(account), { outcome: "account_suspended", balance: 0 });
  });

  rule("a grant is withdrawn from its own account", async (scene) => {
    const [ada, bob] = [
      await scene.account("Ada", { credits: 5 }),
      await scene.account("Bob", { credits: 5 }),
    ];
    await scene.grant(bob, "gift", 2);
    assert.deepEqual(await scene.withdraw(ada, "gift", 2), { outcome: "no_grant" });
    assert.deepEqual(await scene.withdraw(ada, "first", 5), withdrawn(5));
    assert.deepEqual([await scene.balance(ada), await scene.balance(bob)], [0, 7]);
  });

  rule("withdrawing 0 credits takes nothing and tells how the grant stands", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    await scene.debit(account);
    const standing = (voided: number) => ({ outcome: "withdrawn", voided, spent: 1 });
    assert.deepEqual(await scene.withdraw(account, "first", 0), standing(0));
    assert.equal(await scene.balance(account), 4);
    await scene.withdraw(account, "first", 3);
    assert.deepEqual(await scene.withdraw(account, "first", 0), standing(3));
    assert.equal(await scene.balance(account), 1);
  });

  for (const credits of [-1, 1.5, 2 ** 53])
    rule(`withdrawing ${credits} credits is rejected and changes nothing`, async (scene) => {
      const account = await scene.account("Ada", { credits: 5 });
      await assert.rejects(scene.withdraw(account, "first", credits), OrderRefused);
      assert.equal(await scene.balance(account), 5);
    });

  rule("a credit that comes back to a withdrawn grant is voided at once", async (scene) => {
    const account = await scene.account("Ada", { credits: 3 });
    const orders = await spend(scene, account, 2);
    await scene.withdraw(account, "first", 3);
    for (const { callId } of orders)
      await scene.ledger.reverse({ account, callId, at: START, now: START + 1 });
    assert.equal(await scene.balance(account), 0);
    assert.deepEqual(await scene.withdraw(account, "first", 3), withdrawn(3));
    const { voided, reversed } = await scene.books();
    assert.deepEqual({ voided, reversed }, { voided: 3, reversed: 2 });
  });

  rule("of what comes back only so much is voided as was withdrawn", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    const orders = await spend(scene, account, 5);
    await scene.withdraw(account, "first", 2);
    for (const { callId } of orders.slice(0, 3))
      await scene.ledger.reverse({ account, callId, at: START, now: START });
    assert.deepEqual(await scene.remaining(account), { first: 1 });
    assert.deepEqual(await scene.withdraw(account, "first", 2), withdrawn(2, 2));
  });

  rule("what was withdrawn stays withdrawn, whatever is asked for after it", async (scene) => {
    const account = await scene.account("Ada", { credits: 4 });
    const orders = await spend(scene, account, 4);
    await scene.withdraw(account, "first", 3);
    assert.deepEqual(await scene.withdraw(account, "first", 1), withdrawn(0, 4));
    for (const { callId } of orders)
      await scene.ledger.reverse({ account, callId, at: START, now: START });
    assert.deepEqual(await scene.remaining(account), { first: 1 });
    assert.deepEqual(await scene.withdraw(account, "first", 1), withdrawn(3));
  });

  rule("what comes back late to a withdrawn grant is voided too", async (scene) => {
    const account = await scene.account();
    await scene.grant(account, "short", 2, { expiresAt: START + DAY });
    const [order] = await spend(scene, account, 1);
    const now = START + DAY;
    await scene.withdraw(account, "short", 2, now);
    await scene.ledger.reverse({ account, callId: order?.callId ?? "", at: START, now });
    const { expired, voided } = await scene.books(now);
    assert.deepEqual({ expired, voided }, { expired: 1, voided: 1 });
  });

  rule("a withdrawal is one entry, at the time of the first part", async (scene) => {
    const account = await scene.account("Ada", { credits: 9 });
    await scene.withdraw(account, "first", 2, START + 5);
    await scene.withdraw(account, "first", 6, START + 7);
    const [entry, ...others] = await allEntries(scene.ledger, account, START + 9);
    assert.partialDeepStrictEqual(entry, { kind: "void", at: START + 5, credits: -6 });
    assert.deepEqual(
      others.map(({ kind }) => kind),
      ["grant"],
    );
  });

  rule(
    "a grant withdrawn 50 times at once, while it is spent, is withdrawn once",
    async (scene) => {
      const account = await scene.account("Ada", { credits: 60 });
      const [outcomes] = await Promise.all([
        Promise.all(times(50, () => scene.withdraw(account, "first", 30))),
        Promise.all(times(50, () => scene.debit(account))),
      ]);
      const voided = outcomes.map((each) => (each.outcome === "withdrawn" ? each.voided : 0));
      assert.deepEqual(
        voided,
        times(50, () => voided[0]),
        "each hears of the same credits",
      );
      const books = await scene.books();
      assert.equal(books.remaining, 60 - books.debited - books.voided);
      assert.equal(books.voided, voided[0]);
    },
  );
}

const times = <Item>(count: number, make: () => Item) => Array.from({ length: count }, make);

async function spend(scene: Scene, account: string, calls: number) {
  const orders = times(calls, () => scene.debitOrder(account));
  for (const order of orders) assert.equal((await scene.ledger.debit(order)).outcome, "debited");
  return orders;
}
