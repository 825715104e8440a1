import assert from "node:assert/strict";
import {
  createRule,
  DAY,
  type Fixture,
  idempotency,
  keyId,
  MINUTE,
  type OpenLedger,
  START,
} from "./fixture.ts";

export function describeDebits(open: OpenLedger) {
  const rule = createRule(open);
  describeCharges(rule);
  describeProblems(rule);
  describeResends(rule);
}

type Rule = ReturnType<typeof createRule>;

function describeCharges(rule: Rule) {
  rule("a call costs one credit and returns the remaining balance", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 2 });
    assert.deepEqual(await fixture.debit(account), { outcome: "debited", charged: 1, balance: 1 });
    assert.deepEqual(await fixture.debit(account), { outcome: "debited", charged: 1, balance: 0 });
    assert.deepEqual(await fixture.debit(account), { outcome: "insufficient_credits", balance: 0 });
    assert.equal((await fixture.totals()).debited, 2);
  });

  rule("only the first call of an account is free, even with a balance of 0", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    assert.deepEqual(await fixture.debit(account), {
      outcome: "debited",
      charged: 0,
      balance: 0,
    });
    assert.deepEqual(await fixture.debit(account), {
      outcome: "insufficient_credits",
      balance: 0,
    });
    assert.equal((await fixture.ledger.findAccount({ account, now: START }))?.freeCall, "used");
  });

  rule("the free call is used before credits are spent", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open", credits: 3 });
    assert.deepEqual(await fixture.debit(account), { outcome: "debited", charged: 0, balance: 3 });
    assert.deepEqual(await fixture.debit(account), { outcome: "debited", charged: 1, balance: 2 });
  });

  rule("a rejected call does not use up the free call", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    await fixture.ledger.suspendAccount({ account, now: START });
    assert.equal((await fixture.debit(account)).outcome, "account_suspended");
    await fixture.ledger.resumeAccount({ account, now: START });
    assert.equal((await fixture.debit(account, { key: "unknown" })).outcome, "invalid_key");
    assert.deepEqual(await fixture.debit(account), { outcome: "debited", charged: 0, balance: 0 });
  });

  rule("an account whose free call is withheld pays for its first call", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "withheld" });
    assert.equal((await fixture.debit(account)).outcome, "insufficient_credits");
    await fixture.grant(account, "gift", 1);
    assert.deepEqual(await fixture.debit(account), { outcome: "debited", charged: 1, balance: 0 });
    const found = await fixture.ledger.findAccount({ account, now: START });
    assert.equal(found?.freeCall, "withheld");
  });

  rule(
    "credits that are granted after a rejected call are available to the next call",
    async (fixture) => {
      const account = await fixture.account();
      assert.equal((await fixture.debit(account)).outcome, "insufficient_credits");
      await fixture.grant(account, "gift", 1);
      assert.equal((await fixture.debit(account)).outcome, "debited");
    },
  );
}

function describeProblems(rule: Rule) {
  const kept = idempotency("kept");
  /** An account of which everything can be wrong at once: no credits, and an idempotency key used before. */
  const spentAccount = async (fixture: Fixture) => {
    const account = await fixture.account("Ada", { credits: 1 });
    await fixture.debit(account, { idempotency: kept });
    return account;
  };

  rule("an invalid key is rejected before anything else is checked", async (fixture) => {
    const account = await spentAccount(fixture);
    const rejected = { outcome: "invalid_key" };
    await fixture.ledger.suspendAccount({ account, now: START });
    const unknown = { key: "unknown", idempotency: kept };
    assert.deepEqual(await fixture.debit(account, unknown), rejected);
    await fixture.ledger.revokeKey({ account, id: keyId(account), now: START });
    assert.deepEqual(await fixture.debit(account, { idempotency: kept }), rejected);
  });

  rule(
    "suspension takes precedence over a replay, a reused key and missing credits",
    async (fixture) => {
      const account = await spentAccount(fixture);
      await fixture.ledger.suspendAccount({ account, now: START });
      const rejected = { outcome: "account_suspended", balance: 0 };
      for (const order of [kept, idempotency("kept", "other body"), null])
        assert.deepEqual(await fixture.debit(account, { idempotency: order }), rejected);
    },
  );

  rule("a replay or a reused key takes precedence over missing credits", async (fixture) => {
    const account = await spentAccount(fixture);
    const outcomeOf = async (order: typeof kept | null) =>
      (await fixture.debit(account, { idempotency: order })).outcome;
    assert.equal(await outcomeOf(kept), "replayed");
    assert.equal(await outcomeOf(idempotency("kept", "other body")), "idempotency_key_reused");
    assert.equal(await outcomeOf(idempotency("new")), "insufficient_credits");
    assert.equal(await outcomeOf(null), "insufficient_credits");
  });

  rule("a rejected call leaves no debit and no usage", async (fixture) => {
    const account = await spentAccount(fixture);
    const [totals, usage] = [await fixture.totals(), await fixture.usage()];
    await fixture.debit(account);
    await fixture.debit(account, { key: "unknown" });
    await fixture.ledger.suspendAccount({ account, now: START });
    await fixture.debit(account);
    assert.deepEqual(await fixture.totals(), totals);
    assert.deepEqual(await fixture.usage(), usage);
  });
}

function describeResends(rule: Rule) {
  rule("a repeated call is the same debit", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 3 });
    const order = fixture.debitOrder(account);
    const debited = { outcome: "debited", charged: 1, balance: 2 };
    assert.deepEqual(await fixture.ledger.debit(order), debited);
    assert.deepEqual(await fixture.ledger.debit(order), debited);
    assert.equal((await fixture.totals()).debited, 1);
    assert.equal((await fixture.usage())[0]?.calls, 1);
  });

  rule("a repeated free call is still free", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open", credits: 3 });
    const order = fixture.debitOrder(account);
    for (let time = 0; time < 3; time += 1)
      assert.deepEqual(await fixture.ledger.debit(order), {
        outcome: "debited",
        charged: 0,
        balance: 3,
      });
  });

  rule(
    "a repeated call stays charged even if the free call became available in between",
    async (fixture) => {
      const account = await fixture.account("Ada", { freeCall: "open", credits: 3 });
      const [free, paid] = [fixture.debitOrder(account), fixture.debitOrder(account)];
      await fixture.ledger.debit(free);
      await fixture.ledger.debit(paid);
      await fixture.ledger.reverse({ account, callId: free.callId, at: START, now: START });
      assert.deepEqual(await fixture.ledger.debit(paid), {
        outcome: "debited",
        charged: 1,
        balance: 2,
      });
    },
  );

  rule(
    "a call that is repeated after the last credit was spent returns its debit",
    async (fixture) => {
      const account = await fixture.account("Ada", { credits: 1 });
      const order = fixture.debitOrder(account);
      await fixture.ledger.debit(order);
      assert.deepEqual(await fixture.ledger.debit(order), {
        outcome: "debited",
        charged: 1,
        balance: 0,
      });
    },
  );

  rule(
    "a repeated call with an idempotency key is the same debit, not a replay",
    async (fixture) => {
      const account = await fixture.account("Ada", { credits: 3 });
      const order = fixture.debitOrder(account, { idempotency: idempotency("once") });
      for (let time = 0; time < 2; time += 1)
        assert.deepEqual(await fixture.ledger.debit(order), {
          outcome: "debited",
          charged: 1,
          balance: 2,
        });
    },
  );

  // A rejection here would cost the credit that was taken.
  for (const act of ["revokeKey", "suspendAccount", "closeAccount"] as const)
    rule(`a debit that is repeated after ${act} returns its outcome`, async (fixture) => {
      const account = await fixture.account("Ada", { credits: 1 });
      const order = fixture.debitOrder(account);
      await fixture.ledger.debit(order);
      await fixture.ledger[act]({ account, id: keyId(account), now: START + MINUTE });
      assert.deepEqual(await fixture.ledger.debit(order), {
        outcome: "debited",
        charged: 1,
        balance: 0,
      });
      assert.equal((await fixture.totals()).debited, 1);
    });

  rule("a rejected call that is repeated is decided again", async (fixture) => {
    const account = await fixture.account();
    const order = fixture.debitOrder(account);
    assert.equal((await fixture.ledger.debit(order)).outcome, "insufficient_credits");
    await fixture.grant(account, "gift", 1);
    assert.equal((await fixture.ledger.debit(order)).outcome, "debited");
  });

  rule("the same call id in two accounts is two debits", async (fixture) => {
    for (const name of ["Ada", "Bob"]) {
      const account = await fixture.account(name, { credits: 1 });
      const outcome = await fixture.debit(account, { callId: "call_same", now: START + DAY });
      assert.deepEqual(outcome, { outcome: "debited", charged: 1, balance: 0 });
    }
  });
}
