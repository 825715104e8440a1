import assert from "node:assert/strict";
import { BAD_KEY_MS } from "#calls/bad-keys.ts";
import type { KeyLimits } from "#ledger/port.ts";
import { assertToolError, call, post, resultOf } from "../mcp-messages.ts";
import {
  type ApiResponse,
  assertProblem,
  createCaller,
  createKey,
  type Sentence,
  type TestService,
} from "../test-api.ts";

/** Messages of MCP cost no credits, but each one counts towards the rates and asks whether the key is still good. */
export function mcpRatesSuite(sentence: Sentence) {
  rateSentences(sentence);
  keySentences(sentence);
}

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

/** Everything that a client can send for nothing. */
const FREE: [name: string, message: unknown][] = [
  ["tools/list", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
  ["ping", ping],
  ["initialize", { jsonrpc: "2.0", id: 1, method: "initialize", params: {} }],
  ["a method that is not there", { jsonrpc: "2.0", id: 1, method: "resources/list" }],
  ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
  ["a response", { jsonrpc: "2.0", id: 1, result: {} }],
  ["no message", 7],
  ["not JSON", "{"],
  ["an empty batch", []],
  ["an unknown tool", call("nothing", {})],
  ["wrong arguments of a call", call("uuid", [])],
  ["an unknown argument of echo", call("echo", { value: 1 })],
];

/** Two calls at once, and one more each second. */
const SLOW = { settings: { rateLimit: 1, fixed: true as const } };

function rateSentences(sentence: Sentence) {
  sentence(
    "MCP: every message counts towards the rate of the account",
    async (service) => {
      // Responses over the rate come late, so the messages wait together.
      await Promise.all(
        FREE.map(async ([name, message]) => {
          const caller = await createCaller(service);
          for (let n = 0; n < 2; n += 1)
            assert.notEqual((await post(service, caller, message)).status, 429, name);
          for (const sent of [message, message, ping]) {
            const limited = await post(service, caller, sent);
            const { limitSource } = assertProblem(limited, "rate_limited", "application/json");
            assert.equal(limitSource, "account");
            assert.match(limited.header("retry-after") ?? "", /^\d+$/);
          }
          assertProblem(await caller.call("uuid", {}), "rate_limited");
          assert.equal(await caller.balance(), 100);
        }),
      );
    },
    SLOW,
  );

  sentence(
    "MCP: a call counts once, and a call over the rate is a tool error",
    async (service) => {
      const caller = await createCaller(service);
      resultOf(await post(service, caller, ping));
      resultOf(await post(service, caller, call("uuid", {})));
      const limited = await post(service, caller, call("uuid", {}));
      assert.match(assertToolError(limited, "rate_limited"), /Try again after \d+ s\./);
      assertProblem(await get(service, caller.key), "rate_limited", "application/json");
      assert.equal(await caller.balance(), 99);
    },
    SLOW,
  );

  sentence(
    "MCP: requests with other methods count too",
    async (service) => {
      const { key } = await createCaller(service);
      const seen = [];
      for (let n = 0; n < 4; n += 1) seen.push((await get(service, key)).status);
      assert.deepEqual(seen, [405, 405, 429, 429]);
    },
    SLOW,
  );

  sentence(
    "MCP: every message of a batch counts, and those over the rate are not served",
    async (service) => {
      for (const [name, message] of FREE) {
        if (typeof message === "string" || Array.isArray(message)) continue;
        const caller = await createCaller(service);
        const large = await post(service, caller, Array(100).fill(message));
        const { detail } = assertProblem(large, "rate_limited", "application/json");
        assert.match(detail, /has 100 messages, and the rate allows 2 now/, name);
        // Of that batch one message was counted, of this one both are.
        await service.advance(1_000);
        assert.notEqual((await post(service, caller, [message, message])).status, 429, name);
        const next = await post(service, caller, [message, message]);
        assertProblem(next, "rate_limited", "application/json");
      }
      const caller = await createCaller(service);
      resultOf(await post(service, caller, ping));
      await service.advance(1_000);
      // A batch counts once more than its calls.
      const calls = await post(
        service,
        caller,
        [1, 2].map((count) => call("uuid", { count })),
      );
      assert.deepEqual(notServed(calls), { all: 2, rest: 1 });
      assert.equal(await caller.balance(), 99);
      const neighbor = await createCaller(service);
      resultOf(await post(service, neighbor, ping));
    },
    SLOW,
  );

  sentence(
    "MCP: every message counts towards the rate of the key",
    async (service) => {
      const { account } = await createCaller(service);
      for (const [name, message] of FREE.slice(0, 3)) {
        const { key } = await createKey(service, account, { rate: 1 });
        const large = await post(service, { key }, Array(100).fill(message));
        assertProblem(large, "rate_limited", "application/json");
        assert.notEqual((await post(service, { key }, message)).status, 429, name);
        const limited = await post(service, { key }, message);
        assert.equal(assertProblem(limited, "rate_limited", "application/json").limitSource, "key");
        // The account has as many keys as before.
        const { key: other } = await createKey(service, account);
        resultOf(await post(service, { key: other }, message));
      }
    },
    { settings: { rateLimit: 1_000, fixed: true } },
  );
}

const get = (service: TestService, key: string) =>
  service.send("/mcp", {
    headers: { Authorization: `Bearer ${key}`, Accept: "application/json, text/event-stream" },
  });

function notServed(response: ApiResponse) {
  assert.equal(response.status, 200, response.text.slice(0, 300));
  const list = response.json() as { error?: { code: number; message: string } }[];
  const rest = list.filter(({ error }) =>
    /^Not served: rate_limited \(429\)\. /.test(error?.message ?? ""),
  );
  return { all: list.length, rest: rest.length };
}

function keySentences(sentence: Sentence) {
  sentence(
    "MCP: a key that is no longer valid gets an error, whatever it sends",
    async (service) => {
      const { ledger } = service;
      const now = await service.now();
      const table: [
        code: "invalid_key" | "account_suspended" | "key_not_allowed",
        end: (account: string, keyId: string) => Promise<unknown>,
        limits?: Partial<KeyLimits>,
      ][] = [
        ["invalid_key", (account, id) => ledger.revokeKey({ account, id, now })],
        [
          "account_suspended",
          (account) => ledger.changeAccount({ account, now, state: "suspended" }),
        ],
        ["invalid_key", (account) => ledger.changeAccount({ account, now, state: "closed" })],
        ["invalid_key", async () => {}, { rate: 100, expiresAt: now - 1 }],
        ["key_not_allowed", async () => {}, { rate: 100, networks: ["192.0.2.0/24"] }],
      ];
      for (const [code, end, limits] of table) {
        const { account } = await createCaller(service);
        const { key, keyId } = await createKey(service, account, limits ?? null);
        if (limits === undefined) resultOf(await post(service, { key }, ping));
        await end(account, keyId);
        for (const [, message] of FREE) {
          for (const sent of [message, [message, call("uuid", {})]]) {
            // One bad key that is sent again and again is rejected without a question.
            await service.advance(BAD_KEY_MS);
            assertProblem(await post(service, { key }, sent), code, "application/json");
          }
        }
        await service.advance(2 * BAD_KEY_MS);
        assertProblem(await get(service, key), code, "application/json");
        const called = await post(service, { key }, call("uuid", {}));
        if (code === "invalid_key") assertProblem(called, code, "application/json");
        else assertToolError(called, code);
      }
    },
    { settings: { rateLimit: 1_000, fixed: true } },
  );
}
