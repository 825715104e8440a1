import assert from "node:assert/strict";
import {
  type Answer,
  assertAnswer,
  assertProblem,
  createCaller,
  createKey,
  type Sentence,
} from "../test-service.ts";

/** What calls cost, whatever runs at once. */
export function spendingSuite(sentence: Sentence) {
  sentence("the first successful call of an account is free, the second costs 1", async (door) => {
    const caller = await createCaller(door, { credits: 2, freeCall: "open" });
    assertProblem(await caller.call("hash", {}), "invalid_request");
    const first = await caller.call("hash", { text: "one" });
    assertAnswer(first, 0);
    assert.equal(first.header("credits-remaining"), "2");
    const other = await createKey(door, caller.account);
    const second = await door.send("/api/v1/uuid", {
      method: "POST",
      headers: { Authorization: `Bearer ${other.key}` },
    });
    assertAnswer(second, 1);
    assert.equal(second.header("credits-remaining"), "1");
    assert.equal(await caller.balance(), 1);
  });

  sentence(
    "where TOOLBOOTH_FREE_CALL_CREDITS is 0, the first call costs like any other",
    async (door) => {
      const caller = await createCaller(door, { credits: 1, freeCall: "open" });
      assertAnswer(await caller.call("hash", { text: "one" }), 1);
      assertProblem(await caller.call("hash", { text: "one" }), "insufficient_credits");
    },
    { settings: { rateLimit: 100_000, freeCallCredits: 0 } },
  );

  sentence(
    "of 20 first calls at once on a balance of zero exactly one succeeds, free",
    async (door) => {
      const caller = await createCaller(door, { credits: 0, freeCall: "open" });
      const answers = await atOnce(20, () => caller.call("hash", { text: "a" }));
      const [good, refused] = [ofStatus(answers, 200), ofStatus(answers, 402)];
      assert.deepEqual([good.length, refused.length], [1, 19]);
      assertAnswer(good[0] as Answer, 0);
      for (const answer of refused) assertProblem(answer, "insufficient_credits");
    },
  );

  sentence(
    "of 1,000 calls at once on 50 credits exactly 50 succeed, whatever tools and keys they use",
    async (door) => {
      const caller = await createCaller(door, { credits: 50 });
      const { key } = await createKey(door, caller.account);
      const other = { Authorization: `Bearer ${key}` };
      const calls = [
        () => caller.call("hash", { text: "a" }),
        () => caller.call("uuid"),
        () => caller.call("echo", {}),
        () => door.send("/api/v1/hash", { method: "POST", headers: other, body: '{"text":"b"}' }),
      ];
      let next = 0;
      const answers = await atOnce(1000, () =>
        (calls[next++ % calls.length] as (typeof calls)[0])(),
      );
      const [good, refused] = [ofStatus(answers, 200), ofStatus(answers, 402)];
      assert.deepEqual([good.length, refused.length], [50, 950]);
      for (const answer of good) assert.equal(answer.header("credits-charged"), "1");
      // Each of them left another balance behind, so each was debited by itself.
      const balances = good
        .map((answer) => Number(answer.header("credits-remaining")))
        .sort((a, b) => a - b);
      assert.deepEqual(
        balances,
        Array.from({ length: 50 }, (_, balance) => balance),
      );
      assert.equal(await caller.balance(), 0);
      await assertAudit(door);
    },
  );

  sentence("a refusal never costs a credit", async (door) => {
    const caller = await createCaller(door, { credits: 3 });
    const wrong = ["{", '{"text":1}', `{"text":"${"a".repeat(1_048_577)}"}`, undefined];
    for (const body of wrong) assert.notEqual((await caller.post("hash", { body })).status, 200);
    assert.equal(await caller.balance(), 3);
  });

  sentence("credits are spendable until the moment they expire, not after", async (door) => {
    const caller = await createCaller(door, { credits: 0 });
    const now = await door.now();
    await door.ledger.grant({
      account: caller.account,
      id: "pack",
      kind: "pack",
      amount: 5,
      expiresAt: now + 3_600_000,
      now,
    });
    assertAnswer(await caller.call("uuid"), 1);
    await door.advance(3_600_000);
    const refused = await caller.call("uuid");
    assert.equal(assertProblem(refused, "insufficient_credits").balance, 0);
  });
}

const atOnce = (count: number, call: () => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, call));
const ofStatus = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status);

async function assertAudit(door: {
  now(): Promise<number>;
  ledger: { audit(order: { now: number }): Promise<{ faults: string[] }> };
}) {
  assert.deepEqual((await door.ledger.audit({ now: await door.now() })).faults, []);
}
