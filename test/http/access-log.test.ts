import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { makeKey } from "#accounts/key-format.ts";
import type { RequestEntry } from "#accounts/request-log.ts";
import { type AccessLogEntry, accessLogEntry, requestLogEntry } from "#api/access-log.ts";
import { type Changes, openChanged } from "./in-process.ts";
import { post as postMcp, call as toolCall } from "./mcp-messages.ts";
import { assertProblem, assertResponse, createCaller, createKey, SECRETS } from "./test-api.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

type Given = { rateLimit?: number; delivered?: boolean };

/** A service in this process, and what it records of each request. */
async function open(
  t: TestContext,
  { rateLimit = 100_000, delivered = true, ...changes }: Changes & Given = {},
) {
  const entries: AccessLogEntry[] = [];
  /** What the customer's log gets of them. */
  const requests: ({ account: string; entry: RequestEntry } | null)[] = [];
  const logged: object[] = [];
  const recording: Changes = {
    record(context, status, durationMs) {
      const entry = accessLogEntry(context, status, durationMs, delivered);
      entries.push(entry);
      requests.push(requestLogEntry(entry, context, Buffer.byteLength));
    },
    logError: (_, details) => void logged.push(details),
    ...changes,
  };
  const service = await openChanged(t, recording, { rateLimit, fixed: true });
  const logs = () => requests.filter((each) => each !== null);
  return { service, entries, logs, logged, last: () => entries.at(-1) as AccessLogEntry };
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

test("an internal error is logged with its cause, and the client does not see it", async (t) => {
  const runTool = () => {
    throw new Error("secret details");
  };
  const { service, logged } = await open(t, { runTool });
  const caller = await createCaller(service);
  const response = await postMcp(service, caller, toolCall("uuid", {}));
  const { result } = response.json();
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /^internal \(500\)/);
  assertProblem(await caller.call("uuid"), "internal");
  assert.doesNotMatch(response.text, /secret/);
  assert.equal(logged.length, 2);
  assert.equal(await caller.balance(), 100);
});

test("a call through MCP has two entries with one request id, and credits only in that of the call", async (t) => {
  const { service, entries } = await open(t);
  const caller = await createCaller(service);
  for (const headers of [{}, { Authorization: "Bearer x" }, { Accept: "text/event-stream" }])
    await postMcp(service, caller, toolCall("uuid", {}), {
      headers: { "X-Request-Id": "mine", ...headers },
    });
  const { account } = caller;
  const seen = entries.map(({ route, status, code, charged, tool, account: of, requestId }) => {
    assert.equal(requestId, "mine");
    return [route, status, code, charged, tool, of];
  });
  assert.deepEqual(seen, [
    ["/api/v1/uuid", 200, null, 1, "uuid", account],
    ["/mcp", 200, null, null, null, account],
    ["/mcp", 401, "invalid_key", null, null, null],
    ["/mcp", 406, "not_acceptable", null, null, account],
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

test("each call records the id of its key, if the account has such a key", async (t) => {
  const { service, last } = await open(t, { rateLimit: 2 });
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
  assert.equal(last().key, other.keyId, "a revoked key, which the node does not know any more");
  await service.send("/api/v1/uuid", {
    method: "POST",
    headers: bearer(makeKey(caller.account, SECRETS, randomBytes)),
  });
  assert.deepEqual([last().account, last().key], [caller.account, null]);
  await service.send("/api/v1/uuid", { method: "POST" });
  assert.equal(last().key, null);
});

const SECRET_TEXT = "something-only-the-client-knows";

test("the customer's log has every call by a key of the account, with any status, and nothing else", async (t) => {
  const { service, logs } = await open(t, { rateLimit: 20 });
  const caller = await createCaller(service, { credits: 6 });
  const { account, key, keyId } = caller;
  const authorized = { Authorization: `Bearer ${key}` };
  const body = JSON.stringify({ text: SECRET_TEXT });
  const responses = [
    await caller.call("hash", { text: SECRET_TEXT }, { "X-Request-Id": "mine" }),
    await caller.call("hash", { text: "a" }, { "Idempotency-Key": "one" }),
    await caller.call("hash", { text: "a" }, { "Idempotency-Key": "one" }),
    await caller.post("hash", {
      headers: { "Content-Type": "application/json", "Content-Encoding": "gzip" },
      body: gzipSync(body),
    }),
    await caller.post(`hash?algorithm=${SECRET_TEXT}`, { body: "{}" }),
    await caller.call("hash", { text: "x".repeat(1024 * 1024 + 1) }),
    await caller.post("hash", { headers: { "Content-Type": "image/png" }, body: "x" }),
    await caller.call("markdown-render", { markdown: "é" }),
  ];
  const viaMcp = await postMcp(service, caller, toolCall("uuid", {}));
  await service.trouble("refuse_all");
  responses.push(await caller.call("uuid"));
  await service.trouble("none");
  responses.push(await caller.call("uuid"), await caller.call("uuid"));
  await service.ledger.changeAccount({ account, now: await service.now(), state: "suspended" });
  responses.push(await caller.call("uuid"));
  await service.ledger.changeAccount({ account, now: await service.now(), state: "open" });
  await service.ledger.revokeKey({ account, id: keyId, now: await service.now() });
  responses.push(await caller.call("uuid"), await caller.call("uuid"));

  const found = logs().map((each) => {
    assert.deepEqual([each.account, each.entry.key], [account, keyId]);
    return each.entry;
  });
  const summary = found.map(({ tool, status, code, charged, via, replayed }) =>
    [tool, status, code, charged, via, replayed].join(" "),
  );
  assert.deepEqual(summary, [
    "hash 200  1 http false",
    "hash 200  1 http false",
    "hash 200  0 http true",
    "hash 200  1 http false",
    "hash 400 invalid_request 0 http false",
    "hash 413 too_large 0 http false",
    "hash 415 unsupported_media_type 0 http false",
    "markdown-render 200  1 http false",
    "uuid 200  1 mcp false",
    "uuid 503 unavailable  http false",
    "uuid 200  1 http false",
    "uuid 402 insufficient_credits 0 http false",
    "uuid 403 account_suspended 0 http false",
    "uuid 401 invalid_key  http false",
    "uuid 401 invalid_key  http false",
  ]);
  const ofHttp = found.filter(({ via }) => via === "http");
  for (const [index, { status, text, header }] of responses.entries()) {
    const entry = ofHttp[index];
    assert.deepEqual(
      [entry?.status, entry?.id, entry?.bytes.sent],
      [status, header("x-request-id"), Buffer.byteLength(text)],
    );
  }
  assert.equal(viaMcp.status, 200);
  assert.deepEqual(
    ofHttp.slice(0, 4).map(({ bytes }) => bytes.received),
    [body.length, 12, 12, gzipSync(body).length],
  );
  assert.deepEqual(
    [found[6]?.bytes.received, found[0]?.address, found[0]?.id],
    [1, "127.0.0.1", "mine"],
  );
  assert.ok(!JSON.stringify(logs()).includes(SECRET_TEXT), "no body and no query string");

  const before = logs().length;
  const forged = { Authorization: `Bearer ${makeKey(account, SECRETS, randomBytes)}` };
  await service.send("/api/v1/uuid", { method: "POST", headers: forged });
  await service.send("/api/v1/nothing", { method: "POST", headers: authorized });
  await service.send("/api/v1/account", { headers: authorized });
  await service.send("/api/v1/uuid", { headers: authorized });
  await service.send("/api/v1/uuid", { method: "POST" });
  await postMcp(service, caller, toolCall("nothing", {}));
  await service.ledger.changeAccount({ account, now: await service.now(), state: "closed" });
  await caller.call("uuid");
  assert.equal(logs().length, before, "no account, no tool, or an account that is closed");
});

for (const delivered of [true, false])
  test(`a 200 that ${delivered ? "was sent" : "was lost"} is in the access log as delivered: ${delivered}, and so in the request log`, async (t) => {
    const { service, last, logs } = await open(t, { delivered });
    const caller = await createCaller(service);
    const response = await caller.post("hash", { body: '{"text":"a"}' });
    assert.deepEqual([response.status, last().status, last().delivered], [200, 200, delivered]);
    const sent = logs().at(-1)?.entry.bytes.sent;
    if (delivered) assert.ok((sent ?? 0) > 0);
    else assert.equal(sent, null);
  });
