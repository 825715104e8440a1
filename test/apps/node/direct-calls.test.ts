import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { type TestContext, test } from "node:test";
import type { Call } from "#api/app.ts";
import { KEEP_ALIVE_MS, SILENCE_MAX_MS } from "#limits.ts";
import { openRaw, rawPost } from "../../http/raw-socket.ts";
import { eventually } from "../../http/test-api.ts";
import { startReflecting } from "./direct-calls-fixture.ts";

/**
 * Connections that are read without `node:http`: times, bounds, and the hand-over. That requests are read as `node:http` reads
 * them is shown by `direct-calls-fuzz.test.ts`; the same tests run with and without it in `test/http/direct-calls.test.ts`.
 */
const POST = rawPost("/api/v1/hash", "{}");

/** A server whose calls wait, and the sockets of these calls. */
async function openWaiting(t: TestContext) {
  const sockets: IncomingMessage["socket"][] = [];
  const released = Promise.withResolvers<void>();
  const call: Call = async (request, connection) => {
    sockets.push((connection as IncomingMessage).socket);
    await released.promise;
    const bytes = await request.arrayBuffer();
    return { status: 200, headers: {}, body: String(bytes.byteLength) };
  };
  const server = await startReflecting({ directCalls: true, call });
  const raw = openRaw(server.port);
  t.after(async () => {
    released.resolve();
    raw.socket.destroy();
    await server.stop();
  });
  const begun = (count: number) =>
    eventually("calls have begun", async () => sockets.length === count);
  return { server, raw, sockets, begun, release: released.resolve };
}

test("calls of fetch are read without node:http, so tests that call through it cover the reader", async (t) => {
  const server = await startReflecting({ directCalls: true });
  t.after(server.stop);
  for (const direct of [1, 2]) {
    const url = `http://127.0.0.1:${server.port}/api/v1/hash`;
    const headers = { "Content-Type": "application/json", Authorization: "Bearer tb_key" };
    const response = await fetch(url, { method: "POST", headers, body: "{}" });
    assert.match(await response.text(), /"body":"{}"/);
    assert.equal(server.direct(), direct);
  }
});

test("an idle connection is closed as late as by node:http, and not while it is used", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const server = await startReflecting({ directCalls: true });
  t.after(server.stop);
  const [used, idle] = [openRaw(server.port), openRaw(server.port)];
  for (const raw of [used, idle]) {
    raw.write(POST);
    await raw.response();
  }
  t.mock.timers.tick(KEEP_ALIVE_MS);
  used.write(POST);
  assert.equal((await used.response()).status, 200);
  assert.equal(idle.socket.readyState, "open");
  t.mock.timers.tick(2_000);
  assert.deepEqual(await idle.closed(), { rest: "", error: null });
  used.write(POST);
  assert.equal((await used.response()).status, 200);
  assert.deepEqual([server.direct(), server.calls()], [4, 4]);
  used.socket.destroy();
});

test("a call keeps its connection open for as long as node:http allows silence", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { raw, begun, release } = await openWaiting(t);
  raw.write(POST);
  await begun(1);
  t.mock.timers.tick(SILENCE_MAX_MS - 1_000);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(raw.socket.readyState, "open");
  t.mock.timers.tick(3_000);
  assert.equal((await raw.closed()).rest, "");
  release();
});

test("what a client sends during a call waits, is bounded, and is answered in order", async (t) => {
  const { server, raw, sockets, begun, release } = await openWaiting(t);
  raw.write(POST);
  await begun(1);
  const count = 2_000;
  const bodies = Array.from({ length: count }, (_, index) => "x".repeat(index % 100));
  const flood = Buffer.from(
    bodies
      .map((body) => rawPost("/api/v1/hash", body))
      .join("")
      .repeat(4),
  );
  raw.write(flood);
  const [socket] = sockets;
  await eventually("it is not read further", async () => socket?.isPaused() === true);
  assert.ok((socket?.bytesRead ?? 0) < flood.byteLength / 2, `${socket?.bytesRead}`);
  assert.equal(server.calls(), 1);
  release();
  for (const expected of ["{}", ...bodies])
    assert.equal((await raw.response()).text, String(expected.length));
  // The connection stays with node:http.
  assert.equal(server.direct(), 1);
});

test("a connection that was handed over stays with node:http", async (t) => {
  const server = await startReflecting({ directCalls: true });
  const raw = openRaw(server.port);
  t.after(async () => {
    raw.socket.destroy();
    await server.stop();
  });
  const sent: [string, number][] = [
    [POST, 1],
    [POST, 2],
    [rawPost("/api/v1/hash?a=b", "{}"), 2],
    [POST, 2],
  ];
  for (const [request, direct] of sent) {
    raw.write(request);
    assert.equal((await raw.response()).status, 200);
    assert.equal(server.direct(), direct);
  }
  assert.equal(server.calls(), 3);
});

test("a client that ends its side during a call loses the response, as with node:http", async (t) => {
  for (const directCalls of [true, false]) {
    const released = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const call: Call = async () => {
      begun.resolve();
      await released.promise;
      return { status: 200, headers: {}, body: "late" };
    };
    const server = await startReflecting({ directCalls, call });
    t.after(server.stop);
    const raw = openRaw(server.port);
    raw.write(POST);
    await begun.promise;
    raw.socket.end();
    assert.deepEqual(await raw.closed(), { rest: "", error: null });
    released.resolve();
    assert.equal(server.direct(), directCalls ? 1 : 0);
  }
});

test("a call that fails and a response that breaks off close the connection", async (t) => {
  const failing: Call[] = [
    () => Promise.reject(new Error("failed")),
    async () => {
      const start = (controller: ReadableStreamDefaultController<Uint8Array>) =>
        controller.error(new Error("broken off"));
      const body = new ReadableStream<Uint8Array>({ start });
      return { status: 200, headers: { "Content-Length": "100" }, body };
    },
  ];
  for (const call of failing) {
    const server = await startReflecting({ directCalls: true, call });
    t.after(server.stop);
    const raw = openRaw(server.port);
    raw.write(POST);
    assert.doesNotMatch((await raw.closed()).rest, /\r\n\r\n./s);
    assert.equal(server.direct(), 1);
  }
});
