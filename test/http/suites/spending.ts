import assert from "node:assert/strict";
import {
  type ApiResponse,
  assertProblem,
  assertResponse,
  createCaller,
  createKey,
  type Sentence,
} from "../test-api.ts";

/** What calls cost, however many run at once. */
export function spendingSuite(sentence: Sentence) {
  sentence(
    "the first successful call of an account is free, the second costs 1",
    async (service) => {
      const caller = await createCaller(service, { credits: 2, freeCall: "open" });
      assertProblem(await caller.call("hash", {}), "invalid_request");
      const first = await caller.call("hash", { text: "one" });
      assertResponse(first, 0);
      assert.equal(first.header("credits-remaining"), "2");
      const other = await createKey(service, caller.account);
      const second = await service.send("/api/v1/uuid", {
        method: "POST",
        headers: { Authorization: `Bearer ${other.key}` },
      });
      assertResponse(second, 1);
      assert.equal(second.header("credits-remaining"), "1");
      assert.equal(await caller.balance(), 1);
    },
  );

  sentence(
    "where TOOLBOOTH_FREE_CALL_CREDITS is 0, the first call costs like any other",
    async (service) => {
      const caller = await createCaller(service, { credits: 1, freeCall: "open" });
      assertResponse(await caller.call("hash", { text: "one" }), 1);
      assertProblem(await caller.call("hash", { text: "one" }), "insufficient_credits");
    },
    { settings: { rateLimit: 100_000, freeCallCredits: 0 } },
  );

  sentence(
    "of 300 simultaneous calls on 50 credits exactly 50 succeed, whatever tools and keys they use",
    async (service) => {
      const caller = await createCaller(service, { credits: 50 });
      const { key } = await createKey(service, caller.account);
      const other = { Authorization: `Bearer ${key}` };
      const calls = [
        () => caller.call("hash", { text: "a" }),
        () => caller.call("uuid"),
        () => caller.call("echo", {}),
        () =>
          service.send("/api/v1/hash", { method: "POST", headers: other, body: '{"text":"b"}' }),
      ];
      let next = 0;
      const responses = await atOnce(300, () =>
        (calls[next++ % calls.length] as (typeof calls)[0])(),
      );
      const [good, refused] = [ofStatus(responses, 200), ofStatus(responses, 402)];
      assert.deepEqual([good.length, refused.length], [50, 250]);
      for (const response of good) assert.equal(response.header("credits-charged"), "1");
      // Each call left a different balance, so each was debited separately.
      const balances = good
        .map((response) => Number(response.header("credits-remaining")))
        .sort((a, b) => a - b);
      assert.deepEqual(
        balances,
        Array.from({ length: 50 }, (_, balance) => balance),
      );
      assert.equal(await caller.balance(), 0);
      const { faults } = await service.ledger.audit({ now: await service.now() });
      assert.deepEqual(faults, []);
    },
    { adapter: "calls at once" },
  );
}

const atOnce = (count: number, call: () => Promise<ApiResponse>) =>
  Promise.all(Array.from({ length: count }, call));
const ofStatus = (responses: ApiResponse[], status: number) =>
  responses.filter((response) => response.status === status);
