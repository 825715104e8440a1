import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AccessLogEntry } from "#api/app-context.ts";
import { openMemory } from "./in-process.ts";
import {
  assertProblem,
  assertResponse,
  createCaller,
  createKey,
  openService,
  type TestServiceSettings,
} from "./test-api.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

/** A service in this process, and what it records of each request. */
async function open(t: TestContext, rateLimit = 100_000) {
  const entries: AccessLogEntry[] = [];
  const logged: object[] = [];
  const opener = {
    name: "recorded",
    cannot: {},
    open: async (settings: TestServiceSettings) =>
      openMemory(settings, {
        record: (entry) => void entries.push(entry),
        logError: (_, details) => void logged.push(details),
      }),
  };
  const service = await openService(opener, { rateLimit, fixed: true });
  t.after(service.close);
  return { service, entries, logged, last: () => entries.at(-1) as AccessLogEntry };
}

test("a valid traceparent is recorded, any other one is ignored, and none is sent back", async (t) => {
  const { service, last } = await open(t);
  const caller = await createCaller(service);
  const valid = [
    `00-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-00`,
    // Later versions may have more members.
    `cc-${TRACE}-${PARENT}-01`,
    `cc-${TRACE}-${PARENT}-01-what-is-to-come`,
  ];
  const invalid = [
    "",
    "nonsense",
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}-0g`,
    `ff-${TRACE}-${PARENT}-01`,
    `cc-${TRACE}-${PARENT}-01.more`,
    `0-${TRACE}-${PARENT}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    // Two of them.
    `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01","injected":"`,
  ];
  for (const traceparent of [...valid, ...invalid]) {
    const response = await caller.call("uuid", undefined, { traceparent });
    assert.equal(response.status, 200);
    assert.equal(last().traceId, valid.includes(traceparent) ? TRACE : null, traceparent);
    for (const name of ["traceparent", "tracestate", "traceresponse"])
      assert.equal(response.header(name), null);
  }
  assertResponse(await caller.call("uuid"));
  assert.equal(last().traceId, null);
});

test("a failure of the service is logged with the trace of its request", async (t) => {
  const { service, logged } = await open(t);
  const caller = await createCaller(service);
  await service.trouble("refuse_all");
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, "X-Request-Id": "one" };
  assertProblem(await caller.call("uuid", undefined, headers), "unavailable");
  assertProblem(await caller.call("uuid", undefined, { "X-Request-Id": "two" }), "unavailable");
  const ids = logged.map((details) => ({ ...details, cause: undefined }));
  assert.deepEqual(ids, [
    { requestId: "one", traceId: TRACE, cause: undefined },
    { requestId: "two", cause: undefined },
  ]);
});

test("a browser may send the headers of a trace from another origin", async (t) => {
  const { service } = await open(t);
  const preflight = await service.send("/api/v1/hash", { method: "OPTIONS" });
  assert.match(
    preflight.header("access-control-allow-headers") ?? "",
    /, Traceparent, Tracestate$/,
  );
});

test("each call records the id of its key, and only of a key that is valid", async (t) => {
  const { service, last } = await open(t, 2);
  const caller = await createCaller(service);
  const other = await createKey(service, caller.account);
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
  for (const { key, keyId } of [caller, other, caller]) {
    await service.advance(10_000);
    const before = await service.ordered("keyStatus");
    assertResponse(await service.send("/api/v1/uuid", { method: "POST", headers: bearer(key) }));
    assert.deepEqual([last().account, last().key], [caller.account, keyId]);
    const asked = (await service.ordered("keyStatus")) - before;
    assert.ok(asked <= 1, "the first call with a key asks for its status anyway");
    const again = await service.send("/api/v1/uuid", { method: "POST", headers: bearer(key) });
    assertResponse(again);
    assert.equal(last().key, keyId);
    assert.equal((await service.ordered("keyStatus")) - before, asked, "no more queries");
  }
  assertProblem(await caller.call("hash", { text: 1 }), "invalid_request");
  assert.equal(last().key, caller.keyId);
  await service.advance(10_000);
  for (let call = 0; call < 4; call += 1) await caller.call("uuid");
  assertProblem(await caller.call("uuid"), "rate_limited");
  assert.equal(last().key, caller.keyId);
  await service.advance(10_000);
  const account = await service.send("/api/v1/account", { headers: bearer(other.key) });
  assert.equal(account.status, 200);
  assert.equal(last().key, other.keyId);
  await service.ledger.revokeKey({
    account: caller.account,
    id: other.keyId,
    now: await service.now(),
  });
  const revoked = await service.send("/api/v1/uuid", {
    method: "POST",
    headers: bearer(other.key),
  });
  assertProblem(revoked, "invalid_key");
  await service.send("/api/v1/uuid", { method: "POST", headers: bearer(other.key) });
  assert.equal(last().key, null);
  await service.send("/api/v1/uuid", { method: "POST" });
  assert.equal(last().key, null);
});
