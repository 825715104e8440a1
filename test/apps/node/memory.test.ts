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
  const opened = await openNodeSocket({ rateLimit: 0 }, memory && { memory });
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

/** Starts a call that sends all but the last byte of its body, and this on demand. */
function startLarge(fixture: Fixture, { key }: Caller, bytes = LARGE_BODY_BYTES) {
  const raw = fixture.open();
  const headers = { Authorization: `Bearer ${key}`, "Content-Length": String(bytes) };
  raw.write(rawPost(PATH, BODY.padEnd(bytes - 1), headers));
  return {
    raw,
    finish() {
      raw.write(" ");
      return raw.response();
    },
  };
}

/** A call whose body keeps coming for two minutes, just fast enough, so that the server does not give up on it. */
function startSlow(fixture: Fixture, { key }: Caller) {
  const raw = fixture.open();
  const rest = 120 * SLOW_BYTES;
  const headers = { Authorization: `Bearer ${key}`, "Content-Length": String(LARGE_BODY_BYTES) };
  raw.write(rawPost(PATH, BODY.padEnd(LARGE_BODY_BYTES - rest), headers));
  const timer = setInterval(() => raw.write(" ".repeat(SLOW_BYTES)), 1_000);
  raw.socket.on("close", () => clearInterval(timer));
  return { raw };
}

/** Each second; the server demands 4 KB in five of them. */
const SLOW_BYTES = 1_536;

const callLarge = (caller: Caller, bytes = LARGE_BODY_BYTES) =>
  caller.post("markdown-render", { body: BODY.padEnd(bytes) });

/**
 * Waits until the large calls that were just started hold their memory. The probing call may itself take the place of one of
 * them, which is then rejected and started again.
 */
async function untilFull(
  caller: Caller,
  started: ReturnType<typeof startLarge>[] = [],
  startAgain: () => ReturnType<typeof startLarge> = () => assert.fail(),
): Promise<void> {
  await eventually("the memory budget is used up", async () => {
    const response = await callLarge(caller, 20_000);
    if (response.status === 200) {
      for (const [place, { raw }] of started.entries())
        if (raw.socket.bytesRead > 0) started[place] = startAgain();
      return false;
    }
    const problem = assertProblem(response, "unavailable");
    assert.match(response.header("retry-after") ?? "", /^[1-9]\d*$/);
    assert.match(problem.detail, /not charged/);
    return true;
  });
}

test("an account can have a limited number of large calls at once; the next gets 503 uncharged until one ends", {
  timeout: 300_000,
}, async (t) => {
  const fixture = await openFixture(t);
  const [caller, other] = [
    await createCaller(fixture.service),
    await createCaller(fixture.service),
  ];
  const started = Array.from({ length: NODE_MEMORY.callsPerAccount }, () =>
    startLarge(fixture, caller, 20_000),
  );
  await untilFull(caller, started, () => startLarge(fixture, caller, 20_000));
  const before = await caller.balance();
  for (const body of [undefined, BODY]) {
    const small = await caller.post("echo", { body });
    assertResponse(small, 1);
  }
  assertResponse(await callLarge(other), 1);
  await untilFull(caller);
  assert.equal(await caller.balance(), before - 2, "only the small calls were charged");

  const [left, ...rest] = started;
  left?.raw.socket.destroy();
  await eventually("the aborted call has ended", async () => {
    const { status } = await callLarge(caller, 20_000);
    return status === 200;
  });
  const responses = await Promise.all(rest.map(({ finish }) => finish()));
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  // The same number as at first, so no memory was leaked from the budget.
  const again = await Promise.all(
    Array.from({ length: NODE_MEMORY.callsPerAccount }, () => callLarge(caller, 20_000)),
  );
  for (const response of again) assertResponse(response, 1);
});

test("large calls of all accounts together share a memory budget, which is released", {
  timeout: 300_000,
}, async (t) => {
  const memory = { ...NODE_MEMORY, bytes: 40 * MB, bytesPerAccount: 16 * MB };
  const fixture = await openFixture(t, memory);
  const callers: Caller[] = [];
  const started: ReturnType<typeof startSlow>[] = [];
  const perAccount = Math.min(
    memory.callsPerAccount,
    Math.floor(memory.bytesPerAccount / LARGE_BODY_BYTES),
  );
  const inAll = Math.floor(memory.bytes / LARGE_BODY_BYTES);
  while (started.length < inAll) {
    const caller = await createCaller(fixture.service);
    callers.push(caller);
    for (let call = 0; call < perAccount && started.length < inAll; call += 1) {
      started.push(startSlow(fixture, caller));
    }
  }
  const last = await createCaller(fixture.service);
  const isUsedUp = async () => {
    if ((await callLarge(last)).status === 503) return true;
    // The call took the place of one that had begun later.
    for (const [place, { raw }] of started.entries()) {
      const caller = callers[Math.floor(place / perAccount)] as Caller;
      if (raw.socket.bytesRead > 0) started[place] = startSlow(fixture, caller);
    }
    return false;
  };
  // Each round sends a megabyte, for which a busy machine takes long.
  await eventually("the memory budget is used up", isUsedUp, 120_000);
  const refused = await callLarge(last);
  assert.match(
    assertProblem(refused, "unavailable").detail,
    /service is already handling as many large calls/,
  );
  assert.match(refused.header("retry-after") ?? "", /^[1-9]\d*$/);
  assertResponse(await last.post("echo", { body: BODY }), 1);

  for (const { raw } of started) raw.socket.destroy();
  await eventually("there is room", async () => (await callLarge(last)).status === 200);
  for (const caller of callers) assertResponse(await callLarge(caller), 1);
});

test("stalled bodies take no memory from others, whatever length they announce", {
  timeout: 300_000,
}, async (t) => {
  const fixture = await openFixture(t);
  const accounts = [];
  for (let count = 0; count < 3; count += 1) accounts.push(await createCaller(fixture.service));
  const stalled = accounts.flatMap(({ key }) =>
    Array.from({ length: NODE_MEMORY.callsPerAccount }, () => {
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
  await eventually("answers pile up", async () => peer.writableLength > 0);
  await closed;
  assert.equal((await fixture.service.send("/healthz")).status, 200);
});
