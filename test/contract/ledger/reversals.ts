import assert from "node:assert/strict";
import type { DebitOrder } from "#ledger/port.ts";
import { callsByKey } from "#ledger/read-pages.ts";
import {
  allEntries,
  createRule,
  DAY,
  debited,
  idempotency,
  keyId,
  type OpenLedger,
  START,
} from "./fixture.ts";

export function describeReversals(open: OpenLedger) {
  const test = createRule(open);
  test("after the reversal of a free call, the free call is available once more", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    const order = fixture.debitOrder(account);
    await fixture.ledger.debit(order);
    assert.deepEqual(await fixture.reverse(order), { reversed: true });
    assert.equal((await fixture.ledger.findAccount({ account, now: START }))?.freeCall, "open");
    assert.deepEqual(await fixture.debit(account), debited(0, 0));
    assert.equal((await fixture.debit(account)).outcome, "insufficient_credits");
    assert.deepEqual(await fixture.reverse(order), { reversed: false });
    assert.equal((await fixture.debit(account)).outcome, "insufficient_credits");
  });

  test("reversing a call does not affect the idempotency key of a call with the same id at another time", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    const callOf = (key: string, now: number) =>
      fixture.debitOrder(account, { callId: "call_same", idempotency: idempotency(key), now });
    const [one, other] = [callOf("one", START), callOf("other", START + 1)];
    for (const order of [one, other]) await fixture.ledger.debit(order);
    assert.deepEqual(await fixture.reverse(one, START + 2), { reversed: true });
    const outcomes: string[] = [];
    for (const key of ["other", "one"]) {
      const again = { idempotency: idempotency(key), now: START + 3 };
      outcomes.push((await fixture.debit(account, again)).outcome);
    }
    assert.deepEqual(outcomes, ["replayed", "debited"]);
  });

  test("reversing a call that was never debited returns nothing", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 1 });
    const other = await fixture.account("Bob", { credits: 1 });
    const [unknown, rejected, replayed] = [1, 2, 3].map(() => fixture.debitOrder(account));
    assert.deepEqual(await fixture.reverse(unknown as DebitOrder), { reversed: false });

    const once = idempotency("once");
    const made = fixture.debitOrder(account, { idempotency: once });
    await fixture.ledger.debit(made);
    await fixture.ledger.debit(rejected as DebitOrder);
    await fixture.ledger.debit({ ...(replayed as DebitOrder), idempotency: once });
    for (const order of [rejected, replayed, { ...made, account: other }])
      assert.deepEqual(await fixture.reverse(order as DebitOrder), { reversed: false });
    assert.deepEqual([await fixture.balance(account), await fixture.balance(other)], [0, 1]);
  });

  test("a call that is reversed before its debit arrives is not charged and is not listed", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5, freeCall: "open" });
    const orders = [
      fixture.debitOrder(account),
      fixture.debitOrder(account, { idempotency: idempotency("once") }),
      fixture.debitOrder(account, { key: "unknown" }),
    ];
    const before = await fixture.totals();
    for (const order of orders) {
      assert.deepEqual(await fixture.reverse(order), { reversed: false });
      assert.deepEqual(await fixture.reverse(order, START + DAY), { reversed: false });
      await assert.rejects(fixture.ledger.debit(order), /reversed/);
    }
    const together = [fixture.debitOrder(account), ...orders, fixture.debitOrder(account)];
    const settled = await Promise.allSettled(together.map((order) => fixture.ledger.debit(order)));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ["fulfilled", ...orders.map(() => "rejected"), "fulfilled"],
    );
    assert.equal(await fixture.balance(account), 4);
    assert.deepEqual(await fixture.totals(), { ...before, debited: 1, remaining: 4 });
    assert.deepEqual(
      (await fixture.usage()).map(({ calls, credits }) => [calls, credits]),
      [[2, 1]],
    );
    const [recent] = await callsByKey(fixture.ledger, { account, since: 0 });
    assert.equal(recent?.calls, 2);
    const kinds = (await allEntries(fixture.ledger, account, START)).map(({ kind }) => kind);
    assert.deepEqual(kinds.toSorted(), ["debit", "debit", "grant"]);
    const other = fixture.debitOrder(account, { idempotency: idempotency("once", "other body") });
    assert.equal((await fixture.ledger.debit(other)).outcome, "debited");
    await fixture.rollUp(START + 1, { now: START + DAY, rowsMax: 2 });
    assert.deepEqual(
      (await fixture.usage()).map(({ calls, credits }) => [calls, credits]),
      [[3, 2]],
    );
    assert.equal((await allEntries(fixture.ledger, account, START)).length, 2);
  });

  test("a debit and its reversal at once charge nothing, whichever comes first", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 40 });
    for (let round = 0; round < 20; round += 1) {
      const order = fixture.debitOrder(account);
      const debit = () =>
        fixture.ledger.debit(order).then(
          () => true,
          () => false,
        );
      const reverseCall = async () => (await fixture.reverse(order)).reversed;
      const acts = round % 2 === 0 ? [debit, reverseCall] : [reverseCall, debit];
      const [one, other] = await Promise.all(acts.map((act) => act()));
      assert.equal(one, other);
    }
    assert.equal(await fixture.balance(account), 40);
  });

  test("a reversed call that is repeated is rejected, because its client got an error", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    const order = fixture.debitOrder(account);
    await fixture.ledger.debit(order);
    await fixture.reverse(order);
    await assert.rejects(fixture.ledger.debit(order), /reversed/);
    assert.equal(await fixture.balance(account), 5);
    assert.deepEqual(await fixture.usage(), []);
  });

  test("the record of a reversed call is deleted, so its idempotency key is free", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    const order = fixture.debitOrder(account, { idempotency: idempotency("once") });
    await fixture.ledger.debit(order);
    await fixture.reverse(order);
    const other = idempotency("once", "other body");
    assert.equal((await fixture.debit(account, { idempotency: other })).outcome, "debited");
  });

  test("reversing an old call keeps the record of a newer one with the same idempotency key", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    const old = fixture.debitOrder(account, { idempotency: idempotency("once") });
    await fixture.ledger.debit(old);
    const newer = { idempotency: idempotency("once", "other body"), now: START + DAY };
    await fixture.debit(account, newer);
    assert.deepEqual(await fixture.reverse(old, START + DAY), { reversed: true });
    assert.equal((await fixture.debit(account, newer)).outcome, "replayed");
  });

  test("a credit that is returned to an expired grant is expired", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "short", 2, { expiresAt: START + DAY });
    const order = fixture.debitOrder(account);
    await fixture.ledger.debit(order);
    assert.deepEqual(await fixture.reverse(order, START + DAY), { reversed: true });
    assert.equal(await fixture.balance(account, START + DAY), 0);
    assert.equal((await fixture.totals(START + DAY)).expired, 2);
  });

  test("a credit that is returned to a closed account is forfeited", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 2 });
    const order = fixture.debitOrder(account);
    await fixture.ledger.debit(order);
    await fixture.ledger.changeAccount({ account, now: START, state: "closed" });
    assert.deepEqual(await fixture.reverse(order), { reversed: true });
    assert.equal(await fixture.balance(account), 0);
    const { reversed, voided } = await fixture.totals();
    assert.deepEqual({ reversed, voided }, { reversed: 1, voided: 2 });
  });

  test("a call is found with what it cost and who paid, until it is rolled up", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    await fixture.grant(account, "soon", 1, { expiresAt: START + DAY });
    const find = ({ callId, now: at }: DebitOrder) =>
      fixture.ledger.findCall({ account, callId, at });
    const order = fixture.debitOrder(account, { credits: 3, idempotency: idempotency("once") });
    assert.deepEqual(await find(order), { outcome: "not_found" });
    await fixture.ledger.debit(order);
    const found = {
      ...{ outcome: "found", key: keyId(account), tool: "hash", credits: 3, isFree: false },
      parts: [
        { grant: "soon", kind: "operator", credits: 1 },
        { grant: "first", kind: "operator", credits: 2 },
      ],
      ...{ reversedAt: null, isRepeatable: true },
    };
    assert.deepEqual(await find(order), found);
    const others = [
      { callId: "call_other" },
      { now: START + 1 },
      { account: await fixture.account("Bob") },
    ];
    for (const other of others) {
      const { account: of, callId, now: at } = { ...order, ...other };
      const nothing = { outcome: "not_found" };
      assert.deepEqual(await fixture.ledger.findCall({ account: of, callId, at }), nothing);
    }

    await fixture.reverse(order, START + 1);
    const reversedAt = START + 1;
    assert.deepEqual(await find(order), { ...found, reversedAt, isRepeatable: false });
    const single = fixture.debitOrder(account);
    await fixture.ledger.debit(single);
    const parts = [{ grant: "soon", kind: "operator", credits: 1 }];
    const one = { ...found, credits: 1, parts, isRepeatable: false };
    assert.deepEqual(await find(single), one);
    const late = fixture.debitOrder(account);
    await fixture.reverse(late, START + 2);
    const never = { outcome: "never_charged", reversedAt: START + 2 };
    assert.deepEqual(await find(late), never);

    await fixture.rollUp(START + 1);
    assert.deepEqual(await find(order), { outcome: "rolled_up", reversedAt });
    assert.deepEqual(await find(single), { outcome: "rolled_up", reversedAt: null });
  });
}
