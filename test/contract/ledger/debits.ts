import assert from "node:assert/strict";
import {
  createRule,
  DAY,
  idempotency,
  keyId,
  MINUTE,
  type OpenLedger,
  type Scene,
  START,
} from "./fixture.ts";

export function describeDebits(open: OpenLedger) {
  const rule = createRule(open);
  describeCharges(rule);
  describeRefusals(rule);
  describeResends(rule);
}

type Rule = ReturnType<typeof createRule>;

function describeCharges(rule: Rule) {
  rule("a call costs one credit and is answered with what is left", async (scene) => {
    const account = await scene.account("Ada", { credits: 2 });
    assert.deepEqual(await scene.debit(account), { outcome: "debited", charged: 1, balance: 1 });
    assert.deepEqual(await scene.debit(account), { outcome: "debited", charged: 1, balance: 0 });
    assert.deepEqual(await scene.debit(account), { outcome: "insufficient_credits", balance: 0 });
    assert.equal((await scene.books()).debited, 2);
  });

  rule(
    "an account's first call is free, with a balance of zero too, and only the first",
    async (scene) => {
      const account = await scene.account("Ada", { freeCall: "open" });
      assert.deepEqual(await scene.debit(account), { outcome: "debited", charged: 0, balance: 0 });
      assert.deepEqual(await scene.debit(account), { outcome: "insufficient_credits", balance: 0 });
      assert.equal((await scene.ledger.findAccount({ account, now: START }))?.freeCall, "used");
    },
  );

  rule("the free call comes before credits are spent", async (scene) => {
    const account = await scene.account("Ada", { freeCall: "open", credits: 3 });
    assert.deepEqual(await scene.debit(account), { outcome: "debited", charged: 0, balance: 3 });
    assert.deepEqual(await scene.debit(account), { outcome: "debited", charged: 1, balance: 2 });
  });

  rule("a refused call does not use up the free one", async (scene) => {
    const account = await scene.account("Ada", { freeCall: "open" });
    await scene.ledger.suspendAccount({ account, now: START });
    assert.equal((await scene.debit(account)).outcome, "account_suspended");
    await scene.ledger.resumeAccount({ account, now: START });
    assert.equal((await scene.debit(account, { key: "unknown" })).outcome, "invalid_key");
    assert.deepEqual(await scene.debit(account), { outcome: "debited", charged: 0, balance: 0 });
  });

  rule("an account whose free call is withheld pays for its first one", async (scene) => {
    const account = await scene.account("Ada", { freeCall: "withheld" });
    assert.equal((await scene.debit(account)).outcome, "insufficient_credits");
    await scene.grant(account, "gift", 1);
    assert.deepEqual(await scene.debit(account), { outcome: "debited", charged: 1, balance: 0 });
    const found = await scene.ledger.findAccount({ account, now: START });
    assert.equal(found?.freeCall, "withheld");
  });

  rule("credits granted after a refusal count at the next call", async (scene) => {
    const account = await scene.account();
    assert.equal((await scene.debit(account)).outcome, "insufficient_credits");
    await scene.grant(account, "gift", 1);
    assert.equal((await scene.debit(account)).outcome, "debited");
  });
}

function describeRefusals(rule: Rule) {
  const kept = idempotency("kept");
  /** An account of which everything can be wrong at once: no credits, and an idempotency key used before. */
  const spentAccount = async (scene: Scene) => {
    const account = await scene.account("Ada", { credits: 1 });
    await scene.debit(account, { idempotency: kept });
    return account;
  };

  rule("a key that is not good is refused before anything else is said", async (scene) => {
    const account = await spentAccount(scene);
    const refused = { outcome: "invalid_key" };
    await scene.ledger.suspendAccount({ account, now: START });
    const unknown = { key: "unknown", idempotency: kept };
    assert.deepEqual(await scene.debit(account, unknown), refused);
    await scene.ledger.revokeKey({ account, id: keyId(account), now: START });
    assert.deepEqual(await scene.debit(account, { idempotency: kept }), refused);
  });

  rule("suspension is told before a replay, a reuse or a lack of credits", async (scene) => {
    const account = await spentAccount(scene);
    await scene.ledger.suspendAccount({ account, now: START });
    const refused = { outcome: "account_suspended", balance: 0 };
    for (const order of [kept, idempotency("kept", "other body"), null])
      assert.deepEqual(await scene.debit(account, { idempotency: order }), refused);
  });

  rule("a replay or a reuse is told before a lack of credits", async (scene) => {
    const account = await spentAccount(scene);
    const outcomeOf = async (order: typeof kept | null) =>
      (await scene.debit(account, { idempotency: order })).outcome;
    assert.equal(await outcomeOf(kept), "replayed");
    assert.equal(await outcomeOf(idempotency("kept", "other body")), "idempotency_key_reused");
    assert.equal(await outcomeOf(idempotency("new")), "insufficient_credits");
    assert.equal(await outcomeOf(null), "insufficient_credits");
  });

  rule("a refused call leaves no trace: no debit, no usage", async (scene) => {
    const account = await spentAccount(scene);
    const [books, usage] = [await scene.books(), await scene.usage()];
    await scene.debit(account);
    await scene.debit(account, { key: "unknown" });
    await scene.ledger.suspendAccount({ account, now: START });
    await scene.debit(account);
    assert.deepEqual(await scene.books(), books);
    assert.deepEqual(await scene.usage(), usage);
  });
}

function describeResends(rule: Rule) {
  rule("the same call sent again is the same debit", async (scene) => {
    const account = await scene.account("Ada", { credits: 3 });
    const order = scene.debitOrder(account);
    const debited = { outcome: "debited", charged: 1, balance: 2 };
    assert.deepEqual(await scene.ledger.debit(order), debited);
    assert.deepEqual(await scene.ledger.debit(order), debited);
    assert.equal((await scene.books()).debited, 1);
    assert.equal((await scene.usage())[0]?.calls, 1);
  });

  rule("the free call sent again is still the free call", async (scene) => {
    const account = await scene.account("Ada", { freeCall: "open", credits: 3 });
    const order = scene.debitOrder(account);
    for (let time = 0; time < 3; time += 1)
      assert.deepEqual(await scene.ledger.debit(order), {
        outcome: "debited",
        charged: 0,
        balance: 3,
      });
  });

  rule(
    "a paid call sent again stays paid when the free call is open again meanwhile",
    async (scene) => {
      const account = await scene.account("Ada", { freeCall: "open", credits: 3 });
      const [free, paid] = [scene.debitOrder(account), scene.debitOrder(account)];
      await scene.ledger.debit(free);
      await scene.ledger.debit(paid);
      await scene.ledger.reverse({ account, callId: free.callId, at: START, now: START });
      assert.deepEqual(await scene.ledger.debit(paid), {
        outcome: "debited",
        charged: 1,
        balance: 2,
      });
    },
  );

  rule(
    "a call sent again when the last credit is gone is the debit that was made",
    async (scene) => {
      const account = await scene.account("Ada", { credits: 1 });
      const order = scene.debitOrder(account);
      await scene.ledger.debit(order);
      assert.deepEqual(await scene.ledger.debit(order), {
        outcome: "debited",
        charged: 1,
        balance: 0,
      });
    },
  );

  rule(
    "a call with an idempotency key sent again is the same debit, not a replay",
    async (scene) => {
      const account = await scene.account("Ada", { credits: 3 });
      const order = scene.debitOrder(account, { idempotency: idempotency("once") });
      for (let time = 0; time < 2; time += 1)
        assert.deepEqual(await scene.ledger.debit(order), {
          outcome: "debited",
          charged: 1,
          balance: 2,
        });
    },
  );

  // A refusal here would cost the credit that was taken: no debit without an answer.
  for (const act of ["revokeKey", "suspendAccount", "closeAccount"] as const)
    rule(`a debit that was made stays made when it is sent again after ${act}`, async (scene) => {
      const account = await scene.account("Ada", { credits: 1 });
      const order = scene.debitOrder(account);
      await scene.ledger.debit(order);
      await scene.ledger[act]({ account, id: keyId(account), now: START + MINUTE });
      assert.deepEqual(await scene.ledger.debit(order), {
        outcome: "debited",
        charged: 1,
        balance: 0,
      });
      assert.equal((await scene.books()).debited, 1);
    });

  rule("a refused call sent again is decided anew", async (scene) => {
    const account = await scene.account();
    const order = scene.debitOrder(account);
    assert.equal((await scene.ledger.debit(order)).outcome, "insufficient_credits");
    await scene.grant(account, "gift", 1);
    assert.equal((await scene.ledger.debit(order)).outcome, "debited");
  });

  rule("the same call id in two accounts is two debits", async (scene) => {
    for (const name of ["Ada", "Bob"]) {
      const account = await scene.account(name, { credits: 1 });
      const outcome = await scene.debit(account, { callId: "call_same", now: START + DAY });
      assert.deepEqual(outcome, { outcome: "debited", charged: 1, balance: 0 });
    }
  });
}
