import assert from "node:assert/strict";
import {
  type ApiResponse,
  assertProblem,
  assertResponse,
  type Caller,
  createCaller,
  eventually,
  type Sent,
  type Sentence,
} from "../test-api.ts";
import { assertReplay, keyed } from "./idempotency.ts";

/** `Idempotency-Key` while the first call is running, and after a first call that failed. */
export function idempotencyMeanwhileSuite(sentence: Sentence) {
  concurrentSentences(sentence);
  freedSentences(sentence);
}

async function untilHeld(service: { held(): Promise<number> }, count: number) {
  await eventually(`${count} debits are held`, async () => (await service.held()) >= count);
}

function concurrentSentences(sentence: Sentence) {
  sentence(
    "a repeat while the first is running: 409 with Retry-After: 1, then the answer of the first",
    async (service) => {
      const caller = await createCaller(service);
      await service.trouble("hold_debits");
      const running = caller.call("uuid", {}, keyed("slow"));
      await untilHeld(service, 1);
      for (const body of [{}, { count: 2 }]) {
        const refused = await caller.call("uuid", body, keyed("slow"));
        assertProblem(refused, "idempotency_in_progress");
        assert.equal(refused.header("retry-after"), "1");
        assert.equal(refused.header("credits-remaining"), "100");
      }
      const elsewhere = caller.call("echo", {}, keyed("slow"));
      await untilHeld(service, 2);
      await service.trouble("none");
      const first = await running;
      assertResponse(first, 1);
      assertResponse(await elsewhere, 1);
      assertReplay(first, await caller.call("uuid", {}, keyed("slow")));
      assert.equal(await caller.balance(), 98);
    },
  );

  sentence(
    "a client that goes away leaves no key stuck: its retry is answered, charged once",
    async (service) => {
      const caller = await createCaller(service);
      await service.trouble("hold_debits");
      const gone = new AbortController();
      const sent: Sent = { headers: keyed("gone"), body: '{"count":3}' };
      const running = caller.post("uuid", { ...sent, signal: gone.signal });
      await untilHeld(service, 1);
      gone.abort();
      await assert.rejects(running, { name: "AbortError" });
      await service.trouble("none");
      let response: ApiResponse | undefined;
      await eventually("the key is free", async () => {
        response = await caller.post("uuid", sent);
        return response.status !== 409;
      });
      assertResponse(response as ApiResponse);
      assert.equal(await caller.balance(), 99);
    },
    { needs: "client" },
  );

  sentence(
    "of 50 calls at once with one key one is charged, and all who are answered get its answer",
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
  );
}

function freedSentences(sentence: Sentence) {
  const repairs: [string, (caller: Caller, key: string) => Promise<ApiResponse>][] = [
    ["a wrong body", (caller, key) => caller.call("uuid", { count: 0 }, keyed(key))],
    [
      "a body that is no JSON",
      (caller, key) => caller.post("uuid", { headers: keyed(key), body: "{" }),
    ],
    [
      "too large a body",
      (caller, key) => caller.post("uuid", { headers: keyed(key), body: " ".repeat(20_000) }),
    ],
  ];
  for (const [fault, call] of repairs) {
    sentence(`after the error ${fault} the key can be used again`, async (service) => {
      const caller = await createCaller(service);
      assert.notEqual((await call(caller, "k")).status, 200);
      assertResponse(await caller.call("uuid", { count: 2 }, keyed("k")), 1);
    });
  }

  sentence("after 402 the key is free again, for another body too", async (service) => {
    const caller = await createCaller(service, { credits: 0 });
    assertProblem(await caller.call("uuid", {}, keyed("k")), "insufficient_credits");
    await caller.grant(1);
    assertResponse(await caller.call("uuid", { count: 2 }, keyed("k")), 1);
  });

  sentence(
    "with a balance of zero, an error of the body is reported under a key that is kept; else 402 comes first",
    async (service) => {
      const caller = await createCaller(service, { credits: 1 });
      assertResponse(await caller.call("uuid", {}, keyed("kept")), 1);
      assertProblem(await caller.call("uuid", { count: 0 }, keyed("kept")), "invalid_request");
      assertProblem(await caller.call("uuid", { count: 0 }, keyed("new")), "insufficient_credits");
      assertProblem(await caller.call("uuid", { count: 0 }), "insufficient_credits");
    },
  );
}
