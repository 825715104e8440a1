import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import {
  bodyBytesFor,
  CONNECTIONS_MAX,
  MARKDOWN_BYTES_MAX,
  type MemoryLimits,
  NODE_MEMORY,
  SILENCE_MAX_MS,
} from "#limits.ts";
import { nodeSocket, openNodeSocket } from "../../http/node-socket.ts";
import { openRaw, type RawConnection, rawPost } from "../../http/raw-socket.ts";
import { peakMemoryMb, startServer, temporaryFolder } from "../../http/server-process.ts";
import {
  assertProblem,
  assertResponse,
  createCaller,
  eventually,
  openService,
  type TestService,
} from "../../http/test-api.ts";

/** Limits on the memory that clients with and without keys can make the process hold. */
const MB = 1024 * 1024;
const LARGE_BODY_BYTES = bodyBytesFor(MARKDOWN_BYTES_MAX);
const PATH = "/api/v1/markdown-render";

test("100 keyless connections that send all but one byte of a large body are not held in memory", {
  timeout: 300_000,
}, async (t) => {
  const server = await startServer(t, { DATA_DIR: temporaryFolder(t) });
  const before = residentMb(server.child.pid);
  if (before === null) return t.skip("this system does not report the memory of a process");
  // A few small calls load what is loaded lazily.
  for (let call = 0; call < 20; call += 1)
    await fetch(`${server.base}/api/v1/none`, { method: "POST" });
  const headers = { "Content-Length": String(LARGE_BODY_BYTES) };
  const body = Buffer.alloc(LARGE_BODY_BYTES - 1, "a");
  const connections = Array.from({ length: 100 }, () => openRaw(server.port));
  t.after(() => connections.forEach(({ socket }) => void socket.destroy()));
  await Promise.all(
    connections.map(async ({ socket }) => {
      socket.write(rawPost(PATH, "", headers));
      await new Promise((resolve) => socket.write(body, resolve));
    }),
  );
  await eventually("all was taken", async () =>
    connections.every(({ socket }) => socket.writableLength === 0),
  );
  assert.equal((await fetch(`${server.base}/healthz`)).status, 200, "others are served");
  const grown = (peakMemoryMb(server.child.pid) as number) - before;
  t.diagnostic(`${grown.toFixed(0)} MB more than ${before.toFixed(0)} at most`);
  // 630 MB were sent. Dropped data waits for garbage collection: up to 190 MB, for 50 as for 400 connections.
  assert.ok(grown < 300, `${grown} MB`);
  for (const raw of connections) raw.write("a");
  for (const raw of connections) assert.equal((await raw.response()).status, 401);
});

/** Returns the memory of the process in MB, or null if the system does not report it. */
function residentMb(pid: number): number | null {
  try {
    const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return line === null ? null : Number(line[1]) / 1024;
  } catch {
    return null;
  }
}

type Fixture = Awaited<ReturnType<typeof openFixture>>;
type Caller = Awaited<ReturnType<typeof createCaller>>;

async function openFixture(t: TestContext, memory?: MemoryLimits) {
  // Bodies that stall do so until the test ends, however busy the machine is.
  const options = { requestTimeoutMs: 600_000, ...(memory && { memory }) };
  const opened = await openNodeSocket({ rateLimit: 0 }, options);
  const service = await openService({ ...nodeSocket, open: async () => opened }, { rateLimit: 0 });
  const connections: RawConnection[] = [];
  t.after(async () => {
    for (const { socket } of connections) socket.destroy();
    await service.close();
  });
  return {
    service,
    open() {
      const raw = openRaw(opened.port);
      connections.push(raw);
      return raw;
    },
  };
}

const BODY = '{"markdown":"a"}';

/** Starts a call, resolves when the server has read all but the last byte of its body, and sends this on demand. */
async function startLarge(fixture: Fixture, { key }: Caller) {
  const raw = fixture.open();
  const headers = { Authorization: `Bearer ${key}`, "Content-Length": String(LARGE_BODY_BYTES) };
  const sent = rawPost(PATH, BODY.padEnd(LARGE_BODY_BYTES - 1), headers);
  const started = Promise.withResolvers<Socket>();
  const onRequest = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (socket.remotePort === raw.socket.localPort) started.resolve(socket);
  };
  subscribe("http.server.request.start", onRequest);
  raw.write(sent);
  const peer = await started.promise;
  unsubscribe("http.server.request.start", onRequest);
  await eventually("the body arrives", async () => peer.bytesRead === sent.length);
  return {
    raw,
    finish() {
      raw.write(" ");
      return raw.response();
    },
  };
}

const callLarge = (caller: Caller, bytes = LARGE_BODY_BYTES) =>
  caller.post("markdown-render", { body: BODY.padEnd(bytes) });

/** Two of the largest calls of an account, and six in all. */
const SMALL_MEMORY = { ...NODE_MEMORY, bytes: 40 * MB, bytesPerAccount: 16 * MB };

async function assertFull(caller: Caller, detail: RegExp): Promise<void> {
  const before = await caller.balance();
  const rejected = await callLarge(caller);
  const problem = assertProblem(rejected, "unavailable");
  assert.match(problem.detail, detail);
  assert.match(problem.detail, /not charged/);
  assert.match(rejected.header("retry-after") ?? "", /^[1-9]\d*$/);
  // Small calls need no memory.
  assertResponse(await caller.post("echo", { body: BODY }), 1);
  assert.equal(await caller.balance(), before - 1);
}

test("an account that holds as much memory as it may gets 503 uncharged, and others do not", {
  timeout: 600_000,
}, async (t) => {
  const fixture = await openFixture(t, SMALL_MEMORY);
  const caller = await createCaller(fixture.service);
  const other = await createCaller(fixture.service);
  const [first, second] = [await startLarge(fixture, caller), await startLarge(fixture, caller)];
  await assertFull(caller, /^The large calls of the account already hold/);
  assertResponse(await callLarge(other), 1);
  first.raw.socket.destroy();
  await eventually("memory is free", async () => (await callLarge(caller)).status === 200);
  assert.equal((await second.finish()).status, 200);
  const again = [await startLarge(fixture, caller), await startLarge(fixture, caller)];
  for (const { finish } of again) assert.equal((await finish()).status, 200);
});

test("the large calls of all accounts together share the memory, and free it", {
  timeout: 600_000,
}, async (t) => {
  const fixture = await openFixture(t, SMALL_MEMORY);
  const callers = [];
  const started: Awaited<ReturnType<typeof startLarge>>[] = [];
  for (let account = 0; account < 3; account += 1) {
    const caller = await createCaller(fixture.service);
    callers.push(caller);
    started.push(await startLarge(fixture, caller), await startLarge(fixture, caller));
  }
  const last = await createCaller(fixture.service);
  await assertFull(last, /^The service is already handling as many large calls/);
  for (const { raw } of started) raw.socket.destroy();
  await eventually("memory is free", async () => (await callLarge(last)).status === 200);
  for (const caller of callers) assertResponse(await callLarge(caller), 1);
});

test("stalled bodies take no memory from others, whatever length they announce", {
  timeout: 300_000,
}, async (t) => {
  const fixture = await openFixture(t);
  const accounts = [];
  for (let count = 0; count < 3; count += 1) accounts.push(await createCaller(fixture.service));
  const stalled = accounts.flatMap(({ key }) =>
    Array.from({ length: 16 }, () => {
      const raw = fixture.open();
      const headers = {
        Authorization: `Bearer ${key}`,
        "Content-Length": String(LARGE_BODY_BYTES),
      };
      raw.write(`${rawPost(PATH, "", headers)}{`);
      return raw;
    }),
  );
  const other = await createCaller(fixture.service);
  // They wait for the rest of their bodies once the server has read the first byte of each.
  const server = await serverOf(fixture.service);
  await eventually("every body stalls", async () => {
    const connections = await promisify(server.getConnections.bind(server))();
    return connections >= stalled.length && stalled.every(({ socket }) => socket.bytesWritten > 0);
  });
  for (let call = 0; call < 5; call += 1) {
    assertResponse(await callLarge(other, 40_000), 1);
    assertResponse(await callLarge(accounts[call % 3] as Caller, 40_000), 1);
  }
  assertResponse(await callLarge(other), 1);
});

/** Returns the `node:http` server of the service, which arrives with every request. */
async function serverOf(service: TestService): Promise<Server> {
  let found: Server | undefined;
  const note = (message: unknown) => {
    found = (message as { server: Server }).server;
  };
  subscribe("http.server.request.start", note);
  await service.send("/healthz");
  unsubscribe("http.server.request.start", note);
  return found as Server;
}

test("disconnects a client that does not read its responses", {
  timeout: 300_000,
}, async (t) => {
  const fixture = await openFixture(t);
  const server = await serverOf(fixture.service);
  assert.equal(server.timeout, SILENCE_MAX_MS);
  assert.equal(server.maxConnections, CONNECTIONS_MAX);
  // The same, with a timeout that a test can wait for.
  server.timeout = 300;
  const connected = once(server, "connection") as Promise<[Socket]>;
  const { socket } = fixture.open();
  socket.pause();
  const [peer] = await connected;
  const closed = once(peer, "close");
  const question = "GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  socket.write(question.repeat(2_000));
  await eventually("responses pile up", async () => peer.writableLength > 0);
  await closed;
  assert.equal((await fixture.service.send("/healthz")).status, 200);
});
