import assert from "node:assert/strict";
import {
  createRule,
  DAY,
  debited,
  type Fixture,
  idempotency,
  keyId,
  MINUTE,
  type OpenLedger,
  START,
  tooLittle,
} from "./fixture.ts";

export function describeDebits(open: OpenLedger) {
  const test = createRule(open);
  describeCharges(test);
  describeProblems(test);
  describeResends(test);
}

type Rule = ReturnType<typeof createRule>;

function describeCharges(test: Rule) {
  test("a call costs one credit and returns the remaining balance", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 2 });
    assert.deepEqual(await fixture.debit(account), debited(1, 1));
    assert.deepEqual(await fixture.debit(account), debited(1, 0));
    assert.deepEqual(await fixture.debit(account), tooLittle(0));
    assert.equal((await fixture.totals()).debited, 2);
  });

  test("only the first call of an account is free, even with a balance of 0", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    assert.deepEqual(await fixture.debit(account), debited(0, 0));
    assert.deepEqual(await fixture.debit(account), tooLittle(0));
    assert.equal((await fixture.ledger.findAccount({ account, now: START }))?.freeCall, "used");
  });

  test("the free call is used before credits are spent", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open", credits: 3 });
    assert.deepEqual(await fixture.debit(account), debited(0, 3));
    assert.deepEqual(await fixture.debit(account), debited(1, 2));
  });

  test("a rejected call does not use up the free call", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    await fixture.ledger.changeAccount({ account, now: START, state: "suspended" });
    assert.equal((await fixture.debit(account)).outcome, "account_suspended");
    await fixture.ledger.changeAccount({ account, now: START, state: "open" });
    assert.equal((await fixture.debit(account, { key: "unknown" })).outcome, "invalid_key");
    assert.deepEqual(await fixture.debit(account), debited(0, 0));
  });
}

function describeProblems(test: Rule) {
  const kept = idempotency("kept");
  /** An account of which everything can be wrong at once: no credits, and an idempotency key used before. */
  const spentAccount = async (fixture: Fixture) => {
    const account = await fixture.account("Ada", { credits: 1 });
    await fixture.debit(account, { idempotency: kept });
    return account;
  };

  test("an invalid key is rejected before anything else is checked", async (fixture) => {
    const account = await spentAccount(fixture);
    const rejected = { outcome: "invalid_key" };
    await fixture.ledger.changeAccount({ account, now: START, state: "suspended" });
    const unknown = { key: "unknown", idempotency: kept };
    assert.deepEqual(await fixture.debit(account, unknown), rejected);
    await fixture.ledger.revokeKey({ account, id: keyId(account), now: START });
    assert.deepEqual(await fixture.debit(account, { idempotency: kept }), rejected);
  });

  test("suspension takes precedence over a replay, a reused key and missing credits", async (fixture) => {
    const account = await spentAccount(fixture);
    await fixture.ledger.changeAccount({ account, now: START, state: "suspended" });
    const rejected = { outcome: "account_suspended", balance: 0 };
    for (const order of [kept, idempotency("kept", "other body"), null])
      assert.deepEqual(await fixture.debit(account, { idempotency: order }), rejected);
  });

  test("a replay or a reused key takes precedence over missing credits", async (fixture) => {
    const account = await spentAccount(fixture);
    const outcomeOf = async (order: typeof kept | null) =>
      (await fixture.debit(account, { idempotency: order })).outcome;
    assert.equal(await outcomeOf(kept), "replayed");
    assert.equal(await outcomeOf(idempotency("kept", "other body")), "idempotency_key_reused");
    assert.equal(await outcomeOf(idempotency("new")), "insufficient_credits");
    assert.equal(await outcomeOf(null), "insufficient_credits");
  });

  test("a rejected call leaves no debit and no usage", async (fixture) => {
    const account = await spentAccount(fixture);
    const [totals, usage] = [await fixture.totals(), await fixture.usage()];
    await fixture.debit(account);
    await fixture.debit(account, { key: "unknown" });
    await fixture.ledger.changeAccount({ account, now: START, state: "suspended" });
    await fixture.debit(account);
    assert.deepEqual(await fixture.totals(), totals);
    assert.deepEqual(await fixture.usage(), usage);
  });
}

function describeResends(test: Rule) {
  test("a repeated call is the same debit", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 3 });
    const order = fixture.debitOrder(account);
    for (let time = 0; time < 2; time += 1)
      assert.deepEqual(await fixture.ledger.debit(order), debited(1, 2));
    assert.equal((await fixture.totals()).debited, 1);
    assert.equal((await fixture.usage())[0]?.calls, 1);
  });

  test("a repeated call with an idempotency key is the same debit, not a replay", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 3 });
    const order = fixture.debitOrder(account, { idempotency: idempotency("once") });
    for (let time = 0; time < 2; time += 1)
      assert.deepEqual(await fixture.ledger.debit(order), debited(1, 2));
  });

  // A rejection here would cost the credit that was taken.
  for (const [what, act] of [
    ["its key is revoked", "revokeKey"],
    ["its account is suspended", "suspended"],
    ["its account is closed", "closed"],
  ] as const)
    test(`a debit that is repeated after ${what} returns its outcome`, async (fixture) => {
      const account = await fixture.account("Ada", { credits: 1 });
      const order = fixture.debitOrder(account);
      await fixture.ledger.debit(order);
      const now = START + MINUTE;
      if (act === "revokeKey") await fixture.ledger.revokeKey({ account, id: keyId(account), now });
      else await fixture.ledger.changeAccount({ account, state: act, now });
      assert.deepEqual(await fixture.ledger.debit(order), debited(1, 0));
      assert.equal((await fixture.totals()).debited, 1);
    });

  test("a rejected call that is repeated is decided again", async (fixture) => {
    const account = await fixture.account();
    const order = fixture.debitOrder(account);
    assert.equal((await fixture.ledger.debit(order)).outcome, "insufficient_credits");
    await fixture.grant(account, "gift", 1);
    assert.equal((await fixture.ledger.debit(order)).outcome, "debited");
  });

  test("the same call id in two accounts is two debits", async (fixture) => {
    for (const name of ["Ada", "Bob"]) {
      const account = await fixture.account(name, { credits: 1 });
      const outcome = await fixture.debit(account, { callId: "call_same", now: START + DAY });
      assert.deepEqual(outcome, debited(1, 0));
    }
  });
}
