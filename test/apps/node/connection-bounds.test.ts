import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { makeKey } from "#accounts/key-format.ts";
import { BAD_KEYS_BURST } from "#api/pipeline/bad-keys.ts";
import type { ConnectionBoundOptions } from "../../../src/apps/node/connection-bounds.ts";
import type { ConnectionEvent } from "../../../src/apps/node/connection-limits.ts";
import { nodeSocket, openNodeSocket } from "../../http/node-socket.ts";
import { openRaw, type RawConnection, rawPost } from "../../http/raw-socket.ts";
import { createCaller, eventually, openService, SECRETS } from "../../http/test-api.ts";

/** What one peer can take from others: connections, questions to the ledger, and what only the operator may read. */
const RATE = { rateLimit: 0 };

async function openFixture(t: TestContext, options: ConnectionBoundOptions = {}) {
  const events: ConnectionEvent[] = [];
  const onConnectionClosed = (event: ConnectionEvent) => void events.push(event);
  const opened = await openNodeSocket(RATE, { newMs: 0, ...options, onConnectionClosed });
  const service = await openService({ ...nodeSocket, open: async () => opened }, RATE);
  const connections: RawConnection[] = [];
  t.after(async () => {
    for (const { socket } of connections) socket.destroy();
    await service.close();
  });
  const open = () => {
    const raw = openRaw(opened.port);
    connections.push(raw);
    return raw;
  };
  return {
    service,
    events,
    open,
    /** Opens a connection, and leaves it idle after a response. */
    async openIdle() {
      const raw = open();
      raw.write(HEALTH);
      assert.equal((await raw.response()).status, 200);
      return raw;
    },
    /** Opens connections with a call each that does not end before `release`. */
    async openBusy(count: number) {
      const caller = await createCaller(service);
      const key = { Authorization: `Bearer ${caller.key}` };
      await service.trouble("hold_debits");
      const busy = Array.from({ length: count }, open);
      for (const raw of busy) raw.write(rawPost("/api/v1/echo", "{}", key));
      await eventually("they wait for the ledger", async () => (await service.held()) === count);
      return {
        async release() {
          await service.trouble("none");
          for (const raw of busy) assert.equal((await raw.response()).status, 200);
        },
      };
    },
  };
}

const HEALTH = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

test("over the bound of a peer, its oldest idle connection is closed, and the newest is served", async (t) => {
  const { openIdle, events } = await openFixture(t, { connectionsPerPeer: 3 });
  const [first, second] = [await openIdle(), await openIdle(), await openIdle()];
  await openIdle();
  await first.closed();
  await openIdle();
  await second.closed();
  const idle = { bound: "peer", connection: "idle" };
  assert.deepEqual(events, [idle, idle]);
});

test("if none of them is idle, the newest connection gets 429 and is closed", async (t) => {
  const { open, openBusy, events } = await openFixture(t, { connectionsPerPeer: 2 });
  const busy = await openBusy(2);
  const newest = open();
  newest.write(HEALTH);
  const response = await newest.response();
  assert.equal(response.status, 429);
  assert.equal(response.json().code, "rate_limited");
  assert.equal(response.json().limitSource, "connections");
  assert.equal(response.headers.get("retry-after"), "1");
  assert.equal(response.headers.get("connection"), "close");
  assert.equal((await newest.closed()).rest, "");
  await busy.release();
  assert.deepEqual(events, [{ bound: "peer", connection: "new" }]);
});

test("proxies are exempt from it; over the bound of all, idle connections make room", async (t) => {
  const { open, openIdle, openBusy, events } = await openFixture(t, {
    connectionsPerPeer: 1,
    // A hundred of them are kept for connections that are told why they are closed.
    connectionsMax: 104,
    isProxy: (address) => address.endsWith("127.0.0.1"),
  });
  const idle = [await openIdle(), await openIdle()];
  const busy = await openBusy(2);
  assert.deepEqual(events, []);
  const served = open();
  served.write(HEALTH);
  assert.equal((await served.response()).status, 200);
  for (const raw of idle) await raw.closed();
  const more = await openIdle();
  const last = await openIdle();
  for (const raw of [served, more, last]) raw.socket.destroy();
  await busy.release();
  assert.ok(events.every(({ bound, connection }) => bound === "all" && connection === "idle"));
});

test("if none of all is idle, the newest connection gets 503: others are new or have a call under way", async (t) => {
  const options = { connectionsMax: 103, newMs: 60_000 };
  const { open, openIdle, openBusy, events } = await openFixture(t, options);
  await openIdle();
  const busy = await openBusy(2);
  const newest = open();
  newest.write(HEALTH);
  const response = await newest.response();
  assert.equal(response.status, 503);
  assert.equal(response.json().code, "unavailable");
  assert.equal(response.headers.get("retry-after"), "1");
  assert.equal((await newest.closed()).rest, "");
  await busy.release();
  assert.deepEqual(events, [{ bound: "all", connection: "new" }]);
});

test("when connections without a request reach the bound, a newcomer is served, and calls under way go on", async (t) => {
  const { openIdle, openBusy, open, events } = await openFixture(t, { connectionsMax: 130 });
  const busy = await openBusy(5);
  for (let count = 0; count < 40; count += 1) await openIdle();
  // Also those that have never sent a request.
  for (let count = 0; count < 40; count += 1) open();
  await openIdle();
  await busy.release();
  assert.ok(events.length > 0);
  assert.ok(events.every(({ connection }) => connection === "idle"));
});

test("keys that are rejected without a question are counted", async (t) => {
  const { service } = await openFixture(t);
  const { account } = await createCaller(service);
  const statuses: number[] = [];
  // The throttle allows one more every few seconds, and this machine may be busy.
  while (statuses.length < 10 * BAD_KEYS_BURST && !statuses.includes(429)) {
    const headers = { Authorization: `Bearer ${makeKey(account, SECRETS, randomBytes)}` };
    statuses.push((await service.send("/api/v1/account", { headers })).status);
  }
  assert.deepEqual(new Set(statuses), new Set([401, 429]));
  const { text } = await service.send("/metrics");
  assert.match(text, /^toolbooth_throttled_keys_total 1$/m);
});

test("/metrics answers a loopback Host alone, without CORS, whatever the page that asks", async (t) => {
  const { open } = await openFixture(t);
  const raw = open();
  const ask = async (host: string, more = "") => {
    raw.write(`GET /metrics HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`);
    const response = await raw.response();
    const cors = [...response.headers.keys()].filter((name) => name.startsWith("access-control"));
    assert.deepEqual(cors, [], host);
    return response.status;
  };
  const origin = "Origin: http://evil.example\r\n";
  for (const host of ["127.0.0.1", "127.0.0.1:8787", "localhost:1", "[::1]", "LOCALHOST"]) {
    assert.equal(await ask(host), 200, host);
    assert.equal(await ask(host, origin), 200, host);
  }
  for (const host of [
    "public.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "10.0.0.1",
  ]) {
    assert.equal(await ask(host), 404, host);
    assert.equal(await ask(host, origin), 404, host);
  }
});
