import assert from "node:assert/strict";
import type { KeyLimits } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import { assertDescribed } from "../description.ts";
import {
  assertProblem,
  assertResponse,
  createCaller,
  createKey,
  type Sentence,
  type TestService,
} from "../test-api.ts";

const FIXED = { settings: { rateLimit: 5, fixed: true as const } };
/** What the platform says at the edge. Elsewhere the header counts for nothing, and the client is on this machine. */
const HERE = { "CF-Connecting-IP": "127.0.0.1" };

/** Keys with limits of their own, from the request to the response. */
export function keyLimitsSuite(sentence: Sentence) {
  const limited = async (service: TestService, limits: Partial<KeyLimits>, credits = 100) => {
    const caller = await createCaller(service, { credits });
    const { key, keyId } = await createKey(service, caller.account, limits);
    const post = (tool: string, body: unknown, headers: Record<string, string> = {}) =>
      service.send(`/api/v1/${tool}`, {
        method: "POST",
        headers: {
          ...{ Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
          ...HERE,
          ...headers,
        },
        body: JSON.stringify(body),
      });
    const read = () =>
      service.send("/api/v1/account", { headers: { Authorization: `Bearer ${key}`, ...HERE } });
    return { caller, keyId, post, read };
  };
  const uuid = {};

  sentence(
    "an expired key gets 401 with the time of its expiry, and no balance",
    async (service) => {
      const expiresAt = (await service.now()) - 1;
      const { post, read } = await limited(service, { expiresAt });
      const wrong = await post("uuid", { no: 1 });
      for (const response of [await post("uuid", uuid), wrong, await read()]) {
        const problem = assertProblem(response, "invalid_key");
        assert.equal(problem.expiredAt, new Date(expiresAt).toISOString());
        assert.match(problem.detail, new RegExp(problem.expiredAt));
        assert.match(response.header("www-authenticate") ?? "", /error="invalid_token"/);
        for (const name of ["credits-remaining", "ratelimit"])
          assert.equal(response.header(name), null);
        assertDescribed(service, "uuid", response);
      }
    },
  );

  sentence("a key calls only its tools, and the error lists them", async (service) => {
    const { caller, post, read } = await limited(service, { tools: ["hash", "uuid"] });
    for (const body of [{ text: "a" }, { no: 1 }]) {
      const response = await post("qr-code", body);
      const problem = assertProblem(response, "key_not_allowed");
      assert.deepEqual(problem.allowedTools, ["hash", "uuid"]);
      assert.equal(problem.limitSource, "key_tools");
      assert.equal(response.header("credits-remaining"), "100");
      assertDescribed(service, "qr-code", response);
    }
    assertResponse(await post("uuid", uuid), 1);
    assertResponse(await caller.call("echo", 1), 1);
    assert.deepEqual(assertResponse(await read()).key.limits, { tools: ["hash", "uuid"] });
  });

  sentence(
    "a key works only from its networks, whatever the client claims",
    async (service) => {
      const here = await limited(service, { networks: ["127.0.0.0/8"] });
      assertResponse(await here.post("uuid", uuid), 1);
      const away = await limited(service, { networks: ["203.0.113.0/24"] });
      const claim = { "X-Forwarded-For": "203.0.113.7", Forwarded: "for=203.0.113.7" };
      for (const headers of [{}, claim]) {
        const response = await away.post("uuid", uuid, headers);
        const problem = assertProblem(response, "key_not_allowed");
        assert.equal(problem.limitSource, "key_networks");
        assert.equal(problem.allowedTools, undefined);
        assertDescribed(service, "uuid", response);
      }
      assertProblem(await away.read(), "key_not_allowed");
      assert.equal(await away.caller.balance(), 100);
    },
    { adapter: "the address of the client" },
  );

  sentence(
    "a budget ends with 402, which says what resets when",
    async (service) => {
      const budgets = { total: 3, month: null, day: 2 };
      const { caller, post, read } = await limited(service, { budgets });
      const tomorrow = (Math.floor((await service.now()) / DAY_MS) + 1) * DAY_MS;
      const resetsAt = new Date(tomorrow).toISOString();
      for (let call = 0; call < 2; call += 1)
        assertResponse(await post("uuid", uuid, { "Idempotency-Key": `call-${call}` }), 1);
      const response = await post("uuid", uuid);
      const problem = assertProblem(response, "key_budget_exhausted");
      const { balance, price, limitSource } = problem;
      assert.deepEqual([balance, price, limitSource], [98, 1, "key_day"]);
      assert.equal(problem.resetsAt, resetsAt);
      assert.deepEqual(problem.budget, { credits: 2, remaining: 0 });
      const said = `the API key's daily budget of 2 credits has 0 left. The budget resets at ${resetsAt}.`;
      assert.ok(problem.detail.includes(said), problem.detail);
      assertDescribed(service, "uuid", response);
      const replay = await post("uuid", uuid, { "Idempotency-Key": "call-0" });
      assertResponse(replay, 0);
      assert.equal(replay.header("idempotency-replayed"), "true");
      const account = await read();
      assert.deepEqual(assertResponse(account).key.limits.budgets, {
        day: { credits: 2, remaining: 0, resetsAt },
        total: { credits: 3, remaining: 1, resetsAt: null },
      });
      assertDescribed(service, "account", account);
      assertResponse(await caller.call("uuid", uuid), 1);
      await service.advance(DAY_MS);
      assertResponse(await post("uuid", uuid), 1);
      const last = assertProblem(await post("uuid", uuid), "key_budget_exhausted");
      assert.deepEqual([last.limitSource, last.resetsAt], ["key_total", null]);
      assert.match(
        last.detail,
        /total budget of 3 credits has 0 left\. The budget does not reset\./,
      );
    },
    { settings: { rateLimit: 100_000, fixed: true } },
  );

  sentence(
    "a key has a rate of its own below that of its account",
    async (service) => {
      const { caller, post, read } = await limited(service, { rate: 2 });
      const first = await post("uuid", uuid);
      assertResponse(first);
      assert.equal(first.header("ratelimit-policy"), '"key";q=4;w=2');
      assert.equal(first.header("ratelimit"), '"key";r=3;t=1');
      const { rateLimit } = assertResponse(await read());
      assert.deepEqual(rateLimit, {
        ...{ callsPerSecond: 2, burst: 4, remaining: 2, limitSource: "key" },
      });
      for (let call = 0; call < 2; call += 1) assertResponse(await post("uuid", uuid));
      const refused = await post("uuid", uuid);
      const problem = assertProblem(refused, "rate_limited");
      assert.equal(problem.limitSource, "key");
      assert.match(problem.detail, /API key is making more than 2 calls per second/);
      assert.ok(Number(refused.header("retry-after")) >= 1);
      assertDescribed(service, "uuid", refused);
      // The account has 10 calls, of which this key has used 4.
      for (let call = 0; call < 6; call += 1) assertResponse(await caller.call("uuid", uuid));
      const own = assertProblem(await caller.call("uuid", uuid), "rate_limited");
      assert.equal(own.limitSource, "account");
      await service.advance(1_000);
      const after = await post("uuid", uuid);
      assertResponse(after);
      assert.equal(after.header("ratelimit"), '"key";r=1;t=2');
    },
    FIXED,
  );

  sentence(
    "a key that may not be used does not use up the rate of its account",
    async (service) => {
      const { caller, post } = await limited(service, { networks: ["203.0.113.0/24"] });
      for (let call = 0; call < 15; call += 1)
        assertProblem(await post("uuid", uuid), "key_not_allowed");
      for (let call = 0; call < 10; call += 1) assertResponse(await caller.call("uuid", uuid));
      assertProblem(await caller.call("uuid", uuid), "rate_limited");
    },
    FIXED,
  );
}
