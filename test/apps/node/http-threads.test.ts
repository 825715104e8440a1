import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Worker } from "node:worker_threads";
import { httpThreadsOf } from "../../../src/apps/node/http-threads.ts";
import { readConfig } from "../../../src/config/config.ts";
import { openNodeSocket } from "../../http/node-socket.ts";
import { openRaw, type RawConnection, rawPost } from "../../http/raw-socket.ts";
import { runServer, startServer, temporaryFolder } from "../../http/server-process.ts";
import {
  createCaller,
  eventually,
  openService,
  type TestServiceSettings,
} from "../../http/test-api.ts";

/** Two HTTP threads count, charge and reject as one does. Each test has a connection on each thread. */
async function openFixture(t: TestContext, settings: TestServiceSettings = { rateLimit: 0 }) {
  const threads: Worker[] = [];
  const noteThread = (thread: Worker) => threads.push(thread);
  process.on("worker", noteThread);
  const opened = await openNodeSocket(settings, { threads: 2 });
  process.off("worker", noteThread);
  const service = await openService(
    { name: "two threads", cannot: {}, open: async () => opened },
    settings,
  );
  const connections: RawConnection[] = [];
  t.after(async () => {
    for (const { socket } of connections) socket.destroy();
    await service.close();
  });

  /** The system chooses the thread of a connection, so this opens more of them until each thread has got one. */
  async function openOnEach(): Promise<[RawConnection, RawConnection]> {
    const found: (RawConnection | undefined)[] = [];
    while (found[0] === undefined || found[1] === undefined) {
      const before = opened.connections();
      const raw = openRaw(opened.port);
      connections.push(raw);
      await eventually("the connection is counted", async () => {
        const after = opened.connections();
        const at = after.findIndex((count, thread) => count > (before[thread] ?? 0));
        if (at !== -1) found[at] ??= raw;
        return at !== -1;
      });
    }
    return found as [RawConnection, RawConnection];
  }

  return { service, opened, threads, openOnEach };
}

const post = (key: string, more: Record<string, string> = {}) =>
  rawPost("/api/v1/hash", '{"text":"a"}', { Authorization: `Bearer ${key}`, ...more });

async function call(raw: RawConnection, key: string, more?: Record<string, string>) {
  raw.write(post(key, more));
  return raw.response();
}

test("calls on two threads together have the rate of one account, and the ledger what they cost", async (t) => {
  const rateLimit = 20;
  const { service, openOnEach } = await openFixture(t, { rateLimit });
  const caller = await createCaller(service, { credits: 1_000 });
  const each = await openOnEach();
  const statuses: number[] = [];
  const since = performance.now();
  for (let round = 0; round < 60; round += 1) {
    for (const raw of each) raw.write(post(caller.key));
    for (const raw of each) statuses.push((await raw.response()).status);
  }
  const seconds = (performance.now() - since) / 1_000;
  const made = statuses.filter((status) => status === 200).length;
  assert.equal(statuses.filter((status) => status === 429).length, statuses.length - made);
  assert.ok(made >= Math.min(2 * rateLimit, statuses.length), `${made} calls`);
  // A bucket for each thread would let all 120 pass.
  const allowed = 2 * rateLimit + rateLimit * seconds;
  assert.ok(made <= allowed, `${made} calls, ${allowed} allowed`);
  assert.equal(await caller.balance(), 1_000 - made);
});

test("of two equal calls with an idempotency key on two threads, one waits for none and one gets 409", async (t) => {
  const { service, openOnEach } = await openFixture(t);
  const caller = await createCaller(service);
  const [one, other] = await openOnEach();
  for (const raw of [one, other]) assert.equal((await call(raw, caller.key)).status, 200);
  await service.trouble("hold_debits");
  const repeated = { "Idempotency-Key": "once" };
  one.write(post(caller.key, repeated));
  await eventually("the first one is charged", async () => (await service.held()) === 1);
  const second = await call(other, caller.key, repeated);
  assert.deepEqual([second.status, second.json().code], [409, "idempotency_in_progress"]);
  await service.trouble("none");
  assert.equal((await one.response()).status, 200);
  const replay = await call(other, caller.key, repeated);
  assert.deepEqual([replay.status, replay.headers.get("idempotency-replayed")], [200, "true"]);
  assert.equal(await caller.balance(), 97);
});

test("a key that is revoked works on no thread from the next call on", async (t) => {
  const { service, openOnEach } = await openFixture(t);
  const caller = await createCaller(service);
  const each = await openOnEach();
  for (let round = 0; round < 3; round += 1)
    for (const raw of each) assert.equal((await call(raw, caller.key)).status, 200);
  const { account, keyId } = caller;
  await service.ledger.revokeKey({ account, id: keyId, now: Date.now() } as never);
  for (let round = 0; round < 3; round += 1)
    for (const raw of each) assert.equal((await call(raw, caller.key)).status, 401);
  assert.equal(await caller.balance(), 94);
});

test("/metrics has the calls of all threads", async (t) => {
  const { service, openOnEach } = await openFixture(t);
  const caller = await createCaller(service);
  const each = await openOnEach();
  for (let round = 0; round < 5; round += 1)
    for (const raw of each) assert.equal((await call(raw, caller.key)).status, 200);
  const { text } = await service.send("/metrics");
  assert.match(text, /^toolbooth_calls_total\{tool="hash",status="200"\} 10$/m);
  assert.match(text, /^toolbooth_credits_charged_total\{tool="hash"\} 10$/m);
  assert.match(text, /^toolbooth_call_duration_seconds_count\{tool="hash"\} 10$/m);
});

test("relayed requests with unusual hosts, methods and targets get the response that one thread gives them", async (t) => {
  const one = await openNodeSocket({ rateLimit: 0 }, { threads: 1 });
  t.after(one.close);
  const { opened } = await openFixture(t);
  const hosts = ["1.2.3.256", "a..b", "-", "xn--a", "x:99999", "[::1]", "a b"];
  const starts = [
    "GET /healthz",
    "TRACE /healthz",
    "GET /a/../healthz",
    "GET /%zz?%",
    "POST /none",
  ];
  for (const host of hosts)
    for (const start of starts) {
      const request = `${start} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`;
      const responses = await Promise.all(
        [one.port, opened.port].map(async (port) => {
          const raw = openRaw(port);
          raw.write(request);
          const { status, text } = await raw.response();
          raw.socket.destroy();
          return `${status} ${text.replace(/req_\w+/g, "")}`;
        }),
      );
      assert.equal(responses[1], responses[0], request);
    }
});

test("a thread that dies takes its connections with it; the other goes on, and another takes its place", async (t) => {
  const { service, opened, threads, openOnEach } = await openFixture(t);
  const caller = await createCaller(service);
  const [one, other] = await openOnEach();
  for (const raw of [one, other, one, other])
    assert.equal((await call(raw, caller.key)).status, 200);
  await service.trouble("hold_debits");
  const repeated = { "Idempotency-Key": "once" };
  one.write(post(caller.key, repeated));
  other.write(post(caller.key));
  await eventually("both wait for the ledger", async () => (await service.held()) === 2);
  const dying = threads.filter((thread) => thread.threadId > 0).at(-2);
  await dying?.terminate();
  const ended = await Promise.race([
    one.closed().then(() => [one, other] as const),
    other.closed().then(() => [other, one] as const),
  ]);
  await service.trouble("none");
  const [, left] = ended;
  assert.equal((await left.response()).status, 200);
  // The call whose connection is gone was charged, as when the process dies. Its key has its response.
  await eventually("it has ended", async () => (await caller.balance()) === 94);
  const replay = await call(left, caller.key, repeated);
  assert.equal(replay.status, 200);
  assert.equal(replay.headers.get("idempotency-replayed"), "true");
  assert.equal(await caller.balance(), 94);
  await eventually("the thread is back", async () => {
    const raw = openRaw(opened.port);
    await call(raw, caller.key).catch(() => null);
    const counts = opened.connections();
    const isBack = counts.every((count) => count > 0);
    raw.socket.destroy();
    return isBack;
  });
  const errors = await service.loggedErrors();
  assert.ok(errors.some((error) => error.startsWith("An HTTP thread died; restarting")));
});

test("there is one thread by default, and more than one are an error where only Linux has them", () => {
  assert.equal(httpThreadsOf(3, "linux"), 3);
  assert.equal(httpThreadsOf(1, "darwin"), 1);
  assert.equal(readConfig({}).httpThreads, 1);
  assert.throws(
    () => httpThreadsOf(2, "darwin"),
    /TOOLBOOTH_HTTP_THREADS is 2, but on this system/,
  );
});

test("a port that another server shares among its threads is in use", async (t) => {
  const threads = { TOOLBOOTH_HTTP_THREADS: "2" };
  const server = await startServer(t, { DATA_DIR: temporaryFolder(t), ...threads });
  const PORT = String(server.port);
  const { code, written } = await runServer(t, { DATA_DIR: temporaryFolder(t), PORT, ...threads });
  assert.equal(code, 1);
  assert.match(written, /Another process already listens on this address/);
  assert.equal((await fetch(`${server.base}/healthz`)).status, 200);
  assert.equal((await server.end("SIGTERM")).code, 0);
});

test("several threads answer where calls are read without node:http, which they leave to it", async (t) => {
  const server = await startServer(t, {
    ...{ DATA_DIR: temporaryFolder(t), TOOLBOOTH_HTTP_THREADS: "2" },
  });
  const key = await server.demoKey();
  for (let round = 0; round < 8; round += 1) {
    // On connections of their own, and twice on each: a thread relays the first call of a key.
    const raw = openRaw(Number(new URL(server.base).port));
    for (const status of [200, 200]) assert.equal((await call(raw, key)).status, status);
    raw.socket.destroy();
  }
});
