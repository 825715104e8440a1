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
const HASH = "/api/v1/hash";
const call = (...headers: [string, string][]): Sent => ({
  method: "POST",
  headers,
  body: '{"text":"a"}',
});
const withKey = (key: string) => call(["Authorization", `Bearer ${key}`]);

function keySentences(sentence: Sentence) {
  sentence(
    "401 missing_key says where it found a key that is not read, without repeating it",
    async (service) => {
      const { key } = await createCaller(service);
      const none = "The request has no API key.";
      const empty = "`Authorization` has no API key after `Bearer`. Is your variable empty?";
      const noBearer = "`Authorization` does not begin with `Bearer` and a space.";
      const placeholder =
        "`Authorization` has a variable or a placeholder in place of the API key.";
      const scheme = (name: string) =>
        `\`Authorization\` has the scheme \`${name}\` in place of \`Bearer\`.`;
      const header = (name: string) =>
        `The API key is in the header \`${name}\`, which is not read.`;
      const inUrl = (name: string) =>
        `The API key is in the URL, as \`${name}\`. URLs end up in logs.`;
      const headers: [name: string, value: string, found: string][] = [
        ["X-API-Key", "", none],
        ["Authorization", "Bearer", empty],
        ["Authorization", "Bearer ", empty],
        ["Authorization", `Basic ${btoa(`${key}:`)}`, scheme("Basic")],
        ["Authorization", `Digest x="Bearer ${key}"`, scheme("Digest")],
        ["Authorization", `Token ${key}`, scheme("Token")],
        ["authorization", `ApiKey ${key}`, scheme("ApiKey")],
        ["Authorization", key, noBearer],
        ["Authorization", `Bearer: ${key}`, noBearer],
        ["Authorization", `Bearer${key}`, noBearer],
        ["Authorization", `${key} Bearer`, noBearer],
        ["Authorization", "Bearer $TOOLBOOTH_KEY", placeholder],
        ["Authorization", "Bearer %TOOLBOOTH_KEY%", placeholder],
        ["Authorization", "Bearer <API key>", placeholder],
        ["Authorization", "Bearer {{key}}", placeholder],
        ["X-API-Key", key, header("X-API-Key")],
        ["x-api-key", key, header("X-API-Key")],
        ["API-Key", key, header("Api-Key")],
        ["X-Auth-Token", key, header("X-Auth-Token")],
        ["Proxy-Authorization", `Bearer ${key}`, header("Proxy-Authorization")],
        ["Cookie", `a=b; api=${key}`, "The API key is in a cookie, which is not read."],
        ["Cookie", "key=tb_short", none],
      ];
      const queries: [query: string, found: string][] = [
        ["", none],
        ["?text=a", none],
        ["?apikey=", none],
        ["?monkey=1", none],
        [`?key=${key}`, inUrl("key")],
        [`?text=a&api_key=${key}`, inUrl("api_key")],
        [`?API-KEY=${key}`, inUrl("API-KEY")],
        [`?access_token=${key}`, inUrl("access_token")],
        [`?text=a&k=${key}`, inUrl("k")],
      ];
      const rows = [
        ...headers.map(([name, value, found]) => ({
          query: "",
          headers: { [name]: value },
          found,
        })),
        ...queries.map(([query, found]) => ({ query, headers: {}, found })),
      ];
      for (const { query, headers, found } of rows) {
        for (const [method, path] of [
          ["POST", HASH],
          ["GET", "/api/v1/account"],
        ] as const) {
          const response = await service.send(`${path}${query}`, { method, headers });
          const advice = "Send the key in the header `Authorization: Bearer <API key>`.";
          assert.equal(assertProblem(response, "missing_key").detail, `${found} ${advice}`);
          assert.ok(!response.text.includes(key));
          assert.equal(response.header("www-authenticate"), CHALLENGE);
          for (const name of ["credits-remaining", "ratelimit"])
            assert.equal(response.header(name), null);
        }
      }
    },
  );

  sentence(
    "401 invalid_key: unknown and revoked keys and those of closed accounts share one wording, and mistyped keys have another",
    async (service) => {
      const { account, key, keyId } = await createCaller(service);
      const unknown = makeKey(account, SECRETS, randomBytes);
      const others = ["the secret of another service, long enough"];
      const elsewhere = makeKey(account, others, randomBytes);
      const closed = await createCaller(service);
      const now = await service.now();
      await service.ledger.changeAccount({ account: closed.account, now, state: "closed" });
      const revoked = await createKey(service, account);
      await service.ledger.revokeKey({ account, id: revoked.keyId, now });
      const flipped = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
      const swapped = key.slice(0, 20) + key[21] + key[20] + key.slice(22);
      const mistyped = [
        ...["x", "tb_", key.slice(0, -1), key.slice(1), `${key}0`, flipped, key.toLowerCase()],
        ...(swapped === key ? [] : [swapped]),
        ...[`Bearer ${key}`, `${key};`, `${key} ${key}`, "x".repeat(5000), `"${key}"`],
      ];
      const unknowable = [unknown, elsewhere, revoked.key, closed.key];
      const wordings = new Map<string, Set<string>>();
      for (const value of [...mistyped, ...unknowable, keyId]) {
        const response = await service.send(HASH, withKey(value));
        const { detail } = assertProblem(response, "invalid_key");
        assert.ok(value.length < 4 || !detail.includes(value), detail);
        wordings.set(detail, (wordings.get(detail) ?? new Set()).add(value));
        assert.equal(response.header("www-authenticate"), `${CHALLENGE}, error="invalid_token"`);
        // Nobody learns of an account's calls without its key.
        for (const name of ["credits-remaining", "ratelimit"])
          assert.equal(response.header(name), null);
      }
      const [first, second, third, ...more] = [...wordings];
      assert.deepEqual(more, []);
      assert.match(first?.[0] ?? "", /looks mistyped or truncated/);
      assert.deepEqual(first?.[1], new Set(mistyped));
      assert.match(second?.[0] ?? "", /^This API key is not valid/);
      assert.deepEqual(second?.[1], new Set(unknowable));
      assert.match(third?.[0] ?? "", /the id of an API key/);
    },
  );

  sentence(
    "the scheme of a key has any case, and two Authorization headers are no key",
    async (service) => {
      const { key } = await createCaller(service);
      for (const scheme of ["bearer", "BEARER", "bEaReR", "Bearer  "])
        assertResponse(await service.send(HASH, call(["Authorization", `${scheme} ${key}`])));
      const [good, bad] = [`Bearer ${key}`, "Bearer tb_other"];
      for (const values of [
        [good, bad],
        [bad, good],
        [good, good],
      ]) {
        const both = values.map((value): [string, string] => ["Authorization", value]);
        assertProblem(await service.send(HASH, call(...both)), "invalid_key");
      }
    },
    { adapter: "a header that is sent twice" },
  );

  sentence(
    "a revoked key stops at the next call, and a suspended account resumes at the next",
    async (service) => {
      const caller = await createCaller(service);
      const { account, keyId: id } = caller;
      const hash = () => caller.call("hash", { text: "a" });
      assertResponse(await hash(), 1);
      await service.ledger.changeAccount({ account, now: await service.now(), state: "suspended" });
      const suspended = await hash();
      assertProblem(suspended, "account_suspended");
      assert.equal(suspended.header("credits-remaining"), "99", "credits are kept");
      assert.equal(suspended.header("www-authenticate"), null);
      await service.ledger.changeAccount({ account, now: await service.now(), state: "open" });
      assertResponse(await hash(), 1);
      await service.ledger.revokeKey({ account, id, now: await service.now() });
      assertProblem(await hash(), "invalid_key");
      assert.equal(await caller.balance(), 98);
    },
    { adapter: "an account that changes between two calls" },
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

  const limited = { settings: { rateLimit: 1, fixed: true as const } };
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
    { ...limited, adapter: "counts of calls" },
  );

  sentence(
    "invalid keys do not use up the rate of an account",
    async (service) => {
      const caller = await createCaller(service);
      const { account, keyId: id } = caller;
      const other = await createKey(service, account);
      const send = (key: string) => service.send(HASH, withKey(key));
      assertResponse(await send(caller.key), 1);
      assertResponse(await send(other.key), 1);
      await service.ledger.revokeKey({ account, id, now: await service.now() });
      await service.advance(10_000);
      const invented = makeKey(account, SECRETS, randomBytes);
      for (let round = 0; round < 5; round += 1) {
        assertProblem(await send(caller.key), "invalid_key");
        assertProblem(await send(invented), "invalid_key");
      }
      for (let round = 0; round < 2; round += 1) assertResponse(await send(other.key), 1);
    },
    limited,
  );

  sentence(
    "a limit of 0 is none, and its headers are not sent",
    async (service) => {
      const response = await (await createCaller(service)).call("uuid");
      assertResponse(response, 1);
      for (const name of ["ratelimit", "ratelimit-policy"])
        assert.equal(response.header(name), null);
    },
    { settings: { rateLimit: 0 } },
  );
}

function routeSentences(sentence: Sentence) {
  sentence("404 not_found names the nearest path, if one is near", async (service) => {
    const { key } = await createCaller(service);
    const near: [nearest: string, ...paths: string[]][] = [
      ["/api/v1/hash", "/api/v1/hash/", "/api/v1/Hash", "/api/v1/hash.json", "/api/v1/hash/sha512"],
      ["/api/v1/hash", "/api/v2/hash", "/api/hash", "/v1/hash", "/hash", "/API/V1/HASH"],
      ["/api/v1/qr-code", "/api/v1/qr", "/api/v1/qrcode", "/api/v1/qr_code"],
      ["/api/v1/markdown-render", "/api/v1/markdown", "/api/v1/render"],
      ["/api/v1/uuid", "/api/v1/uuids"],
      ["/api/v1/account", "/api/v1/accounts"],
    ];
    const far = ["/api/v1/none", "/api/v1/", "/api/", "/api", "/api/v1/__proto__"];
    const rows = [
      ...near.flatMap(([nearest, ...paths]) =>
        paths.map((path) => [path, `Did you mean ${nearest}?`] as const),
      ),
      ...[...far, `/api/v1/${"z".repeat(4000)}`].map(
        (path) => [path, `${PUBLIC_URL}/openapi.json lists the paths.`] as const,
      ),
    ];
    for (const [path, hint] of rows) {
      const { detail } = assertProblem(await service.send(path, call()), "not_found");
      assert.equal(detail, `No endpoint has the path ${path.slice(0, 200)}. ${hint}`);
    }
    const headers = { Authorization: `Bearer ${key}` };
    for (const path of ["/api/v1", "/api/v1/hsah", "/api/v1//hash", "/api/v1/hash%2F"])
      for (const method of ["GET", "POST", "OPTIONS", "DELETE"])
        assertProblem(await service.send(path, { method, headers }), "not_found");
  });

  sentence("405 method_not_allowed lists the allowed methods", async (service) => {
    const { key } = await createCaller(service);
    const headers = { Authorization: `Bearer ${key}` };
    for (const { name: tool } of TOOLS) {
      for (const method of ["GET", "PUT", "PATCH", "DELETE", "QUERY"]) {
        const response = await service.send(`/api/v1/${tool}`, { method, headers });
        assertProblem(response, "method_not_allowed");
        assert.equal(response.header("allow"), "POST, OPTIONS");
      }
    }
    const page = await service.send("/docs", { method: "POST" });
    assertProblem(page, "method_not_allowed");
    assert.equal(page.header("allow"), "GET, HEAD");
  });
}
