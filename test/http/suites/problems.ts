import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { makeKey } from "#accounts/key-format.ts";
import { RATE_LIMITED_WAIT_MS } from "#limits.ts";
import { TOOLS } from "#tools/registry.ts";
import {
  assertProblem,
  assertResponse,
  createCaller,
  createKey,
  PUBLIC_URL,
  SECRETS,
  type Sent,
  type Sentence,
} from "../test-api.ts";

/** Every error that depends on the route, the key or the account. */
export function problemsSuite(sentence: Sentence) {
  keySentences(sentence);
  accountSentences(sentence);
  routeSentences(sentence);
}

const CHALLENGE = 'Bearer realm="toolbooth"';

function keySentences(sentence: Sentence) {
  const call = (...headers: [string, string][]): Sent => ({
    method: "POST",
    headers,
    body: '{"text":"a"}',
  });

  sentence("401 missing_key: no bearer key, or another scheme", async (service) => {
    const { key } = await createCaller(service);
    const values = [
      null,
      `Basic ${btoa(`user:${key}`)}`,
      key,
      `Token ${key}`,
      `Bearer: ${key}`,
      `Bearer${key}`,
      `Digest x="Bearer ${key}"`,
    ];
    for (const value of values) {
      const response = await service.send(
        "/api/v1/hash",
        call(...(value === null ? [] : [["Authorization", value] as [string, string]])),
      );
      assertProblem(response, "missing_key");
      assert.equal(response.header("www-authenticate"), CHALLENGE, String(value));
      assert.equal(response.header("credits-remaining"), null);
      assert.equal(response.header("ratelimit"), null);
    }
    const elsewhere = await service.send(`/api/v1/hash?api_key=${key}`, call(["X-Api-Key", key]));
    assertProblem(elsewhere, "missing_key");
  });

  sentence(
    "401 missing_key says where a key is that is not read, and repeats none",
    async (service) => {
      const { key } = await createCaller(service);
      const none = "The request has no API key.";
      const noBearer = "`Authorization` does not begin with `Bearer` and a space.";
      const placeholder =
        "`Authorization` has a variable or a placeholder in place of the API key.";
      const scheme = (name: string) =>
        `\`Authorization\` has the scheme \`${name}\` in place of \`Bearer\`.`;
      const header = (name: string) =>
        `The API key is in the header \`${name}\`, which is not read.`;
      const inUrl = (name: string) =>
        `The API key is in the URL, as \`${name}\`. URLs end up in logs.`;
      const rows: [string, [string, string][], string][] = [
        ["", [], none],
        ["?text=a", [], none],
        ["?apikey=", [["X-API-Key", ""]], none],
        ["?monkey=1", [], none],
        ["", [["Authorization", `Basic ${btoa(`${key}:`)}`]], scheme("Basic")],
        ["", [["Authorization", `Token ${key}`]], scheme("Token")],
        ["", [["authorization", `ApiKey ${key}`]], scheme("ApiKey")],
        ["", [["Authorization", key]], noBearer],
        ["", [["Authorization", `Bearer: ${key}`]], noBearer],
        ["", [["Authorization", `Bearer${key}`]], noBearer],
        ["", [["Authorization", `${key} Bearer`]], noBearer],
        [
          "",
          [["Authorization", "Bearer"]],
          "`Authorization` has no API key after `Bearer`. Is your variable empty?",
        ],
        ["", [["Authorization", "Bearer $TOOLBOOTH_KEY"]], placeholder],
        ["", [["Authorization", "Bearer %TOOLBOOTH_KEY%"]], placeholder],
        ["", [["Authorization", "Bearer <API key>"]], placeholder],
        ["", [["Authorization", "Bearer {{key}}"]], placeholder],
        ["", [["X-API-Key", key]], header("X-API-Key")],
        ["", [["x-api-key", key]], header("X-API-Key")],
        ["", [["API-Key", key]], header("Api-Key")],
        ["", [["X-Auth-Token", key]], header("X-Auth-Token")],
        [`?key=${key}`, [], inUrl("key")],
        [`?text=a&api_key=${key}`, [], inUrl("api_key")],
        [`?API-KEY=${key}`, [], inUrl("API-KEY")],
        [`?access_token=${key}`, [], inUrl("access_token")],
        [`?text=a&k=${key}`, [], inUrl("k")],
        ["", [["Proxy-Authorization", `Bearer ${key}`]], header("Proxy-Authorization")],
        ["", [["Cookie", `a=b; api=${key}`]], "The API key is in a cookie, which is not read."],
        ["", [["Cookie", "key=tb_short"]], none],
      ];
      for (const [query, headers, found] of rows) {
        for (const path of ["/api/v1/hash", "/api/v1/account"]) {
          const method = path.endsWith("hash") ? "POST" : "GET";
          const response = await service.send(`${path}${query}`, { method, headers });
          const { detail } = assertProblem(response, "missing_key");
          assert.equal(
            detail,
            `${found} Send the key in the header \`Authorization: Bearer <API key>\`.`,
          );
          assert.ok(!response.text.includes(key));
        }
      }
    },
  );

  sentence("404 not_found names the nearest path, if one is near", async (service) => {
    const rows = [
      ["/api/v1/hash/", "/api/v1/hash"],
      ["/api/v1/Hash", "/api/v1/hash"],
      ["/api/v1/hash.json", "/api/v1/hash"],
      ["/api/v1/hash/sha512", "/api/v1/hash"],
      ["/api/v2/hash", "/api/v1/hash"],
      ["/api/hash", "/api/v1/hash"],
      ["/v1/hash", "/api/v1/hash"],
      ["/hash", "/api/v1/hash"],
      ["/API/V1/HASH", "/api/v1/hash"],
      ["/api/v1/qr", "/api/v1/qr-code"],
      ["/api/v1/qrcode", "/api/v1/qr-code"],
      ["/api/v1/qr_code", "/api/v1/qr-code"],
      ["/api/v1/markdown", "/api/v1/markdown-render"],
      ["/api/v1/render", "/api/v1/markdown-render"],
      ["/api/v1/uuids", "/api/v1/uuid"],
      ["/api/v1/accounts", "/api/v1/account"],
      ["/api/v1/none", null],
      ["/api/v1/", null],
      ["/api/", null],
      ["/api", null],
      ["/api/v1/__proto__", null],
      [`/api/v1/${"z".repeat(4000)}`, null],
    ] as const;
    for (const [path, nearest] of rows) {
      const { detail } = assertProblem(await service.send(path, call()), "not_found");
      const hint =
        nearest === null
          ? `${PUBLIC_URL}/openapi.json lists the paths.`
          : `Did you mean ${nearest}?`;
      assert.equal(detail, `No endpoint has the path ${path.slice(0, 200)}. ${hint}`);
    }
  });

  sentence(
    "401 invalid_key: unknown and revoked keys and those of closed accounts share one wording, and mistyped keys have another",
    async (service) => {
      const { account, key, keyId } = await createCaller(service);
      const unknown = makeKey(account, SECRETS, randomBytes);
      const elsewhere = makeKey(
        account,
        ["the secret of another service, long enough"],
        randomBytes,
      );
      const closed = await createCaller(service);
      await service.ledger.closeAccount({ account: closed.account, now: await service.now() });
      const revoked = await createKey(service, account);
      await service.ledger.revokeKey({ account, id: revoked.keyId, now: await service.now() });
      const flipped = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
      const swapped = key.slice(0, 20) + key[21] + key[20] + key.slice(22);
      const mistyped = [
        "x",
        "tb_",
        key.slice(0, -1),
        key.slice(1),
        `${key}0`,
        flipped,
        ...(swapped === key ? [] : [swapped]),
        key.toLowerCase(),
        `Bearer ${key}`,
        `${key};`,
        `${key} ${key}`,
        "x".repeat(5000),
        `"${key}"`,
      ];
      const unknowable = [unknown, elsewhere, revoked.key, closed.key];
      const wordings = new Map<string, Set<string>>();
      for (const value of [...mistyped, ...unknowable, keyId]) {
        const response = await service.send(
          "/api/v1/hash",
          call(["Authorization", `Bearer ${value}`]),
        );
        const { detail } = assertProblem(response, "invalid_key");
        assert.ok(value.length < 4 || !detail.includes(value), detail);
        wordings.set(detail, (wordings.get(detail) ?? new Set()).add(value));
        assert.equal(response.header("www-authenticate"), `${CHALLENGE}, error="invalid_token"`);
        assert.equal(response.header("credits-remaining"), null);
        assert.equal(
          response.header("ratelimit"),
          null,
          "nobody learns of an account's calls without its key",
        );
      }
      const [first, second, third, ...others] = [...wordings];
      assert.deepEqual(others, []);
      assert.match(first?.[0] ?? "", /looks mistyped or truncated/);
      assert.deepEqual(first?.[1], new Set(mistyped));
      assert.match(second?.[0] ?? "", /^This API key is not valid/);
      assert.deepEqual(second?.[1], new Set(unknowable));
      assert.match(third?.[0] ?? "", /the id of an API key/);
    },
  );

  sentence("a bearer scheme without a key is a missing one", async (service) => {
    for (const value of ["Bearer", "Bearer "]) {
      const response = await service.send("/api/v1/hash", call(["Authorization", value]));
      assertProblem(response, "missing_key");
    }
  });

  sentence("the scheme's case does not matter, nor do spaces after it", async (service) => {
    const { key } = await createCaller(service);
    for (const scheme of ["bearer", "BEARER", "bEaReR", "Bearer  "]) {
      assertResponse(
        await service.send("/api/v1/hash", call(["Authorization", `${scheme} ${key}`])),
      );
    }
  });

  sentence("two Authorization headers are no key, whichever comes first", async (service) => {
    const { key } = await createCaller(service);
    const [good, bad] = [`Bearer ${key}`, "Bearer tb_other"];
    for (const [one, other] of [
      [good, bad],
      [bad, good],
      [good, good],
    ] as const) {
      const response = await service.send(
        "/api/v1/hash",
        call(["Authorization", one], ["Authorization", other]),
      );
      assertProblem(response, "invalid_key");
    }
  });

  sentence(
    "a revoked key stops at the next call, and a suspended account resumes at the next",
    async (service) => {
      const caller = await createCaller(service);
      const { account, keyId: id } = caller;
      assertResponse(await caller.call("hash", { text: "a" }), 1);
      await service.ledger.suspendAccount({ account, now: await service.now() });
      assertProblem(await caller.call("hash", { text: "a" }), "account_suspended");
      await service.ledger.resumeAccount({ account, now: await service.now() });
      assertResponse(await caller.call("hash", { text: "a" }), 1);
      await service.ledger.revokeKey({ account, id, now: await service.now() });
      assertProblem(await caller.call("hash", { text: "a" }), "invalid_key");
      assert.equal(await caller.balance(), 98);
    },
  );
}

function accountSentences(sentence: Sentence) {
  sentence(
    "402 insufficient_credits: with the balance, the price and where to top up",
    async (service) => {
      const caller = await createCaller(service, { credits: 0 });
      for (let call = 0; call < 2; call += 1) {
        const response = await caller.call("hash", { text: "a" });
        const problem = assertProblem(response, "insufficient_credits");
        assert.deepEqual([problem.balance, problem.price], [0, 1]);
        // Left out where nothing is sold and the operator names no address.
        if (problem.topUpUrl !== undefined)
          assert.match(new URL(problem.topUpUrl).protocol, /^(?:https|mailto):$/);
        assert.equal(response.header("credits-remaining"), "0");
        assert.equal(response.header("credits-charged"), "0");
      }
      await caller.grant(1);
      assertResponse(await caller.call("hash", { text: "a" }), 1);
    },
  );

  sentence("403 account_suspended: keys and credits are kept", async (service) => {
    const caller = await createCaller(service, { credits: 3 });
    await service.ledger.suspendAccount({ account: caller.account, now: await service.now() });
    const response = await caller.call("hash", { text: "a" });
    assertProblem(response, "account_suspended");
    assert.equal(response.header("credits-remaining"), "3");
    assert.equal(response.header("www-authenticate"), null);
  });

  const limited = { settings: { rateLimit: 1 } };
  sentence(
    "429 rate_limited: after a burst of twice the limit, with Retry-After",
    async (service) => {
      const caller = await createCaller(service);
      let response = await caller.call("uuid");
      for (let call = 1; call < 50 && response.status === 200; call += 1)
        response = await caller.call("uuid");
      assertProblem(response, "rate_limited");
      assert.match(response.header("retry-after") ?? "", /^[1-9]\d*$/);
      assert.match(response.header("ratelimit") ?? "", /^"account";r=0;t=\d+$/);
      assert.equal(response.header("ratelimit-policy"), '"account";q=2;w=2');
      const asked = performance.now();
      assertProblem(await caller.call("uuid"), "rate_limited");
      // A timer may be a millisecond early.
      assert.ok(performance.now() - asked >= RATE_LIMITED_WAIT_MS - 2, "it comes late");
      const other = await createCaller(service);
      assertResponse(await other.call("uuid"), 1);
      await service.advance(Number(response.header("retry-after")) * 1000);
      assertResponse(await caller.call("uuid"), 1);
    },
    limited,
  );

  sentence(
    "keys that are no good use up nothing of an account's rate",
    async (service) => {
      const caller = await createCaller(service);
      const { account, keyId: id } = caller;
      const other = await createKey(service, account);
      const call = (key: string) =>
        service.send("/api/v1/uuid", {
          method: "POST",
          headers: { Authorization: `Bearer ${key}` },
        });
      assertResponse(await call(caller.key), 1);
      assertResponse(await call(other.key), 1);
      await service.ledger.revokeKey({ account, id, now: await service.now() });
      await service.advance(10_000);
      const invented = makeKey(account, SECRETS, randomBytes);
      for (let round = 0; round < 5; round += 1) {
        assertProblem(await call(caller.key), "invalid_key");
        assertProblem(await call(invented), "invalid_key");
      }
      for (let round = 0; round < 2; round += 1) assertResponse(await call(other.key), 1);
    },
    limited,
  );

  sentence(
    "a limit of 0 is none, and its headers are not sent",
    async (service) => {
      const caller = await createCaller(service);
      const response = await caller.call("uuid");
      assertResponse(response, 1);
      assert.equal(response.header("ratelimit"), null);
      assert.equal(response.header("ratelimit-policy"), null);
    },
    { settings: { rateLimit: 0 } },
  );
}

function routeSentences(sentence: Sentence) {
  sentence("404 not_found: any other path under /api/, with any method", async (service) => {
    const { key } = await createCaller(service);
    const paths = [
      "/api/",
      "/api/v1",
      "/api/v1/",
      "/api/v1/hsah",
      "/api/v1/hash/",
      "/api/v1//hash",
      "/api/v1/HASH",
      "/API/v1/hash/x",
      "/api/v2/hash",
      "/api/v1/hash%2F",
      "/api/v1/hash;a=b",
    ];
    for (const path of paths.filter((path) => path.startsWith("/api/"))) {
      for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
        const response = await service.send(path, {
          method,
          headers: { Authorization: `Bearer ${key}` },
        });
        assertProblem(response, "not_found");
      }
    }
  });

  sentence("405 method_not_allowed: with the methods that are", async (service) => {
    const { key } = await createCaller(service);
    for (const { name: tool } of TOOLS) {
      for (const method of ["GET", "PUT", "PATCH", "DELETE", "QUERY"]) {
        const response = await service.send(`/api/v1/${tool}`, {
          method,
          headers: { Authorization: `Bearer ${key}` },
        });
        assertProblem(response, "method_not_allowed");
        assert.equal(response.header("allow"), "POST, OPTIONS");
      }
    }
    const page = await service.send("/docs", { method: "POST" });
    assertProblem(page, "method_not_allowed");
    assert.equal(page.header("allow"), "GET, HEAD");
  });
}
