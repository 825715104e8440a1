import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openDataFolder } from "../../src/apps/node/data-folder.ts";
import { openSqliteDirect } from "../support/sqlite-direct.ts";
import {
  openRaw,
  openRawService,
  type RawResponse,
  rawPost,
  shareRawService,
} from "./raw-socket.ts";
import { startServer, temporaryFolder } from "./server-process.ts";
import { createCaller, eventually } from "./test-api.ts";

/**
 * Calls behind each other on one connection. Whatever closes the connection, and however many calls there are, as many are charged
 * as get a complete 200. A server "MUST NOT process any further requests received on that connection" after a response with
 * `Connection: close` (RFC 9112, section 9.6).
 */
const patient = await shareRawService();
/** For what does not arrive. */
const impatient = await openRawService({ requestTimeoutMs: 2_000, headersTimeoutMs: 2_000 });
after(() => Promise.all([patient.close(), impatient.close()]));
const { service, port } = patient;

/** An account with credits to waste, and its calls as bytes. */
async function openAccount({ service } = patient) {
  const caller = await createCaller(service, { credits: 10_000 });
  const key = { Authorization: `Bearer ${caller.key}` };
  const of =
    (path: string) =>
    (body: string, headers: Record<string, string> = {}) =>
      rawPost(path, body, { ...key, ...headers });
  return {
    caller,
    key,
    call: (headers = {}) => of("/api/v1/hash")('{"text":"a"}', headers),
    echo: of("/api/v1/echo"),
    hash: of("/api/v1/hash"),
    mcp: of("/mcp"),
    large: (lines: number, headers = {}) =>
      of("/api/v1/markdown-render")(
        JSON.stringify({ markdown: "a *b*\n\n".repeat(lines) }),
        headers,
      ),
    /** Waits until no call of the connection is under way. */
    async spent(): Promise<number> {
      let last = Number.NaN;
      await eventually("the ledger is quiet", async () => {
        const now = await caller.balance();
        const isQuiet = now === last;
        last = now;
        await new Promise((resolve) => setTimeout(resolve, 20));
        return isQuiet;
      });
      return 10_000 - last;
    },
  };
}
type Account = Awaited<ReturnType<typeof openAccount>>;

const asHttp10 = (request: string) => request.replace(" HTTP/1.1\r\n", " HTTP/1.0\r\n");

/** Requests of which each closes its connection, with the status that it gets. */
const CLOSING: [name: string, request: (account: Account) => string, status: number][] = [
  ["a client's own Connection: close", ({ call }) => call({ Connection: "close" }), 200],
  ["HTTP/1.0", ({ call }) => asHttp10(call()), 200],
  [
    "a large call with Connection: close",
    ({ large }) => large(30_000, { Connection: "close" }),
    200,
  ],
  [
    "a rejected Expect",
    ({ call }) => call({ Expect: "100-continue", "Content-Type": "image/png" }),
    415,
  ],
  ["an Expect without a key", () => rawPost("/api/v1/hash", "{}", { Expect: "100-continue" }), 401],
  ["a body over the limit", ({ call }) => call({ "Content-Length": "100000000" }), 413],
  ["a body that does not arrive", ({ call }) => call({ "Content-Length": "50000" }), 408],
  ["headers that are too large", ({ call }) => call({ "X-Large": "a".repeat(40_000) }), 431],
  ["bytes that are no request", () => "\x00\r\n\r\n", 400],
  ["a second Content-Length", ({ call }) => call({ "Content-length": "3" }), 400],
  ["CONNECT", () => "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 400],
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

const statusesOf = (responses: readonly RawResponse[]) => responses.map(({ status }) => status);
const successes = (responses: readonly RawResponse[]) =>
  responses.filter(({ status }) => status === 200).length;

for (const [name, closing, status] of CLOSING)
  test(`as many calls are charged as get a response, before and behind ${name}`, async () => {
    const depths = [
      [0, 9],
      [1, 1],
      [9, 40],
    ] as const;
    await Promise.all(
      depths.map(async ([ahead, behind]) => {
        const server = status === 408 ? impatient : patient;
        const account = await openAccount(server);
        const { call, spent } = account;
        const raw = openRaw(server.port);
        raw.write(call().repeat(ahead) + closing(account) + call().repeat(behind));
        const responses = await readAll(raw);
        assert.deepEqual(statusesOf(responses), [...new Array(ahead).fill(200), status]);
        assert.equal(responses.at(-1)?.headers.get("connection"), "close");
        assert.equal(await spent(), successes(responses));
      }),
    );
  });

test("a connection that nothing closes serves every pipelined call in order, large ones and errors too", async () => {
  const { large, echo, spent } = await openAccount();
  const raw = openRaw(port);
  const many = Array.from({ length: 200 }, (_, at) =>
    at % 50 === 7 ? large(20_000) : echo(at % 3 === 2 ? "{" : `${at}`),
  );
  raw.write(many.join(""));
  let good = 0;
  for (const at of many.keys()) {
    const response = await raw.response();
    const isWrong = at % 50 !== 7 && at % 3 === 2;
    assert.equal(response.status, isWrong ? 400 : 200, response.text);
    if (response.status === 200) good += 1;
    if (at % 50 !== 7 && !isWrong) assert.equal(response.json().body, at);
  }
  raw.socket.destroy();
  assert.equal(await spent(), good);
});

const mcpCall = ({ mcp }: Account) => {
  const params = { name: "hash", arguments: { text: "a" } };
  return mcp(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }), {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
  });
};

const CHUNKED = { "Transfer-Encoding": "chunked" };

test("a client that ends its side after its requests gets their responses", async () => {
  const kinds: ((account: Account) => string[])[] = [
    ({ call }) => new Array(10).fill(call()),
    ({ call, large }) => [call(), large(60_000), call()],
    ({ large }) => [large(60_000)],
    ({ hash }) => [`${hash("", CHUNKED)}c\r\n{"text":"a"}\r\n0\r\n\r\n`],
    ({ call }) => [asHttp10(call())],
    (account) => [mcpCall(account)],
  ];
  for (const requestsOf of kinds) {
    const account = await openAccount();
    const requests = requestsOf(account);
    const raw = openRaw(port);
    raw.socket.end(requests.join(""));
    const responses = await readAll(raw);
    assert.equal(successes(responses), requests.length, responses.at(-1)?.text);
    assert.equal(await account.spent(), requests.length);
  }
});

test("a client that ends its side before a request is complete has its connection closed", async () => {
  const { call } = await openAccount();
  for (const [bytes, statuses] of [
    ["", []],
    ["POST /api/v1/hash HTTP/1.1\r\nHost: a", [400]],
    [call({ "Content-Length": "50000" }), [400]],
  ] as const) {
    const raw = openRaw(port);
    raw.socket.end(bytes);
    assert.deepEqual(statusesOf(await readAll(raw)), statuses);
  }
  const raw = openRaw(port);
  raw.socket.end(call() + call().slice(0, 60));
  // The end may arrive after the first response has left, and then the half request gets its error.
  const [first, ...others] = statusesOf(await readAll(raw));
  assert.equal(first, 200);
  assert.ok(["", "400"].includes(others.join()), `${others}`);
  const idle = openRaw(port);
  idle.write(call());
  assert.equal((await idle.response()).status, 200);
  idle.socket.end();
  assert.deepEqual(await idle.closed(), { rest: "", error: null });
});

/** The credits that were debited in a ledger whose server has stopped, without the free first call. */
async function spentIn(dataDir: string): Promise<number> {
  const driver = openDataFolder(dataDir);
  try {
    const { totals } = await openSqliteDirect(driver).ledger.audit({ now: Date.now() });
    return totals.debited - totals.reversed;
  } finally {
    driver.close();
  }
}

test("when the server stops, pipelined calls all get their responses, and only the last one closes", async (t) => {
  const DATA_DIR = temporaryFolder(t);
  const settings = { RATE_LIMIT: "0", TOOLBOOTH_STARTER_CREDITS: "100000" };
  const server = await startServer(t, { DATA_DIR, ...settings });
  const key = { Authorization: `Bearer ${await server.demoKey()}` };
  const request = rawPost("/api/v1/hash", '{"text":"a"}', key);
  const connections = Array.from({ length: 9 }, () => openRaw(server.port));
  for (const raw of connections) {
    raw.write(request);
    assert.equal((await raw.response()).status, 200);
  }
  for (const [at, raw] of connections.entries()) raw.write(request.repeat(10 ** (at % 3)));
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
  assert.equal(await spentIn(DATA_DIR), received - 1);
});

async function lostCalls(): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const count = /^toolbooth_calls_not_delivered_total\{tool="hash"\} (\d+)$/m.exec(metrics);
  return Number(count?.[1] ?? 0);
}

test("a call whose connection is reset after the debit began stays charged, is counted, and is replayed under its key", async () => {
  const { caller, call, spent } = await openAccount();
  const key: [string, string] = ["idempotency-key", "lost"];
  const repeat = () => caller.post("hash", { body: '{"text":"a"}', headers: [key] });
  const before = await lostCalls();
  await service.trouble("hold_debits");
  const raw = openRaw(port);
  raw.write(call({ "Idempotency-Key": "lost" }));
  await eventually("its debit has begun", async () => (await service.held()) === 1);
  assert.equal((await repeat()).status, 409);
  raw.socket.resetAndDestroy();
  // The server has seen the reset when it responds to what was sent after it.
  assert.equal((await caller.post("hash", { body: "[" })).status, 400);
  await service.trouble("none");
  await eventually("it is counted", async () => (await lostCalls()) === before + 1);
  const response = await repeat();
  assert.equal(response.status, 200);
  assert.equal(response.header("idempotency-replayed"), "true");
  assert.equal(await spent(), 1);
});
