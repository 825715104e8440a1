import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { makeKey } from "#accounts/key-format.ts";
import {
  BODY_WINDOW_BYTES_MIN,
  BODY_WINDOW_MS,
  DRAIN_WAIT_MS,
  WORKER_BODY_TIMEOUT_MS,
  WORKER_MEMORY,
} from "#limits.ts";
import hash from "#tools/hash/tool.ts";
import { inProcess } from "./in-process.ts";
import { assertRefused, openRaw, rawPost } from "./raw-socket.ts";
import { openRemoteInProcess } from "./remote-in-process.ts";
import { type Caller, createCaller, openService, SECRETS } from "./test-api.ts";
import { openWorkerd, workerd } from "./workerd.ts";

/** At the edge no server looks after bodies that do not come: whoever stalls soon gives back the room that was taken. */
const RATE = { rateLimit: 100_000 };
/** So many of the largest bodies, and no other of the same size, have room at once. */
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
  const context = { memory: WORKER_MEMORY, bodyTimeoutMs: WORKER_BODY_TIMEOUT_MS };
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
  /** Calls, and comes back when its body stalls. */
  async function stall(key: string, announced: boolean) {
    const stalling = stallingBody();
    const result = call(key, stalling.body, announced);
    await stalling.stalled;
    return { ...stalling, response: result };
  }
  /** Calls with a body that comes when the test sends it. */
  function trickle(key: string) {
    let send = (_: number) => {};
    let disconnect = () => {};
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      send = (bytes) => controller.enqueue(new Uint8Array(bytes).fill(0x20));
      disconnect = () => controller.error(new Error("The client disconnected"));
    };
    const body = new ReadableStream<Uint8Array>({ start });
    const response = call(key, body, true);
    return {
      response,
      disconnect: () => disconnect(),
      async send(bytes: number) {
        send(bytes);
        for (let turns = 0; turns < 5; turns += 1) await setImmediate();
      },
    };
  }
  return { service, stall, trickle };
}

test("the server stops reading a body that is too late", async (t) => {
  const { service, stall } = await openFixture(t);
  const { key } = await createCaller(service);
  const { response: result, goOn, pulls } = await stall(key, false);
  t.mock.timers.tick(WORKER_BODY_TIMEOUT_MS);
  assert.equal((await result).status, 408);
  goOn();
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
  assert.equal(pulls(), 2);
});

/** Lets a call that waits for memory look again and again until its time is over. */
async function passWaiting(t: TestContext): Promise<void> {
  const STEP_MS = 20;
  for (let passed = 0; passed < WORKER_MEMORY.waitMsMax; passed += STEP_MS) {
    for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    t.mock.timers.tick(STEP_MS);
  }
  for (let turns = 0; turns < 3; turns += 1) await setImmediate();
}

for (const announced of [true, false]) {
  const how = announced ? "of which the length was told" : "of no length";
  test(`large bodies ${how} that stall are rejected in time, uncharged, and release their memory`, async (t) => {
    const { service, stall } = await openFixture(t);
    const callers = await Promise.all(Array.from({ length: STALLED }, () => createCaller(service)));
    const other = await createCaller(service);
    const calls = await Promise.all(callers.map(({ key }) => stall(key, announced)));
    // In the first window they were fast.
    t.mock.timers.tick(BODY_WINDOW_MS);
    const waiting = other.post("hash", { body: LARGE });
    await passWaiting(t);
    assert.equal((await waiting).status, 503);
    t.mock.timers.tick(BODY_WINDOW_MS - WORKER_MEMORY.waitMsMax);
    for (const { response: result } of calls) {
      const { status, headers, ...rest } = await result;
      assert.equal(status, 408, JSON.stringify(rest));
    }
    for (const { response: result } of calls) {
      const response = await result;
      assert.equal(response.headers.get("connection"), "close");
      assert.equal(response.headers.get("credits-charged"), "0");
      const problem = (await response.json()) as { code: string; detail: string };
      assert.equal(problem.code, "request_timeout");
      assert.equal(
        problem.detail,
        "The body arrived too slowly: less than 4096 bytes in 5 seconds. Send it again over a faster connection.",
      );
    }
    for (const caller of callers) assert.equal(await caller.balance(), 100);
    assert.equal((await other.post("hash", { body: LARGE })).status, 200);
  });
}

test("a client that disconnects while its call waits for memory leaves the queue", async (t) => {
  const { service, stall, trickle } = await openFixture(t);
  const callers = await Promise.all(Array.from({ length: STALLED }, () => createCaller(service)));
  const other = await createCaller(service);
  await Promise.all(callers.map(({ key }) => stall(key, true)));
  const waiting = trickle(other.key);
  await waiting.send(WORKER_MEMORY.bytes % hash.bodyBytesMax);
  await waiting.send(hash.bodyBytesMax / 2);
  waiting.disconnect();
  // No time passes.
  assert.equal((await waiting.response).status, 400);
});

test("a call waits for memory only if its key is valid", async (t) => {
  const { service, trickle } = await openFixture(t);
  const caller = await createCaller(service);
  const key = forged(caller);
  const calls = Array.from({ length: WORKER_MEMORY.callsPerAccount + 1 }, () => trickle(key));
  for (const call of calls) await call.send(20_000);
  // No time passes.
  const response = await (calls.at(-1) as (typeof calls)[number]).response;
  assert.equal(response.status, 401);
  for (const call of calls) call.disconnect();
});

test("a body that keeps arriving is given the time that the runtime has for it, and one that does not is not", async (t) => {
  const { service, trickle } = await openFixture(t);
  const { key } = await createCaller(service);
  const [steady, slow] = [trickle(key), trickle(key)];
  const windows = WORKER_BODY_TIMEOUT_MS / BODY_WINDOW_MS;
  for (let window = 1; window <= windows; window += 1) {
    await steady.send(BODY_WINDOW_BYTES_MIN);
    // A large body that was announced must come, even while it holds no memory.
    await slow.send(window === 1 ? BODY_WINDOW_BYTES_MIN : 1);
    t.mock.timers.tick(BODY_WINDOW_MS);
  }
  const detailOf = async (response: Promise<Response>) => {
    assert.equal((await response).status, 408);
    return ((await (await response).json()) as { detail: string }).detail;
  };
  assert.match(await detailOf(slow.response), /too slowly/);
  assert.equal(
    await detailOf(steady.response),
    "The body did not arrive within 15 seconds. Send it again over a faster connection.",
  );
});

test("an older call gets its memory from the newest that is incomplete, which gets 503 uncharged", async (t) => {
  const { service, trickle } = await openFixture(t);
  const callers = await Promise.all(
    Array.from({ length: STALLED + 1 }, () => createCaller(service)),
  );
  const calls = callers.map(({ key }) => trickle(key));
  const [oldest] = calls as [(typeof calls)[number]];
  await oldest.send(20_000);
  for (const call of calls.slice(1)) await call.send(hash.bodyBytesMax - 1);
  await oldest.send(WORKER_MEMORY.bytes % hash.bodyBytesMax);
  t.mock.timers.tick(DRAIN_WAIT_MS);
  const response = await (calls.at(-1) as (typeof calls)[number]).response;
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "1");
  assert.equal(response.headers.get("connection"), "close");
  assert.equal(response.headers.get("credits-charged"), "0");
  for (let window = 0; window < 2; window += 1) t.mock.timers.tick(BODY_WINDOW_MS);
  for (const call of calls.slice(0, -1)) assert.equal((await call.response).status, 408);
});

test("a body that stalls under an unknown key takes memory once, and then none", async (t) => {
  const { service, stall } = await openFixture(t);
  const caller = await createCaller(service);
  const { response: result } = await stall(forged(caller), true);
  t.mock.timers.tick(WORKER_BODY_TIMEOUT_MS);
  const response = await result;
  assert.equal(response.status, 401);
  assert.equal(response.headers.get("connection"), "close", "the rest of the body may still come");
  // Asked about first, they never come to their bodies.
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
  // Small enough to arrive in time on a busy machine.
  const body = '{"text":"a"}'.padEnd(20_000);
  assert.equal((await caller.post("hash", { body })).status, 200);
  assert.equal(await caller.balance(), 99);
});
