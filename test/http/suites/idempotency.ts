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
  eventually,
  type Sent,
  type Sentence,
} from "../test-api.ts";

/** `Idempotency-Key` as clients see it. */
export function idempotencySuite(sentence: Sentence) {
  replaySentences(sentence);
  scopeSentences(sentence);
  headerSentences(sentence);
  concurrentSentences(sentence);
  freedSentences(sentence);
}

const keyed = (key: string, more: Record<string, string> = {}) => ({
  "Idempotency-Key": key,
  ...more,
});

/** Asserts the same status, type and body, byte for byte, without a charge. */
function assertReplay(first: ApiResponse, repeat: ApiResponse) {
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
      const chunked = { headers: keyed("large"), body, chunked: true };
      assertReplay(first, await caller.post("hash", chunked));
      const headers = { Authorization: `Bearer ${other.key}`, ...keyed("large") };
      assertReplay(first, await service.send("/api/v1/hash", { method: "POST", headers, body }));
      assert.equal(await caller.balance(), 19);
    },
    { adapter: "bodies without a length" },
  );

  sentence(
    "a repeat has the current Credits-Remaining and its own X-Request-Id",
    async (service) => {
      const caller = await createCaller(service, { credits: 5 });
      const first = await caller.call("uuid", {}, keyed("now", { "X-Request-Id": "one" }));
      await caller.call("uuid");
      const repeat = await caller.call("uuid", {}, keyed("now", { "X-Request-Id": "two" }));
      assertReplay(first, repeat);
      assert.equal(repeat.header("credits-remaining"), "3");
      assert.equal(repeat.header("x-request-id"), "two");
    },
  );

  sentence("the response to the free first call is stored like any other", async (service) => {
    const caller = await createCaller(service, { credits: 0, freeCall: "open" });
    const first = await caller.call("uuid", {}, keyed("free"));
    assertResponse(first, 0);
    assertReplay(first, await caller.call("uuid", {}, keyed("free")));
    assertProblem(await caller.call("uuid", {}, keyed("paid")), "insufficient_credits");
  });

  sentence(
    "401, 403 and 429 come before a replay",
    async (service) => {
      const caller = await createCaller(service);
      const { account } = caller;
      assertResponse(await caller.call("uuid", {}, keyed("a")), 1);
      const now = await service.now();
      await service.ledger.changeAccount({ account, now, state: "suspended" });
      assertProblem(await caller.call("uuid", {}, keyed("a")), "account_suspended");
      await service.ledger.changeAccount({ account, now, state: "open" });
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

  sentence("a repeat may be compressed or not: inflated bodies are compared", async (service) => {
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
  });

  sentence("a repeat may have another Content-Type for the same JSON", async (service) => {
    const caller = await createCaller(service);
    const post = (type: string) =>
      caller.post("uuid", { headers: keyed("t", { "Content-Type": type }), body: "{}" });
    assertReplay(await post("application/json"), await post("text/plain"));
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
        const isLength = key === "" || key.length > 255;
        assert.match(problem.detail, isLength ? /; got \d+ characters\.$/ : /a space or another/);
      }
      assert.equal(await caller.balance(), 96);
    },
    { adapter: "values of headers" },
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

/** Fails as soon as one of these calls is answered, whose debits are among the held ones. */
async function untilHeld(
  service: { held(): Promise<number> },
  count: number,
  calls: readonly Promise<ApiResponse>[] = [],
) {
  let answered: number | undefined;
  for (const call of calls)
    void call.then(({ status }) => {
      answered = status;
    });
  await eventually(`${count} debits are held`, async () => {
    assert.equal(answered, undefined, "a call was answered although debits are held");
    return (await service.held()) >= count;
  });
}

/** The response of a call that is answered without a debit. Fails as soon as its debit is held beside the others. */
async function answeredBeside(
  service: { held(): Promise<number> },
  others: number,
  call: Promise<ApiResponse>,
): Promise<ApiResponse> {
  let response: ApiResponse | undefined;
  void call.then((it) => {
    response = it;
  });
  await eventually("the call is answered", async () => {
    assert.ok((await service.held()) <= others, "the call reached the ledger");
    return response !== undefined;
  });
  return response as ApiResponse;
}

function concurrentSentences(sentence: Sentence) {
  sentence(
    "a repeat during the first call is 409 with Retry-After: 1, and after it the first response",
    async (service) => {
      const caller = await createCaller(service);
      await service.trouble("hold_debits");
      const running = caller.call("uuid", {}, keyed("slow"));
      await untilHeld(service, 1);
      for (const body of [{}, { count: 2 }]) {
        const repeat = caller.call("uuid", body, keyed("slow"));
        const refused = await answeredBeside(service, 1, repeat);
        assertProblem(refused, "idempotency_in_progress");
        assert.equal(refused.header("retry-after"), "1");
        assert.equal(refused.header("credits-remaining"), "100");
      }
      // The key of another tool, or of another account, is another key.
      const neighbor = await createCaller(service);
      const elsewhere = [
        caller.call("echo", {}, keyed("slow")),
        neighbor.call("uuid", {}, keyed("slow")),
      ];
      await untilHeld(service, 3, elsewhere);
      await service.trouble("none");
      const first = await running;
      assertResponse(first, 1);
      for (const other of elsewhere) assertResponse(await other, 1);
      assertReplay(first, await caller.call("uuid", {}, keyed("slow")));
      assert.equal(await caller.balance(), 98);
    },
    { adapter: "calls at once" },
  );

  sentence(
    "of 50 simultaneous calls with one key one is charged, and every 200 has its response",
    async (service) => {
      const caller = await createCaller(service);
      const calls = Array.from({ length: 50 }, () => caller.call("uuid", {}, keyed("many")));
      const responses = await Promise.all(calls);
      const good = responses.filter(({ status }) => status === 200);
      assert.ok(good.length >= 1);
      assert.equal(new Set(good.map(({ text }) => text)).size, 1);
      for (const response of responses)
        if (response.status !== 200) assertProblem(response, "idempotency_in_progress");
      assert.equal(good.filter((response) => response.header("credits-charged") === "1").length, 1);
      assert.equal(await caller.balance(), 99);
    },
    { adapter: "calls at once" },
  );
}

function freedSentences(sentence: Sentence) {
  sentence("after an error the key can be used again, for another body too", async (service) => {
    for (const body of ['{"count":0}', "{", " ".repeat(20_000)]) {
      const caller = await createCaller(service);
      assert.notEqual((await caller.post("uuid", { headers: keyed("k"), body })).status, 200);
      assertResponse(await caller.call("uuid", { count: 2 }, keyed("k")), 1);
    }
    const caller = await createCaller(service, { credits: 0 });
    assertProblem(await caller.call("uuid", {}, keyed("k")), "insufficient_credits");
    await caller.grant(1);
    assertResponse(await caller.call("uuid", { count: 2 }, keyed("k")), 1);
  });

  sentence(
    "with a balance of zero, 402 comes before an error of the body, except under a stored key",
    async (service) => {
      const caller = await createCaller(service, { credits: 1 });
      assertResponse(await caller.call("uuid", {}, keyed("kept")), 1);
      assertProblem(await caller.call("uuid", { count: 0 }, keyed("kept")), "invalid_request");
      assertProblem(await caller.call("uuid", { count: 0 }, keyed("new")), "insufficient_credits");
      assertProblem(await caller.call("uuid", { count: 0 }), "insufficient_credits");
    },
  );
}
