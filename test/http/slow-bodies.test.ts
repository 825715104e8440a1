import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { makeKey } from "#accounts/key-format.ts";
import { DRAIN_WAIT_MS, MEMORY_WAIT_MS, REQUEST_TIMEOUT_MS, WORKER_MEMORY } from "#limits.ts";
import hash from "#tools/hash/tool.ts";
import { inProcess } from "./in-process.ts";
import { assertRefused, openRaw, rawPost } from "./raw-socket.ts";
import { openRemoteInProcess } from "./remote-in-process.ts";
import { type Caller, createCaller, openService, SECRETS } from "./test-api.ts";
import { keepWorkerd, openWorkerd, workerd } from "./workerd.ts";

/** At the edge no server limits the time of a body: one that stalls soon frees the memory that it holds. */
keepWorkerd();
const RATE = { rateLimit: 100_000 };
/** How many of the largest bodies fit in memory at once. */
const STALLED = Math.floor(WORKER_MEMORY.bytes / hash.bodyBytesMax);
const LARGE = '{"text":"a"}'.padEnd(hash.bodyBytesMax);

const forged = ({ account }: Caller) => makeKey(account, SECRETS, randomBytes);

/**
 * Too large to be small, and never whole. `stalled`: it was read as far as it comes; `goOn`: for as long as anyone reads.
 * Without `bytes`, it is all but one of the largest body.
 */
function stallingBody(bytes = hash.bodyBytesMax - 1) {
  const { promise: stalled, resolve } = Promise.withResolvers<void>();
  const { promise: more, resolve: goOn } = Promise.withResolvers<void>();
  let pulls = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    pulls += 1;
    if (pulls === 1) return controller.enqueue(new Uint8Array(bytes).fill(0x20));
    resolve();
    return more.then(() => controller.enqueue(new Uint8Array(1)));
  };
  const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  return { stalled, goOn, pulls: () => pulls, body };
}

async function openFixture(t: TestContext) {
  const context = { memory: WORKER_MEMORY, bodyTimeoutMs: REQUEST_TIMEOUT_MS };
  const opened = openRemoteInProcess(RATE, context);
  const service = await openService({ ...inProcess, open: async () => opened }, RATE);
  t.after(service.close);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  function call(key: string, body: ReadableStream, announced: boolean): Promise<Response> {
    const headers = new Headers({ authorization: `Bearer ${key}` });
    if (announced) headers.set("content-length", String(hash.bodyBytesMax));
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    const request = new Request("http://127.0.0.1/api/v1/hash", init);
    return Promise.resolve(opened.app.fetch(request));
  }
  /** Calls, and resolves when its body stalls. */
  async function stall(key: string, announced: boolean) {
    const stalling = stallingBody();
    const result = call(key, stalling.body, announced);
    await stalling.stalled;
    return { ...stalling, response: result };
  }
  /** Calls with a body that arrives when the test sends it. */
  function trickle(key: string) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const response = call(key, readable, true);
    return {
      response,
      async send(bytes: number) {
        void writer.write(new Uint8Array(bytes).fill(0x20));
        for (let turns = 0; turns < 5; turns += 1) await setImmediate();
      },
      end: () => void writer.close(),
    };
  }
  return { service, stall, trickle };
}

test("the server stops reading a body that is late", async (t) => {
  const { service, stall } = await openFixture(t);
  const { key } = await createCaller(service);
  const { response: result, goOn, pulls } = await stall(key, false);
  t.mock.timers.tick(REQUEST_TIMEOUT_MS);
  assert.equal((await result).status, 408);
  goOn();
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
  assert.equal(pulls(), 2);
});

/** Lets the time pass for which a call waits for memory. */
async function passWaiting(t: TestContext): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
  t.mock.timers.tick(MEMORY_WAIT_MS);
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
}

test("large bodies that stall are rejected, cost nothing and release their memory", async (t) => {
  const { service, stall } = await openFixture(t);
  const callers = await Promise.all(Array.from({ length: STALLED }, () => createCaller(service)));
  const other = await createCaller(service);
  const calls = await Promise.all(callers.map(({ key }, at) => stall(key, at % 2 === 0)));
  const waiting = other.post("hash", { body: LARGE });
  await passWaiting(t);
  const rejected = await waiting;
  assert.equal(rejected.status, 503);
  assert.equal(rejected.header("retry-after"), "1");
  assert.equal(rejected.header("credits-charged"), "0");
  t.mock.timers.tick(REQUEST_TIMEOUT_MS - MEMORY_WAIT_MS);
  for (const { response: result } of calls) {
    const response = await result;
    assert.equal(response.status, 408);
    assert.equal(response.headers.get("connection"), "close");
    assert.equal(response.headers.get("credits-charged"), "0");
    const problem = (await response.json()) as { code: string; detail: string };
    assert.equal(problem.code, "request_timeout");
    assert.equal(
      problem.detail,
      "The body did not arrive within 30 seconds. Send it again over a faster connection.",
    );
  }
  for (const caller of callers) assert.equal(await caller.balance(), 100);
  assert.equal((await other.post("hash", { body: LARGE })).status, 200);
});

test("when half of the memory is taken, a large body is read only if its key is valid", async (t) => {
  const { service, stall, trickle } = await openFixture(t);
  const callers = await Promise.all(Array.from({ length: 2 }, () => createCaller(service)));
  for (const { key } of callers) await stall(key, true);
  const { response, end } = trickle(forged(callers[0] as Caller));
  end();
  assert.equal((await response).status, 401);
  assert.doesNotMatch((await response).headers.get("server-timing") ?? "", /body;/);
});

test("when bodies fill the memory together, the first to wait gets 503 and the others succeed", async (t) => {
  const { service, trickle } = await openFixture(t);
  const callers = await Promise.all(
    Array.from({ length: STALLED + 1 }, () => createCaller(service)),
  );
  const calls = callers.map(({ key }) => trickle(key));
  const part = Math.floor(WORKER_MEMORY.bytes / calls.length);
  for (const call of calls) await call.send(part);
  for (const call of calls) {
    await call.send(hash.bodyBytesMax - part);
    call.end();
  }
  await passWaiting(t);
  t.mock.timers.tick(DRAIN_WAIT_MS);
  const responses = await Promise.all(calls.map(({ response }) => response));
  // Their bodies are blank.
  assert.deepEqual(
    responses.map(({ status }) => status),
    [503, ...Array.from({ length: STALLED }, () => 400)],
  );
  const [rejected] = responses as [Response];
  assert.equal(rejected.headers.get("retry-after"), "1");
  assert.equal(rejected.headers.get("credits-charged"), "0");
});

test("stalling bodies with unknown keys take memory only once", async (t) => {
  const { service, stall } = await openFixture(t);
  const caller = await createCaller(service);
  const { response: result } = await stall(forged(caller), true);
  t.mock.timers.tick(REQUEST_TIMEOUT_MS);
  const response = await result;
  assert.equal(response.status, 401);
  assert.equal(
    response.headers.get("connection"),
    "close",
    "the rest of the body may still arrive",
  );
  // The ledger is asked first, and their bodies are never read.
  const more = Array.from({ length: 2 * STALLED }, () =>
    service.send("/api/v1/hash", {
      method: "POST",
      headers: { authorization: `Bearer ${forged(caller)}` },
      body: LARGE,
    }),
  );
  for (const refused of await Promise.all(more)) {
    assert.equal(refused.status, 401);
    assert.doesNotMatch(refused.header("server-timing") ?? "", /body;/);
  }
});

test("in workerd: a connection on which a body stalls gets its 408 and is closed", async (t) => {
  const settings = { ...RATE, bodyTimeoutMs: 300 };
  const opened = await openWorkerd(settings);
  const service = await openService({ ...workerd, open: async () => opened }, settings);
  t.after(service.close);
  const caller = await createCaller(service);
  const [name, value] = opened.service;
  const key = { Authorization: `Bearer ${caller.key}`, [name]: value };
  const length = { "Content-Length": String(hash.bodyBytesMax) };
  const requests = [
    rawPost("/api/v1/hash", " ".repeat(20_000), { ...key, ...length }),
    rawPost("/api/v1/hash", "", { ...key, ...length }),
    rawPost("/api/v1/hash", "{", { ...key, "Content-Length": "12" }),
    rawPost("/api/v1/hash", `4e20\r\n${" ".repeat(20_000)}\r\n`, {
      ...key,
      "Transfer-Encoding": "chunked",
    }),
  ];
  for (const request of requests) {
    const raw = openRaw(opened.port);
    raw.write(request);
    const result = await raw.response();
    assertRefused(result, 408, "request_timeout");
    assert.equal(result.headers.get("credits-charged"), "0");
    const { rest } = await raw.closed();
    assert.equal(rest, "");
  }
  assert.equal(await caller.balance(), 100);
});
