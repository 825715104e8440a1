import assert from "node:assert/strict";
import { IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import { createRule, debited, idempotency, type OpenLedger, START, sha256 } from "./fixture.ts";

export function describeIdempotency(open: OpenLedger) {
  const test = createRule(open);
  const first = idempotency("order-1", "body", "first answer");
  /** A repeat of the first call: the same body, but the tool made another response. */
  const repeat = idempotency("order-1", "body", "second answer");
  const replay = {
    responseSha256: sha256("first answer"),
    receivedAt: START,
    random: "first answer",
  };

  test("a repeated call is replayed from the first one and costs nothing", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    assert.deepEqual(await fixture.debit(account, { idempotency: first }), debited(1, 4));
    for (const now of [START, START + 1])
      assert.deepEqual(await fixture.debit(account, { idempotency: repeat, now }), {
        outcome: "replayed",
        balance: 4,
        replay,
      });
    assert.equal((await fixture.totals()).debited, 1);
    assert.equal((await fixture.usage())[0]?.calls, 1, "a replay is no use");
  });

  test("the replay of a call without random bytes has null for them", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 1 });
    await fixture.debit(account, {
      idempotency: { ...first, random: null, receivedAt: START - 7 },
    });
    const outcome = await fixture.debit(account, { idempotency: repeat });
    assert.equal(outcome.outcome, "replayed");
    assert.deepEqual(outcome, {
      outcome: "replayed",
      balance: 0,
      replay: { ...replay, random: null, receivedAt: START - 7 },
    });
  });

  test("another body with the same idempotency key is rejected, and the first record stays", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    await fixture.debit(account, { idempotency: first });
    assert.deepEqual(
      await fixture.debit(account, { idempotency: idempotency("order-1", "other body") }),
      { outcome: "idempotency_key_reused", balance: 4 },
    );
    assert.equal((await fixture.debit(account, { idempotency: repeat })).outcome, "replayed");
  });

  test("an idempotency key belongs to one account and one tool", async (fixture) => {
    const [ada, bob] = [
      await fixture.account("Ada", { credits: 5 }),
      await fixture.account("Bob", { credits: 5 }),
    ];
    await fixture.debit(ada, { idempotency: first });
    assert.equal((await fixture.debit(bob, { idempotency: repeat })).outcome, "debited");
    assert.equal(
      (await fixture.debit(ada, { idempotency: repeat, tool: "uuid" })).outcome,
      "debited",
    );
  });

  test("any API key of the account may repeat the call", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    await fixture.createKey(account, "other");
    await fixture.debit(account, { idempotency: first });
    const outcome = await fixture.debit(account, { idempotency: repeat, key: "other" });
    assert.equal(outcome.outcome, "replayed");
  });

  test("idempotency keys are case-sensitive", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 9 });
    for (const key of ["a", "A", "aa", "a%", "_", "%", "~".repeat(255)])
      assert.equal(
        (await fixture.debit(account, { idempotency: idempotency(key) })).outcome,
        "debited",
        key,
      );
  });

  test("after 24 hours the idempotency key is free, and the new call is recorded", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    await fixture.debit(account, { idempotency: first });
    const later = START + IDEMPOTENCY_KEPT_MS;
    const other = {
      ...idempotency("order-1", "other body", "other answer"),
      receivedAt: later,
    };
    assert.deepEqual(
      await fixture.debit(account, { idempotency: other, now: later }),
      debited(1, 3),
    );
    const again = { now: later + IDEMPOTENCY_KEPT_MS - 1 };
    assert.deepEqual(await fixture.debit(account, { idempotency: other, ...again }), {
      outcome: "replayed",
      balance: 3,
      replay: {
        responseSha256: sha256("other answer"),
        receivedAt: later,
        random: "other answer",
      },
    });
    assert.equal(
      (await fixture.debit(account, { idempotency: repeat, ...again })).outcome,
      "idempotency_key_reused",
    );
  });

  test("a rejected call is not recorded, so its idempotency key is free for any body", async (fixture) => {
    const account = await fixture.account();
    const rejected = await fixture.debit(account, { idempotency: first });
    assert.equal(rejected.outcome, "insufficient_credits");
    await fixture.ledger.changeAccount({ account, now: START, state: "suspended" });
    await fixture.debit(account, { idempotency: first });
    await fixture.ledger.changeAccount({ account, now: START, state: "open" });
    await fixture.debit(account, { idempotency: first, key: "unknown" });
    await fixture.grant(account, "gift", 1);
    const other = idempotency("order-1", "other body");
    assert.equal((await fixture.debit(account, { idempotency: other })).outcome, "debited");
  });
}
