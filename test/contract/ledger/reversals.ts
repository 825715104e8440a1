import assert from "node:assert/strict";
import type { DebitOrder } from "#ledger/port.ts";
import {
  allEntries,
  createRule,
  DAY,
  idempotency,
  maintainFully,
  type OpenLedger,
  type Scene,
  START,
} from "./fixture.ts";

export function describeReversals(open: OpenLedger) {
  const rule = createRule(open);
  const reverse = ({ ledger }: Scene, { account, callId, now: at }: DebitOrder, now = at) =>
    ledger.reverse({ account, callId, at, now });

  rule("a reversed call's credit is back in the grant it was taken from", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    await scene.grant(account, "soon", 1, { expiresAt: START + DAY });
    const [fromSoon, fromFirst] = [scene.debitOrder(account), scene.debitOrder(account)];
    await scene.ledger.debit(fromSoon);
    await scene.ledger.debit(fromFirst);
    assert.deepEqual(await scene.remaining(account), { first: 4, soon: 0 });
    assert.deepEqual(await reverse(scene, fromSoon), { reversed: true });
    assert.deepEqual(await scene.remaining(account), { soon: 1, first: 4 });
    const { debited, reversed, remaining } = await scene.books();
    assert.deepEqual({ debited, reversed, remaining }, { debited: 2, reversed: 1, remaining: 5 });
  });

  rule("a call is reversed once", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    const order = scene.debitOrder(account);
    await scene.ledger.debit(order);
    assert.deepEqual(await reverse(scene, order), { reversed: true });
    assert.deepEqual(await reverse(scene, order), { reversed: false });
    assert.equal(await scene.balance(account), 5);
  });

  rule("a reversed free call is free again, once", async (scene) => {
    const account = await scene.account("Ada", { freeCall: "open" });
    const order = scene.debitOrder(account);
    await scene.ledger.debit(order);
    assert.deepEqual(await reverse(scene, order), { reversed: true });
    assert.equal((await scene.ledger.findAccount({ account, now: START }))?.freeCall, "open");
    assert.deepEqual(await scene.debit(account), { outcome: "debited", charged: 0, balance: 0 });
    assert.equal((await scene.debit(account)).outcome, "insufficient_credits");
    assert.deepEqual(await reverse(scene, order), { reversed: false });
    assert.equal((await scene.debit(account)).outcome, "insufficient_credits");
  });

  rule("a call of the same id, made at another time, keeps its idempotency key", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    const callOf = (key: string, now: number) =>
      scene.debitOrder(account, { callId: "call_same", idempotency: idempotency(key), now });
    const [one, other] = [callOf("one", START), callOf("other", START + 1)];
    for (const order of [one, other]) await scene.ledger.debit(order);
    assert.deepEqual(await reverse(scene, one, START + 2), { reversed: true });
    const outcomes: string[] = [];
    for (const key of ["other", "one"]) {
      const again = { idempotency: idempotency(key), now: START + 3 };
      outcomes.push((await scene.debit(account, again)).outcome);
    }
    assert.deepEqual(outcomes, ["replayed", "debited"]);
  });

  rule("nothing is given back for a call that was never debited", async (scene) => {
    const account = await scene.account("Ada", { credits: 1 });
    const other = await scene.account("Bob", { credits: 1 });
    const [unknown, refused, replayed] = [1, 2, 3].map(() => scene.debitOrder(account));
    assert.deepEqual(await reverse(scene, unknown as DebitOrder), { reversed: false });

    const once = idempotency("once");
    const made = scene.debitOrder(account, { idempotency: once });
    await scene.ledger.debit(made);
    await scene.ledger.debit(refused as DebitOrder);
    await scene.ledger.debit({ ...(replayed as DebitOrder), idempotency: once });
    for (const order of [refused, replayed, { ...made, account: other }])
      assert.deepEqual(await reverse(scene, order as DebitOrder), { reversed: false });
    assert.deepEqual([await scene.balance(account), await scene.balance(other)], [0, 1]);
  });

  rule(
    "a call that was given back before its debit came is not charged, and is in no list",
    async (scene) => {
      const account = await scene.account("Ada", { credits: 5, freeCall: "open" });
      const orders = [
        scene.debitOrder(account),
        scene.debitOrder(account, { idempotency: idempotency("once") }),
        scene.debitOrder(account, { key: "unknown" }),
      ];
      const before = await scene.books();
      for (const order of orders) {
        assert.deepEqual(await reverse(scene, order), { reversed: false });
        assert.deepEqual(await reverse(scene, order, START + DAY), { reversed: false });
        await assert.rejects(scene.ledger.debit(order), /reversed/);
      }
      const together = [scene.debitOrder(account), ...orders, scene.debitOrder(account)];
      const settled = await Promise.allSettled(together.map((order) => scene.ledger.debit(order)));
      assert.deepEqual(
        settled.map(({ status }) => status),
        ["fulfilled", ...orders.map(() => "rejected"), "fulfilled"],
      );
      assert.equal(await scene.balance(account), 4);
      assert.deepEqual(await scene.books(), { ...before, debited: 1, remaining: 4 });
      assert.deepEqual(
        (await scene.usage()).map(({ calls, credits }) => [calls, credits]),
        [[2, 1]],
      );
      const [recent] = await scene.ledger.recentCalls({ account, from: 0 });
      assert.equal(recent?.calls, 2);
      const kinds = (await allEntries(scene.ledger, account, START)).map(({ kind }) => kind);
      assert.deepEqual(kinds.toSorted(), ["debit", "debit", "grant"]);
      const other = scene.debitOrder(account, { idempotency: idempotency("once", "other body") });
      assert.equal((await scene.ledger.debit(other)).outcome, "debited");
      await maintainFully(scene.ledger, { now: START + DAY, foldBefore: START + 1, rowsMax: 2 });
      assert.deepEqual(
        (await scene.usage()).map(({ calls, credits }) => [calls, credits]),
        [[3, 2]],
      );
      assert.equal((await allEntries(scene.ledger, account, START)).length, 2);
    },
  );

  rule(
    "of a debit and its reversal at once both come to the same: nothing is charged",
    async (scene) => {
      const account = await scene.account("Ada", { credits: 40 });
      for (let round = 0; round < 20; round += 1) {
        const order = scene.debitOrder(account);
        const debit = () =>
          scene.ledger.debit(order).then(
            () => true,
            () => false,
          );
        const giveBack = async () => (await reverse(scene, order)).reversed;
        const acts = round % 2 === 0 ? [debit, giveBack] : [giveBack, debit];
        const [one, other] = await Promise.all(acts.map((act) => act()));
        assert.equal(one, other);
      }
      assert.equal(await scene.balance(account), 40);
    },
  );

  rule("a reversed call sent again is rejected: it was answered with a refusal", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    const order = scene.debitOrder(account);
    await scene.ledger.debit(order);
    await reverse(scene, order);
    await assert.rejects(scene.ledger.debit(order), /reversed/);
    assert.equal(await scene.balance(account), 5);
    assert.deepEqual(await scene.usage(), []);
  });

  rule(
    "a reversed free call sent again is rejected, and the free call is still to be had",
    async (scene) => {
      const account = await scene.account("Ada", { freeCall: "open" });
      const order = scene.debitOrder(account);
      await scene.ledger.debit(order);
      await reverse(scene, order);
      await assert.rejects(scene.ledger.debit(order), /reversed/);
      assert.deepEqual(await scene.debit(account), { outcome: "debited", charged: 0, balance: 0 });
    },
  );

  rule("a rejected call does not take others that come with it down", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    const reversed = scene.debitOrder(account);
    await scene.ledger.debit(reversed);
    await reverse(scene, reversed);
    const orders = [scene.debitOrder(account), reversed, scene.debitOrder(account)];
    const settled = await Promise.allSettled(orders.map((order) => scene.ledger.debit(order)));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    assert.equal(await scene.balance(account), 3);
  });

  rule("a reversed call's answer is not kept: its idempotency key is free", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    const order = scene.debitOrder(account, { idempotency: idempotency("once") });
    await scene.ledger.debit(order);
    await reverse(scene, order);
    const other = idempotency("once", "other body");
    assert.equal((await scene.debit(account, { idempotency: other })).outcome, "debited");
  });

  rule(
    "reversing an old call leaves the answer of a newer one under the same key",
    async (scene) => {
      const account = await scene.account("Ada", { credits: 5 });
      const old = scene.debitOrder(account, { idempotency: idempotency("once") });
      await scene.ledger.debit(old);
      const newer = { idempotency: idempotency("once", "other body"), now: START + DAY };
      await scene.debit(account, newer);
      assert.deepEqual(await reverse(scene, old, START + DAY), { reversed: true });
      assert.equal((await scene.debit(account, newer)).outcome, "replayed");
    },
  );

  rule("a credit given back to an expired grant is expired", async (scene) => {
    const account = await scene.account();
    await scene.grant(account, "short", 2, { expiresAt: START + DAY });
    const order = scene.debitOrder(account);
    await scene.ledger.debit(order);
    assert.deepEqual(await reverse(scene, order, START + DAY), { reversed: true });
    assert.equal(await scene.balance(account, START + DAY), 0);
    assert.equal((await scene.books(START + DAY)).expired, 2);
  });

  rule("a credit given back to a closed account is forfeit like the rest", async (scene) => {
    const account = await scene.account("Ada", { credits: 2 });
    const order = scene.debitOrder(account);
    await scene.ledger.debit(order);
    await scene.ledger.closeAccount({ account, now: START });
    assert.deepEqual(await reverse(scene, order), { reversed: true });
    assert.equal(await scene.balance(account), 0);
    const { reversed, voided } = await scene.books();
    assert.deepEqual({ reversed, voided }, { reversed: 1, voided: 2 });
  });

  rule("the credit of a suspended account's call is given back", async (scene) => {
    const account = await scene.account("Ada", { credits: 2 });
    const order = scene.debitOrder(account);
    await scene.ledger.debit(order);
    await scene.ledger.suspendAccount({ account, now: START });
    assert.deepEqual(await reverse(scene, order), { reversed: true });
    assert.equal(await scene.balance(account), 2);
  });
}
