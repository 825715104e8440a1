import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { makeKey } from "#accounts/key-format.ts";
import { newAccountId } from "#ids.ts";
import { DAY_MS } from "#limits.ts";
import { assertDescribed } from "../description.ts";
import {
  assertProblem,
  assertResponse,
  type Caller,
  createCaller,
  createKey,
  SECRETS,
  type Sent,
  type Sentence,
  type TestService,
} from "../test-api.ts";

const PATH = "/api/v1/account";
const FIXED = { settings: { rateLimit: 5, fixed: true as const } };

/** `GET /api/v1/account`: what a key's holder sees of its account, without paying for it. */
export function accountSuite(sentence: Sentence) {
  sentence(
    "an account shows its balance, plan, rate limit and the key that asks, as described",
    async (service) => {
      const caller = await createCaller(service, { credits: 40 });
      const other = await createKey(service, caller.account);
      const response = await readAccount(service, caller.key);
      const q = 2 * service.settings.rateLimit;
      const { key, ...rest } = assertResponse(response, 0);
      assert.deepEqual(rest, {
        ok: true,
        balance: 40,
        held: 0,
        nextExpiry: null,
        plan: "prepaid",
        rateLimit: {
          ...{ callsPerSecond: service.settings.rateLimit, burst: q, remaining: q - 1 },
          limitSource: "account",
        },
      });
      const createdAt = new Date(await service.now()).toISOString();
      assert.deepEqual(key, { id: caller.keyId, label: "test", createdAt, limits: {} });
      assert.equal(response.header("credits-remaining"), "40");
      assert.equal(response.header("ratelimit-policy"), `"account";q=${q};w=2`);
      assert.equal(response.header("ratelimit"), `"account";r=${q - 1};t=1`);
      assert.equal(response.header("cache-control"), "no-store");
      assert.ok(!response.text.includes(caller.key) && !response.text.includes(other.key));
      assertDescribed(service, "account", response);
      assert.equal((await readAccount(service, other.key)).json().key.id, other.keyId);
    },
    FIXED,
  );

  sentence("nextExpiry adds up all credits that expire at the earliest time", async (service) => {
    const caller = await createCaller(service, { credits: 5 });
    const now = await service.now();
    const { grant } = service.ledger;
    const order = { account: caller.account, kind: "pack" as const, now };
    const days = (count: number) => now + count * DAY_MS;
    await grant({ ...order, id: "gone", amount: 7, expiresAt: now });
    await grant({ ...order, id: "first", amount: 2, expiresAt: days(30) });
    await grant({ ...order, id: "also first", amount: 3, expiresAt: days(30) });
    await grant({ ...order, id: "later", amount: 11, expiresAt: days(60) });
    const expiry = async () => {
      const response = await readAccount(service, caller.key);
      assertDescribed(service, "account", response);
      return response.json().nextExpiry;
    };
    const at = (count: number) => new Date(days(count)).toISOString();
    assert.deepEqual(await expiry(), { credits: 5, expiresAt: at(30) });
    for (let spent = 0; spent < 4; spent += 1) await caller.call("uuid", {});
    assert.deepEqual(await expiry(), { credits: 1, expiresAt: at(30) });
    await caller.call("uuid", {});
    assert.deepEqual(await expiry(), { credits: 11, expiresAt: at(60) });
    await grant({ ...order, id: "plan", kind: "lifetime", amount: 100, expiresAt: null });
    const { nextExpiry, plan, balance } = (await readAccount(service, caller.key)).json();
    assert.deepEqual([nextExpiry, plan, balance], [null, "lifetime", 5 + 11 + 100]);
  });

  sentence(
    "reading an account is free: with no credits and with a free call too",
    async (service) => {
      const caller = await createCaller(service, { credits: 0, freeCall: "open" });
      for (let reads = 0; reads < 3; reads += 1) {
        const response = await readAccount(service, caller.key);
        assert.equal(assertResponse(response, 0).balance, 0);
        assert.equal(response.header("credits-remaining"), "0");
      }
      // The free call is still there.
      assertResponse(await caller.call("uuid", {}), 0);
      assertProblem(await caller.call("uuid", {}), "insufficient_credits");
      assert.equal(assertResponse(await readAccount(service, caller.key), 0).balance, 0);
    },
  );

  sentence("an account has the errors of a call: 401, 403, 429, 503", async (service) => {
    assertProblem(await service.send(PATH), "missing_key");
    const unknown = makeKey(newAccountId(randomBytes), SECRETS, randomBytes);
    for (const key of ["tb_wrong", unknown]) {
      const response = await readAccount(service, key);
      assertProblem(response, "invalid_key");
      assert.equal(response.header("credits-remaining"), null);
    }
    const caller = await createCaller(service);
    const { account } = caller;
    assertResponse(await readAccount(service, caller.key));
    await service.trouble("refuse_all");
    assertProblem(await readAccount(service, caller.key), "unavailable");
    await service.trouble("none");
    const order = { account, now: await service.now() };
    await service.ledger.changeAccount({ ...order, state: "suspended" });
    const suspended = await readAccount(service, caller.key);
    assertProblem(suspended, "account_suspended");
    assertDescribed(service, "account", suspended);
    await service.ledger.changeAccount({ ...order, state: "open" });
    assertResponse(await readAccount(service, caller.key));
    await service.ledger.revokeKey({ ...order, id: caller.keyId });
    assertProblem(await readAccount(service, caller.key), "invalid_key");
    const second = await createKey(service, account);
    assertResponse(await readAccount(service, second.key));
    await service.ledger.changeAccount({ ...order, state: "closed" });
    assertProblem(await readAccount(service, second.key), "invalid_key");
  });

  sentence(
    "reading an account counts against the rate limit of its calls",
    async (service) => {
      const caller = await createCaller(service, { credits: 100 });
      const burst = 2 * service.settings.rateLimit;
      for (let left = burst - 1; left >= 0; left -= 1) {
        const response = left % 2 === 0 ? await caller.call("uuid", {}) : await read(caller);
        assert.match(response.header("ratelimit") ?? "", new RegExp(`;r=${left};`));
      }
      const limited = await read(caller);
      const problem = assertProblem(limited, "rate_limited");
      assert.match(problem.detail, /5 calls per second/);
      assert.equal(limited.header("retry-after"), "1");
      assertDescribed(service, "account", limited);
      assertProblem(await caller.call("uuid", {}), "rate_limited");
      await service.advance(1_000);
      assert.equal((await read(caller)).json().rateLimit.remaining, 4);

      function read({ key }: Caller) {
        return readAccount(service, key);
      }
    },
    FIXED,
  );

  sentence(
    "an account without a rate limit shows null",
    async (service) => {
      const { key } = await createCaller(service);
      const response = await readAccount(service, key);
      assert.equal(assertResponse(response).rateLimit, null);
      assert.equal(response.header("ratelimit"), null);
      assertDescribed(service, "account", response);
    },
    { settings: { rateLimit: 0 } },
  );

  sentence(
    "an account is read with GET and HEAD, from any origin",
    async (service) => {
      const { key } = await createCaller(service);
      const head = await readAccount(service, key, { method: "HEAD" });
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.equal(head.header("credits-remaining"), "100");
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const response = await readAccount(service, key, { method });
        assert.match(assertProblem(response, "method_not_allowed").detail, /use GET/);
        assert.equal(response.header("allow"), "GET, HEAD, OPTIONS");
      }
      const preflight = await service.send(PATH, {
        method: "OPTIONS",
        headers: { Origin: "https://a.example", "Access-Control-Request-Method": "GET" },
      });
      assert.equal(preflight.status, 204);
      for (const name of ["allow", "access-control-allow-methods"])
        assert.equal(preflight.header(name), "GET, HEAD, OPTIONS");
      assert.equal(preflight.header("access-control-allow-origin"), "*");
      assert.match(preflight.header("access-control-allow-headers") ?? "", /Authorization/);
    },
    { adapter: "methods without a body" },
  );
}

const readAccount = (service: TestService, key: string, sent: Sent = {}) =>
  service.send(PATH, { ...sent, headers: { Authorization: `Bearer ${key}` } });
