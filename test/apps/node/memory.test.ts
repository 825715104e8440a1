import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  bodyBytesFor,
  CONNECTIONS_MAX,
  MARKDOWN_BYTES_MAX,
  type MemoryLimits,
  NODE_MEMORY,
  SILENCE_MAX_MS,
} from "#limits.ts";
import type { App } from "../../../src/api/app.ts";
import { startNodeServer } from "../../../src/apps/node/server.ts";
import { nodeSocket, openNodeSocket } from "../../http/node-socket.ts";
import { openRaw, type RawConnection, rawPost } from "../../http/raw-socket.ts";
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

/** The bytes of the buffers that are in use, once those that are not were collected. */
async function heldBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let times = 0; times < 3; times += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().arrayBuffers;
}

test("large bodies without a key are not held in memory", async (t) => {
  const fixture = await openFixture(t);
  const head = rawPost(PATH, "", { "Content-Length": String(LARGE_BODY_BYTES) });
  const body = Buffer.alloc(LARGE_BODY_BYTES - 1, "a");
  const before = await heldBytes();
  const connections = Array.from({ length: 20 }, () => fixture.open());
  for (const raw of connections) {
    raw.write(head);
    raw.write(body);
  }
  // The server takes the bodies for a moment, and then responds to those that are not complete.
  for (const { socket } of connections)
    await eventually("it is taken", async () => socket.destroyed || socket.writableLength === 0);
  // What is just being read is let go within a few turns. What is held stays.
  let held = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 10 && held >= LARGE_BODY_BYTES; times += 1)
    held = (await heldBytes()) - before;
  assert.ok(held < LARGE_BODY_BYTES, `${held} bytes of ${connections.length * body.length}`);
  assert.equal((await fixture.service.send("/healthz")).status, 200, "others are served");
  for (const raw of connections) {
    if (!raw.socket.destroyed) raw.write("a");
    // A connection that is closed while the client sends is reset.
    const response = await raw.response().catch(() => null);
    assert.ok(response === null || response.status === 401);
  }
});

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

test("an account that holds as much memory as it may gets 503 uncharged, and others do not", async (t) => {
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

test("the large calls of all accounts together share the memory, and free it", async (t) => {
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

test("stalled bodies take no memory from others, whatever length they announce", async (t) => {
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

test("a client that waits for its response keeps its connection, however long the call takes", async (t) => {
  const gate = Promise.withResolvers<void>();
  const app = {
    calls: new Map(),
    fetch: () => gate.promise.then(() => new Response("late")),
  } as unknown as App;
  const { port, stop } = await startNodeServer(() => app, { host: "127.0.0.1", port: 0 });
  t.after(() => stop(25_000));
  const asked = Promise.withResolvers<Socket>();
  const note = (message: unknown) => asked.resolve((message as { socket: Socket }).socket);
  subscribe("http.server.request.start", note);
  const raw = openRaw(port);
  t.after(() => raw.socket.destroy());
  raw.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  const peer = await asked.promise;
  unsubscribe("http.server.request.start", note);
  const silent = once(peer, "timeout");
  peer.setTimeout(20);
  await silent;
  gate.resolve();
  assert.equal((await raw.response()).text, "late");
});

test("disconnects a client that does not read its responses", async (t) => {
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
