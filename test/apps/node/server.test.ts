import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { makeKey } from "#accounts/key-format.ts";
import { BAD_KEYS_BURST } from "#calls/bad-keys.ts";
import type { NodeServerOptions } from "../../../src/apps/node/server.ts";
import { nodeSocket, openNodeSocket } from "../../http/node-socket.ts";
import { openRaw, type RawConnection } from "../../http/raw-socket.ts";
import { createCaller, eventually, openService, SECRETS } from "../../http/test-api.ts";

/** What one client can take from others: connections, queries of the ledger, and what only the operator may read. */
const RATE = { rateLimit: 0 };

async function openFixture(t: TestContext, options: Partial<NodeServerOptions> = {}) {
  const opened = await openNodeSocket(RATE, options);
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
  return { service, open };
}

const HEALTH = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

test("a connection beyond the maximum is closed and counted, and the others go on", async (t) => {
  let dropped = 0;
  const { open } = await openFixture(t, {
    connectionsMax: 2,
    onConnectionDropped() {
      dropped += 1;
    },
  });
  const isServed = async (raw: RawConnection) => {
    raw.write(HEALTH);
    return (await raw.response()).status === 200;
  };
  const [first, second] = [open(), open()];
  for (const raw of [first, second]) assert.ok(await isServed(raw));
  assert.equal((await open().closed()).rest, "");
  assert.equal(dropped, 1);
  for (const raw of [first, second]) assert.ok(await isServed(raw));
  first.socket.destroy();
  await eventually("a new connection is served", () => isServed(open()).catch(() => false));
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
