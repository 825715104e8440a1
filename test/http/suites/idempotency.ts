import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Tool } from "#tools/define-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import {
  type ApiResponse,
  assertProblem,
  assertResponse,
  createCaller,
  createKey,
  type Sent,
  type Sentence,
} from "../test-api.ts";

/** `Idempotency-Key` as clients see it. */
export function idempotencySuite(sentence: Sentence) {
  replaySentences(sentence);
  scopeSentences(sentence);
  headerSentences(sentence);
}

export const keyed = (key: string, more: Record<string, string> = {}) => ({
  "Idempotency-Key": key,
  ...more,
});

/** Asserts the same status, type and body, byte for byte, without a charge. */
export function assertReplay(first: ApiResponse, repeat: ApiResponse) {
  assert.equal(repeat.status, 200, repeat.text);
  assert.deepEqual(repeat.bytes, first.bytes);
  assert.equal(repeat.header("content-type"), first.header("content-type"));
  assert.equal(repeat.header("idempotency-replayed"), "true");
  assert.equal(repeat.header("credits-charged"), "0");
}

/** The last example; for a verbatim tool, a body that parsing and writing it again would change. */
const bodyFor = ({ verbatim, examples }: Tool): string =>
  verbatim ? '{ "n": 1.0 }' : JSON.stringify(examples.at(-1)?.request);

function replaySentences(sentence: Sentence) {
  sentence("a repeat gets the first response, byte for byte, charged 0", async (service) => {
    const caller = await createCaller(service);
    let spent = 0;
    for (const tool of TOOLS) {
      const sent: Sent = { headers: keyed(`first-${tool.name}`), body: bodyFor(tool) };
      const first = await caller.post(tool.name, sent);
      assertResponse(first, tool.price);
      spent += tool.price;
      assert.equal(first.header("idempotency-replayed"), null);
      // Lets the clock advance, so that a time that is sent again is noticed.
      await service.advance(1500);
      for (let repeat = 0; repeat < 3; repeat += 1)
        assertReplay(first, await caller.post(tool.name, sent));
    }
    assert.equal(await caller.balance(), 100 - spent);
  });

  sentence(
    "a large call is repeated too, with and without a length, with one key of the account or another",
    async (service) => {
      const caller = await createCaller(service, { credits: 20 });
      const other = await createKey(service, caller.account);
      const body = JSON.stringify({ text: "ä".repeat(300_000) });
      const first = await caller.post("hash", { headers: keyed("large"), body });
      assertResponse(first, 1);
      assertReplay(
        first,
        await caller.post("hash", { headers: keyed("large"), body, chunked: true }),
      );
      const headers = { Authorization: `Bearer ${other.key}`, ...keyed("large") };
      assertReplay(first, await service.send("/api/v1/hash", { method: "POST", headers, body }));
      assert.equal(await caller.balance(), 19);
    },
  );

  sentence("Credits-Remaining and X-Request-Id of a repeat are of now", async (service) => {
    const caller = await createCaller(service, { credits: 5 });
    const first = await caller.call("uuid", {}, keyed("now", { "X-Request-Id": "one" }));
    await caller.call("uuid");
    const repeat = await caller.call("uuid", {}, keyed("now", { "X-Request-Id": "two" }));
    assertReplay(first, repeat);
    assert.equal(repeat.header("credits-remaining"), "3");
    assert.equal(repeat.header("x-request-id"), "two");
  });

  sentence("with a balance of zero, a repeat succeeds and a new call does not", async (service) => {
    const caller = await createCaller(service, { credits: 1 });
    const first = await caller.call("uuid", {}, keyed("last"));
    assertResponse(first, 1);
    assertReplay(first, await caller.call("uuid", {}, keyed("last")));
    assertProblem(await caller.call("uuid", {}, keyed("next")), "insufficient_credits");
    assertProblem(await caller.call("uuid", {}), "insufficient_credits");
    await caller.grant(2);
    assertResponse(await caller.call("uuid", {}, keyed("next")), 1);
  });

  sentence("the response to the free first call is stored like any other", async (service) => {
    const caller = await createCaller(service, { credits: 0, freeCall: "open" });
    const first = await caller.call("uuid", {}, keyed("free"));
    assertResponse(first, 0);
    assertReplay(first, await caller.call("uuid", {}, keyed("free")));
    assertProblem(await caller.call("uuid", {}, keyed("paid")), "insufficient_credits");
  });

  sentence("after 24 hours the key is free again", async (service) => {
    const caller = await createCaller(service);
    const first = await caller.call("uuid", {}, keyed("day"));
    await service.advance(24 * 3_600_000 - 60_000);
    assertReplay(first, await caller.call("uuid", {}, keyed("day")));
    await service.advance(60_001);
    const later = await caller.call("uuid", { count: 2 }, keyed("day"));
    assert.equal(assertResponse(later, 1).count, 2);
  });

  sentence(
    "401, 403 and 429 come before a replay",
    async (service) => {
      const caller = await createCaller(service);
      const { account } = caller;
      assertResponse(await caller.call("uuid", {}, keyed("a")), 1);
      const now = await service.now();
      await service.ledger.suspendAccount({ account, now });
      assertProblem(await caller.call("uuid", {}, keyed("a")), "account_suspended");
      await service.ledger.resumeAccount({ account, now });
      let response = await caller.call("uuid", {}, keyed("a"));
      for (let call = 0; call < 50 && response.status === 200; call += 1)
        response = await caller.call("uuid", {}, keyed("a"));
      assertProblem(response, "rate_limited");
      // Another account: at the edge, a 429 is repeated from memory for up to a second.
      const other = await createCaller(service);
      assertResponse(await other.call("uuid", {}, keyed("a")), 1);
      await service.ledger.revokeKey({ account: other.account, id: other.keyId, now });
      assertProblem(await other.call("uuid", {}, keyed("a")), "invalid_key");
    },
    { settings: { rateLimit: 1 } },
  );
}

function scopeSentences(sentence: Sentence) {
  sentence(
    "with another body: 400 idempotency_key_reused, and the first is still replayed",
    async (service) => {
      const caller = await createCaller(service);
      const first = await caller.post("uuid", { headers: keyed("k"), body: '{"count":1}' });
      for (const body of ['{"count":2}', '{"count":1,"uppercase":false}', "", undefined]) {
        const refused = await caller.post("uuid", { headers: keyed("k"), body });
        assertProblem(refused, "idempotency_key_reused");
        assert.equal(refused.header("credits-remaining"), "99");
      }
      // The fields are compared, not how they are written.
      for (const body of ['{"count":1}', '{ "count" : 1.0 }']) {
        assertReplay(first, await caller.post("uuid", { headers: keyed("k"), body }));
      }
    },
  );

  sentence("a key belongs to one account and one path", async (service) => {
    const caller = await createCaller(service);
    const other = await createCaller(service);
    assertResponse(await caller.call("uuid", {}, keyed("same")), 1);
    assertResponse(await caller.call("echo", {}, keyed("same")), 1);
    assertResponse(await other.call("uuid", {}, keyed("same")), 1);
    assert.equal(await caller.balance(), 98);
  });

  sentence(
    "bodies are compared inflated: a repeat may come with gzip or without",
    async (service) => {
      const caller = await createCaller(service);
      const body = JSON.stringify({ hello: "world ".repeat(100) });
      const zipped = (level: number): Sent => ({
        headers: keyed("zip", { "Content-Encoding": "gzip" }),
        body: gzipSync(body, { level }),
      });
      const first = await caller.post("echo", zipped(9));
      assertResponse(first, 1);
      assertReplay(first, await caller.post("echo", zipped(1)));
      assertReplay(first, await caller.post("echo", { headers: keyed("zip"), body }));
    },
  );

  sentence("the type of the body is no part of it", async (service) => {
    const caller = await createCaller(service);
    const first = await caller.post("uuid", {
      headers: keyed("t", { "Content-Type": "application/json" }),
      body: "{}",
    });
    assertReplay(
      first,
      await caller.post("uuid", {
        headers: keyed("t", { "Content-Type": "text/plain" }),
        body: "{}",
      }),
    );
  });
}

function headerSentences(sentence: Sentence) {
  sentence(
    "a key has 1 to 255 visible ASCII characters; anything else is 400 naming the header",
    async (service) => {
      const caller = await createCaller(service);
      for (const key of ["!", "~".repeat(255), "a,b;c=d", "\\"]) {
        const first = await caller.call("uuid", {}, keyed(key));
        assertResponse(first, 1);
        assertReplay(first, await caller.call("uuid", {}, keyed(key)));
      }
      for (const key of ["", "x".repeat(256), "a b", "a\tb", "ü", "a\u00a0"]) {
        const problem = assertProblem(await caller.call("uuid", {}, keyed(key)), "invalid_request");
        assert.equal(problem.errors[0].header, "Idempotency-Key", JSON.stringify(key));
      }
      assert.equal(await caller.balance(), 96);
    },
  );

  sentence(
    "a quoted key, as the draft of the header writes it, is the key without its quotes",
    async (service) => {
      const caller = await createCaller(service);
      const first = await caller.call("uuid", {}, keyed('"8e03978e"'));
      assertReplay(first, await caller.call("uuid", {}, keyed("8e03978e")));
    },
  );
}
