import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { makeKey } from "#accounts/key-format.ts";
import {
  assertAnswer,
  assertProblem,
  createCaller,
  createKey,
  SECRETS,
  type Sent,
  type Sentence,
} from "../test-service.ts";

/** The table of refusals, row by row, as far as route, key and account go. */
export function refusalsSuite(sentence: Sentence) {
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

  sentence("401 missing_key: no bearer key, or another scheme", async (door) => {
    const { key } = await createCaller(door);
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
      const answer = await door.send(
        "/api/v1/hash",
        call(...(value === null ? [] : [["Authorization", value] as [string, string]])),
      );
      assertProblem(answer, "missing_key");
      assert.equal(answer.header("www-authenticate"), CHALLENGE, String(value));
      assert.equal(answer.header("credits-remaining"), null);
      assert.equal(answer.header("ratelimit"), null);
    }
    const elsewhere = await door.send(`/api/v1/hash?api_key=${key}`, call(["X-Api-Key", key]));
    assertProblem(elsewhere, "missing_key");
  });

  sentence(
    "401 invalid_key: unknown, malformed, revoked and closed accounts' keys share one wording",
    async (door) => {
      const { account, key, keyId } = await createCaller(door);
      const closed = await createCaller(door);
      await door.ledger.closeAccount({ account: closed.account, now: await door.now() });
      const revoked = await createKey(door, account);
      await door.ledger.revokeKey({ account, id: revoked.keyId, now: await door.now() });
      const flipped = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
      const wrong = [
        "x",
        "tb_",
        key.slice(0, -1),
        `${key}0`,
        flipped,
        keyId,
        `${key} ${key}`,
        "x".repeat(5000),
        `"${key}"`,
      ];
      const keys = [...wrong, revoked.key, closed.key];
      const wordings = new Set<string>();
      for (const value of keys) {
        const answer = await door.send("/api/v1/hash", call(["Authorization", `Bearer ${value}`]));
        wordings.add(assertProblem(answer, "invalid_key").detail);
        assert.equal(answer.header("www-authenticate"), `${CHALLENGE}, error="invalid_token"`);
        assert.equal(answer.header("credits-remaining"), null);
        assert.equal(
          answer.header("ratelimit"),
          null,
          "nobody learns of an account's calls without its key",
        );
      }
      assert.equal(wordings.size, 1);
    },
  );

  sentence("a bearer scheme without a key is a missing one", async (door) => {
    for (const value of ["Bearer", "Bearer "]) {
      const answer = await door.send("/api/v1/hash", call(["Authorization", value]));
      assertProblem(answer, "missing_key");
    }
  });

  sentence("the scheme's case does not matter, nor do spaces after it", async (door) => {
    const { key } = await createCaller(door);
    for (const scheme of ["bearer", "BEARER", "bEaReR", "Bearer  "]) {
      assertAnswer(await door.send("/api/v1/hash", call(["Authorization", `${scheme} ${key}`])));
    }
  });

  sentence("two Authorization headers are no key, whichever comes first", async (door) => {
    const { key } = await createCaller(door);
    const [good, bad] = [`Bearer ${key}`, "Bearer tb_other"];
    for (const [one, other] of [
      [good, bad],
      [bad, good],
      [good, good],
    ] as const) {
      const answer = await door.send(
        "/api/v1/hash",
        call(["Authorization", one], ["Authorization", other]),
      );
      assertProblem(answer, "invalid_key");
    }
  });

  sentence(
    "a revoked key stops at the next call, and a suspended account resumes at the next",
    async (door) => {
      const caller = await createCaller(door);
      const { account, keyId: id } = caller;
      assertAnswer(await caller.call("hash", { text: "a" }), 1);
      await door.ledger.suspendAccount({ account, now: await door.now() });
      assertProblem(await caller.call("hash", { text: "a" }), "account_suspended");
      await door.ledger.resumeAccount({ account, now: await door.now() });
      assertAnswer(await caller.call("hash", { text: "a" }), 1);
      await door.ledger.revokeKey({ account, id, now: await door.now() });
      assertProblem(await caller.call("hash", { text: "a" }), "invalid_key");
      assert.equal(await caller.balance(), 98);
    },
  );
}

function accountSentences(sentence: Sentence) {
  sentence(
    "402 insufficient_credits: with the balance, the price and where to top up",
    async (door) => {
      const caller = await createCaller(door, { credits: 0 });
      for (let call = 0; call < 2; call += 1) {
        const answer = await caller.call("hash", { text: "a" });
        const problem = assertProblem(answer, "insufficient_credits");
        assert.deepEqual([problem.balance, problem.price], [0, 1]);
        assert.equal(new URL(problem.topUpUrl).protocol, "https:");
        assert.equal(answer.header("credits-remaining"), "0");
        assert.equal(answer.header("credits-charged"), "0");
      }
      await caller.grant(1);
      assertAnswer(await caller.call("hash", { text: "a" }), 1);
    },
  );

  sentence("403 account_suspended: keys and credits are kept", async (door) => {
    const caller = await createCaller(door, { credits: 3 });
    await door.ledger.suspendAccount({ account: caller.account, now: await door.now() });
    const answer = await caller.call("hash", { text: "a" });
    assertProblem(answer, "account_suspended");
    assert.equal(answer.header("credits-remaining"), "3");
    assert.equal(answer.header("www-authenticate"), null);
  });

  const limited = { settings: { rateLimit: 1 } };
  sentence(
    "429 rate_limited: after a burst of twice the limit, with Retry-After",
    async (door) => {
      const caller = await createCaller(door);
      let answer = await caller.call("uuid");
      for (let call = 1; call < 50 && answer.status === 200; call += 1)
        answer = await caller.call("uuid");
      assertProblem(answer, "rate_limited");
      assert.match(answer.header("retry-after") ?? "", /^[1-9]\d*$/);
      assert.match(answer.header("ratelimit") ?? "", /^"account";r=0;t=\d+$/);
      assert.equal(answer.header("ratelimit-policy"), '"account";q=2;w=2');
      const other = await createCaller(door);
      assertAnswer(await other.call("uuid"), 1);
      await door.advance(Number(answer.header("retry-after")) * 1000);
      assertAnswer(await caller.call("uuid"), 1);
    },
    limited,
  );

  sentence(
    "keys that are no good use up nothing of an account's rate",
    async (door) => {
      const caller = await createCaller(door);
      const { account, keyId: id } = caller;
      const other = await createKey(door, account);
      const call = (key: string) =>
        door.send("/api/v1/uuid", { method: "POST", headers: { Authorization: `Bearer ${key}` } });
      assertAnswer(await call(caller.key), 1);
      assertAnswer(await call(other.key), 1);
      await door.ledger.revokeKey({ account, id, now: await door.now() });
      await door.advance(10_000);
      const invented = makeKey(account, SECRETS, randomBytes);
      for (let round = 0; round < 5; round += 1) {
        assertProblem(await call(caller.key), "invalid_key");
        assertProblem(await call(invented), "invalid_key");
      }
      for (let round = 0; round < 2; round += 1) assertAnswer(await call(other.key), 1);
    },
    limited,
  );

  sentence(
    "a limit of 0 is none, and its headers are not sent",
    async (door) => {
      const caller = await createCaller(door);
      const answer = await caller.call("uuid");
      assertAnswer(answer, 1);
      assert.equal(answer.header("ratelimit"), null);
      assert.equal(answer.header("ratelimit-policy"), null);
    },
    { settings: { rateLimit: 0 } },
  );
}

function routeSentences(sentence: Sentence) {
  sentence("404 not_found: any other path under /api/, with any method", async (door) => {
    const { key } = await createCaller(door);
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
        const answer = await door.send(path, {
          method,
          headers: { Authorization: `Bearer ${key}` },
        });
        assertProblem(answer, "not_found");
      }
    }
  });

  sentence("405 method_not_allowed: with the methods that are", async (door) => {
    const { key } = await createCaller(door);
    for (const tool of ["markdown-render", "qr-code", "hash", "uuid", "echo"]) {
      for (const method of ["GET", "PUT", "PATCH", "DELETE", "QUERY"]) {
        const answer = await door.send(`/api/v1/${tool}`, {
          method,
          headers: { Authorization: `Bearer ${key}` },
        });
        assertProblem(answer, "method_not_allowed");
        assert.equal(answer.header("allow"), "POST, OPTIONS");
      }
    }
    const page = await door.send("/docs", { method: "POST" });
    assertProblem(page, "method_not_allowed");
    assert.equal(page.header("allow"), "GET, HEAD");
  });
}
