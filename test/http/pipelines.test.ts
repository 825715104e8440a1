import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openDataFolder } from "../../src/apps/node/data-folder.ts";
import { openRaw, openRawService, type RawResponse, rawPost } from "./raw-socket.ts";
import { startServer, temporaryFolder } from "./server-process.ts";
import { eventually } from "./test-api.ts";

/**
 * Calls behind each other on one connection. Whatever closes the connection, and however many calls there are, as many are charged
 * as get a complete 200. A server "MUST NOT process any further requests received on that connection" after a response with
 * `Connection: close` (RFC 9112, section 9.6).
 */
const service = await openRawService({ requestTimeoutMs: 2_000, headersTimeoutMs: 2_000 });
test.after(() => service.service.close());

const call = (headers: Record<string, string> = {}) =>
  rawPost("/api/v1/hash", '{"text":"a"}', { ...service.key, ...headers });
const asHttp10 = (request: string) => request.replace(" HTTP/1.1\r\n", " HTTP/1.0\r\n");
const large = (markdown: string) =>
  rawPost("/api/v1/markdown-render", JSON.stringify({ markdown }), service.key);

/** Requests of which each closes its connection, with the status that it gets. */
const CLOSING: [name: string, request: string, status: number | null][] = [
  ["a client's own Connection: close", call({ Connection: "close" }), 200],
  ["HTTP/1.0", asHttp10(call()), 200],
  [
    "a large call with Connection: close",
    large("a *b*\n\n".repeat(30_000)).replace("\r\n", "\r\nConnection: close\r\n"),
    200,
  ],
  ["a rejected Expect", call({ Expect: "100-continue", "Content-Type": "image/png" }), 415],
  [
    "a rejected Expect without a key",
    rawPost("/api/v1/hash", '{"text":"a"}', { Expect: "100-continue" }),
    401,
  ],
  ["a body over the limit", call({ "Content-Length": "100000000" }), 413],
  ["a body that does not arrive", call({ "Content-Length": "50000" }), 408],
  ["headers that are too large", call({ "X-Large": "a".repeat(40_000) }), 431],
  ["bytes that are no request", "\x00\r\n\r\n", 400],
  ["a second Content-Length", call({ "Content-length": "3" }), 400],
  ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 400],
];

/** All responses until the server closes the connection, which it must not reset. */
async function readAll(raw: ReturnType<typeof openRaw>): Promise<RawResponse[]> {
  const responses: RawResponse[] = [];
  for (;;) {
    const response = await raw.response().catch(() => null);
    if (response === null) break;
    responses.push(response);
  }
  assert.deepEqual(await raw.closed(), { rest: "", error: null });
  return responses;
}

const successes = (responses: readonly RawResponse[]) =>
  responses.filter(({ status }) => status === 200).length;

/** Waits until no call of the connection is under way. */
async function spentSince(before: number): Promise<number> {
  let last = Number.NaN;
  await eventually("the ledger is quiet", async () => {
    const now = await service.caller.balance();
    const isQuiet = now === last;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return isQuiet;
  });
  return before - last;
}

for (const [name, closing, status] of CLOSING)
  for (const [ahead, behind] of [
    [0, 9],
    [1, 1],
    [9, 40],
  ] as const)
    test(`${ahead} calls, then ${name}, then ${behind} calls: as many are charged as get a response`, async () => {
      const before = await service.caller.balance();
      const raw = openRaw(service.port);
      raw.write(call().repeat(ahead) + closing + call().repeat(behind));
      const responses = await readAll(raw);
      const statuses = responses.map((each) => each.status);
      assert.deepEqual(statuses.slice(0, ahead), new Array(ahead).fill(200));
      assert.equal(statuses[ahead], status);
      assert.equal(responses.length, ahead + 1);
      assert.equal(responses.at(-1)?.headers.get("connection"), "close");
      assert.equal(await spentSince(before), successes(responses));
    });

test("a connection that nothing closes serves every pipelined call in order, of all sizes", async () => {
  const before = await service.caller.balance();
  const raw = openRaw(service.port);
  const many = Array.from({ length: 300 }, (_, at) =>
    at % 50 === 7
      ? large("a *b*\n\n".repeat(20_000))
      : rawPost("/api/v1/echo", `${at}`, service.key),
  );
  raw.write(many.join(""));
  for (const at of many.keys()) {
    const response = await raw.response();
    assert.equal(response.status, 200, response.text);
    if (at % 50 !== 7) assert.equal(response.json().body, at);
  }
  raw.socket.destroy();
  assert.equal(await spentSince(before), many.length);
});

const HALF_CLOSED: [name: string, requests: string[]][] = [
  ["one call", [call()]],
  ["ten calls", new Array(10).fill(call())],
  ["a large body", [large("a *b*\n\n".repeat(100_000))]],
  ["a large body between small ones", [call(), large("a *b*\n\n".repeat(100_000)), call()]],
  [
    "a chunked body",
    [
      `${rawPost("/api/v1/hash", "", { ...service.key, "Transfer-Encoding": "chunked" })}c\r\n{"text":"a"}\r\n0\r\n\r\n`,
    ],
  ],
  ["HTTP/1.0", [asHttp10(call())]],
  ["a message of MCP", [mcpCall()]],
];

function mcpCall(): string {
  const params = { name: "hash", arguments: { text: "a" } };
  return rawPost("/mcp", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }), {
    ...service.key,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
  });
}

for (const [name, requests] of HALF_CLOSED)
  test(`a client that ends its side after its requests gets their responses: ${name}`, async () => {
    const before = await service.caller.balance();
    const raw = openRaw(service.port);
    raw.socket.end(requests.join(""));
    const responses = await readAll(raw);
    assert.deepEqual(
      responses.map(({ status }) => status),
      requests.map(() => 200),
      responses.at(-1)?.text,
    );
    assert.equal(await spentSince(before), requests.length);
  });

for (const [name, bytes, statuses] of [
  ["nothing", "", []],
  ["a part of a head", "POST /api/v1/hash HTTP/1.1\r\nHost: a", [400]],
  ["a part of a body", call({ "Content-Length": "50000" }), [400]],
  ["a call and a part of another", call() + call().slice(0, 60), [200]],
] as const)
  test(`a client that ends its side after ${name} has its connection closed`, async () => {
    const raw = openRaw(service.port);
    raw.socket.end(bytes);
    assert.deepEqual(
      (await readAll(raw)).map(({ status }) => status),
      statuses,
    );
  });

test("a client that ends its side of an idle connection has it closed", async () => {
  const raw = openRaw(service.port);
  raw.write(call());
  assert.equal((await raw.response()).status, 200);
  raw.socket.end();
  assert.deepEqual(await raw.closed(), { rest: "", error: null });
});

/** The credits that were debited in a ledger whose server has stopped, without the free first call. */
async function spent(dataDir: string): Promise<number> {
  const driver = openDataFolder(dataDir);
  try {
    const { totals } = await openSqliteDirect(driver).ledger.audit({ now: Date.now() });
    return totals.debited - totals.reversed;
  } finally {
    driver.close();
  }
}

for (const depth of [1, 10, 100])
  test(`at a stop ${depth} calls behind each other all get their responses, and none but the last one closes`, async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const server = await startServer(t, {
      DATA_DIR,
      RATE_LIMIT: "0",
      TOOLBOOTH_STARTER_CREDITS: "100000",
    });
    const key = { Authorization: `Bearer ${await server.demoKey()}` };
    const request = rawPost("/api/v1/hash", '{"text":"a"}', key);
    const connections = Array.from({ length: 8 }, () => openRaw(server.port));
    for (const raw of connections) {
      raw.write(request);
      assert.equal((await raw.response()).status, 200);
    }
    for (const raw of connections) raw.write(request.repeat(depth));
    const ended = server.end("SIGTERM");
    let received = connections.length;
    for (const raw of connections) {
      const responses = await readAll(raw);
      received += successes(responses);
      // The last one has left before the stop if it does not close.
      for (const each of responses.slice(0, -1))
        assert.equal(each.headers.get("connection"), "keep-alive");
    }
    assert.deepEqual(await ended, { code: 0, signal: null });
    assert.equal(await spent(DATA_DIR), received - 1);
  });

test("a call whose connection is reset after the debit began stays charged, is counted, and is replayed under its key", async () => {
  const before = await service.caller.balance();
  const key: [string, string] = ["idempotency-key", "lost"];
  const repeat = () => service.caller.post("hash", { body: '{"text":"a"}', headers: [key] });
  await service.service.trouble("hold_debits");
  const raw = openRaw(service.port);
  raw.write(call({ "Idempotency-Key": "lost" }));
  // Its debit has begun.
  await eventually("the call is running", async () => (await repeat()).status === 409);
  raw.socket.resetAndDestroy();
  // The server has seen the reset when it responds to what was sent after it.
  assert.equal((await service.caller.post("hash", { body: "[" })).status, 400);
  await service.service.trouble("none");
  const metrics = `http://127.0.0.1:${service.port}/metrics`;
  await eventually("it is counted", async () =>
    /^toolbooth_calls_not_delivered_total\{tool="hash"\} 1$/m.test(
      await (await fetch(metrics)).text(),
    ),
  );
  const response = await repeat();
  assert.equal(response.status, 200);
  assert.equal(response.header("idempotency-replayed"), "true");
  assert.equal(await spentSince(before), 1);
});
