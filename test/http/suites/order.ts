import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { ErrorCode } from "#errors.ts";
import {
  type ApiResponse,
  assertProblem,
  assertResponse,
  type Caller,
  createCaller,
  type Sent,
  type Sentence,
  type TestService,
} from "../test-api.ts";

/**
 * The order of errors: route (404, 405), key (401), account (403), rate (429), credits (402), body (413, 400, 415, 406).
 * Each test sends one request with two faults; the earlier one must win, whether or not the node has seen the key
 * before.
 */
const FAULTS = [
  ...(["not_found", "method_not_allowed", "invalid_key", "account_suspended"] as const),
  ...(["rate_limited", "insufficient_credits", "too_large", "invalid_utf8"] as const),
  ...(["invalid_json", "unsupported_media_type", "invalid_request", "not_acceptable"] as const),
] satisfies ErrorCode[];
type FaultName = (typeof FAULTS)[number];

/** A request can have only one of these, because they concern the same thing. */
const EXCLUSIVE: [FaultName, FaultName][] = [
  ["not_found", "method_not_allowed"],
  ["invalid_json", "unsupported_media_type"],
  ["invalid_json", "invalid_request"],
  ["invalid_utf8", "invalid_json"],
  ["invalid_utf8", "invalid_request"],
  ["unsupported_media_type", "invalid_request"],
  // A type that the tool does not take says nothing about what its bytes mean.
  ["invalid_utf8", "unsupported_media_type"],
];

const WITH_A_RATE = { settings: { rateLimit: 1 } };

export function orderSuite(sentence: Sentence) {
  for (const seen of [true, false]) {
    const key = seen ? "a key that this node knows" : "a key that is new here";
    for (const [at, earlier] of FAULTS.entries()) {
      const later = FAULTS.slice(at + 1).filter((other) => !isExclusive(earlier, other));
      sentence(
        `with ${key}, ${earlier} is reported, and comes before every later error`,
        async (service) => {
          await assertFirst(service, seen, [earlier]);
          for (const other of later) await assertFirst(service, seen, [earlier, other]);
          await assertFirst(service, seen, [earlier, ...later.filter(isCompatible)]);
        },
        WITH_A_RATE,
      );
    }
  }

  sentence(
    "a missing key comes before everything of the body, a large one too",
    async (service) => {
      for (const body of [undefined, "{", "x".repeat(20_000), "x".repeat(7_000_000)])
        assertProblem(await service.send("/api/v1/hash", { method: "POST", body }), "missing_key");
    },
    { adapter: "a body that nobody reads" },
  );

  sentence("an empty balance is reported before an error of the tool", async (service) => {
    const caller = await createCaller(service, { credits: 0 });
    assertProblem(await caller.call("qr-code", { text: "a".repeat(4096) }), "insufficient_credits");
    await caller.grant(1);
    assertProblem(
      await caller.call("qr-code", { text: "a".repeat(4096) }),
      "text_too_long_for_level",
    );
  });

  sentence(
    "a call is 402 if another call spends the last credit first",
    async (service) => {
      const caller = await createCaller(service, { credits: 1 });
      await service.trouble("hold_debits");
      const waiting = [caller.call("hash", { text: "a" }), caller.call("hash", { text: "b" })];
      while ((await service.held()) < 2) await setTimeout(2);
      await service.trouble("none");
      const responses = await Promise.all(waiting);
      responses.sort((one, other) => one.status - other.status);
      const [good, refused] = responses as [ApiResponse, ApiResponse];
      assertResponse(good, 1);
      const problem = assertProblem(refused, "insufficient_credits");
      assert.deepEqual([problem.balance, refused.header("credits-remaining")], [0, "0"]);
    },
    { adapter: "calls at once" },
  );
}

const isExclusive = (one: FaultName, other: FaultName) =>
  EXCLUSIVE.some(([first, second]) => first === one && second === other);

/** Whether it can be together with every other of these. */
const isCompatible = (fault: FaultName) => !EXCLUSIVE.flat().includes(fault);

/** Makes an account and a request with these faults, and asserts that the response reports the first. */
async function assertFirst(service: TestService, seen: boolean, faults: FaultName[]) {
  const has = (fault: FaultName) => faults.includes(fault);
  const caller = await createCaller(service, { credits: has("insufficient_credits") ? 0 : 9 });
  // A failed call makes the key known to the node and costs nothing.
  if (seen) await caller.post("uuid", { body: "{" });
  if (has("rate_limited")) await exhaust(caller);
  const now = await service.now();
  if (has("account_suspended"))
    await service.ledger.changeAccount({ account: caller.account, now, state: "suspended" });
  if (has("invalid_key"))
    await service.ledger.revokeKey({ account: caller.account, id: caller.keyId, now });

  const method = has("method_not_allowed") ? "PUT" : "POST";
  const path = has("not_found") ? "/api/v1/none" : "/api/v1/uuid";
  const { body, type } = bodyWith(faults);
  const headers = { Authorization: `Bearer ${caller.key}`, "Content-Type": type, Accept: "*/*" };
  if (has("not_acceptable")) headers.Accept = "image/png";
  const [first] = faults as [FaultName];
  let response = await service.send(path, { method, headers, body });
  // If the clock runs, the bucket may have gained a call in the meantime, on a busy machine more than once.
  let tries = first === "rate_limited" ? 9 : 1;
  while (response.status !== 429 && --tries > 0) {
    await exhaust(caller);
    response = await service.send(path, { method, headers, body });
  }
  assertProblem(response, first);
}

/** With another tool: Workers repeat a 429 by themselves for the same key and tool, until the next call is allowed. */
async function exhaust(caller: Caller) {
  for (let call = 0; call < 50; call += 1) {
    const { status } = await caller.post("hash", { body: "{" });
    if (status === 429) return;
  }
  assert.fail("the rate limit was not reached in 50 calls");
}

function bodyWith(faults: FaultName[]): { body: NonNullable<Sent["body"]>; type: string } {
  const has = (fault: FaultName) => faults.includes(fault);
  const type = has("unsupported_media_type") ? "application/xml" : "application/json";
  let text = "{}";
  if (has("invalid_json") || has("unsupported_media_type")) text = "{";
  if (has("invalid_request")) text = '{"count":0}';
  if (has("too_large")) text += " ".repeat(20_000);
  const bytes = new TextEncoder().encode(text);
  return { body: has("invalid_utf8") ? Uint8Array.from([0xff, ...bytes]) : bytes, type };
}
