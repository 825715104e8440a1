import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HEADER_BYTES_MAX } from "#limits.ts";
import { openNodeSocket } from "../http/node-socket.ts";
import { assertRefused, openRaw, openRawService, rawPost } from "../http/raw-socket.ts";
import { type Caller, eventually, type TestService } from "../http/test-api.ts";

/** What comes over a connection that is no proper request, byte by byte, against the server of the real process. */
const TIMEOUTS = { headersTimeoutMs: 400, requestTimeoutMs: 1_000 };
let service: TestService;
let port: number;
let caller: Caller;
let key: Record<string, string>;

before(async () => {
  ({ service, port, caller, key } = await openRawService(TIMEOUTS));
});
after(() => service.close());

/** Sends bytes, asserts that they are refused, and that the connection is closed in order and with nothing more said. */
async function assertClosedWith(bytes: string | Uint8Array, status: number, code: string) {
  const raw = openRaw(port);
  raw.write(bytes);
  const response = await raw.response();
  assertRefused(response, status, code);
  assert.equal(response.headers.get("connection"), "close");
  assert.deepEqual(await raw.closed(), { rest: "", error: null });
}

const NOT_HTTP: Record<string, string | Uint8Array> = {
  "no HTTP": "EHLO mail.example\r\n\r\n",
  "a TLS handshake": Uint8Array.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]),
  "a header without a colon": "GET /healthz HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n",
  "a header with a null byte": "GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
  "a folded header": "GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
  "a space before the colon": "GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length : 2\r\n\r\n",
  "two lengths": rawPost("/api/v1/echo", "{}").replace("\r\n\r\n", "\r\nContent-Length: 3\r\n\r\n"),
  "a negative length": rawPost("/api/v1/echo", "{}", { "Content-Length": "-2" }),
  "a length that is no number": rawPost("/api/v1/echo", "{}", { "Content-Length": "2x" }),
  "a length and chunks": rawPost("/api/v1/echo", "{}").replace(
    "\r\n\r\n",
    "\r\nTransfer-Encoding: chunked\r\n\r\n",
  ),
  "a chunk of no size": rawPost("/api/v1/echo", "zz\r\n{}\r\n", { "Transfer-Encoding": "chunked" }),
  "a chunk longer than it says": rawPost("/api/v1/echo", "1\r\n{}\r\n0\r\n\r\n", {
    "Transfer-Encoding": "chunked",
  }),
  "an encoding of transfer that is unknown": rawPost("/api/v1/echo", "{}", {
    "Transfer-Encoding": "gzip",
  }),
  "no version": "GET /healthz\r\n\r\n",
  "version 3.7": "GET /healthz HTTP/3.7\r\nHost: a\r\n\r\n",
  "a method of no kind": "FETCH /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
  "a tunnel": "CONNECT a.example:80 HTTP/1.1\r\nHost: a.example\r\n\r\n",
  "a path with a space": "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
  "a path with bytes over 127": "GET /\u00ff HTTP/1.1\r\nHost: a\r\n\r\n",
  "a path with a backslash": "GET /api\\v1\\hash HTTP/1.1\r\nHost: a\r\n\r\n",
  "an asterisk": "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
  "no Host header": "GET /healthz HTTP/1.1\r\n\r\n",
  "two Host headers": "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
  "a Host header that is none": "GET /healthz HTTP/1.1\r\nHost: a b/<c>\r\n\r\n",
};

for (const [name, bytes] of Object.entries(NOT_HTTP)) {
  test(`${name}: 400 as a problem, and the connection is closed`, () =>
    assertClosedWith(
      typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes,
      400,
      "invalid_request",
    ));
}

test("headers over 32 KB: 431 as a problem, wherever they are too long", async () => {
  const long = "a".repeat(2 * HEADER_BYTES_MAX);
  await assertClosedWith(
    `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${long}\r\n\r\n`,
    431,
    "headers_too_large",
  );
  await assertClosedWith(`GET /${long} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, "headers_too_large");
  const many = Array.from({ length: 4000 }, (_, at) => `X-${at}: ${at}\r\n`).join("");
  await assertClosedWith(
    `GET /healthz HTTP/1.1\r\nHost: a\r\n${many}\r\n`,
    431,
    "headers_too_large",
  );
});

test("headers of 30 KB are read", async () => {
  const raw = openRaw(port);
  raw.write(`GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(30 * 1024)}\r\n\r\n`);
  assert.equal((await raw.response()).status, 200);
  raw.socket.destroy();
});

test("headers that never end: 408 as a problem", () =>
  assertClosedWith("POST /api/v1/hash HTTP/1.1\r\nHost: a\r\nX: ", 408, "request_timeout"));

test("a connection on which nothing ever comes is closed without a word", async () => {
  const raw = openRaw(port);
  const { rest } = await raw.closed();
  assert.ok(rest === "" || rest.startsWith("HTTP/1.1 408 "), rest);
});

test("a body that does not come in full: 408 as a problem, with a length and in chunks", async () => {
  await assertClosedWith(
    rawPost("/api/v1/echo", "{", { ...key, "Content-Length": "10" }),
    408,
    "request_timeout",
  );
  await assertClosedWith(
    rawPost("/api/v1/echo", "2\r\n[1\r\n", { ...key, "Transfer-Encoding": "chunked" }),
    408,
    "request_timeout",
  );
});

test("what is refused before its body is refused without waiting for the rest of it", async () => {
  const slow = { "Content-Length": "1000" };
  for (const [request, status, code] of [
    [
      rawPost("/api/v1/hash", "2\r\n[1\r\n", { "Transfer-Encoding": "chunked" }),
      401,
      "missing_key",
    ],
    [rawPost("/api/v1/hash", '{"text":', slow), 401, "missing_key"],
    [rawPost("/api/v1/nope", '{"text":', slow), 404, "not_found"],
  ] as const) {
    await assertClosedWith(request, status, code);
  }
});

test("a body that comes a byte at a time and never ends is cut off at the same time", async () => {
  const raw = openRaw(port);
  raw.write(rawPost("/api/v1/echo", "", { ...key, "Transfer-Encoding": "chunked" }));
  const drip = setInterval(() => raw.write("1\r\n1\r\n"), 20);
  try {
    assertRefused(await raw.response(), 408, "request_timeout");
  } finally {
    clearInterval(drip);
    raw.socket.destroy();
  }
});

test("a connection cut in the middle of a body costs nothing and leaves the service well", async () => {
  const before = await caller.balance();
  for (const headers of [
    { "Content-Length": "1000" },
    { "Transfer-Encoding": "chunked" },
  ] as Record<string, string>[]) {
    for (let round = 0; round < 10; round += 1) {
      const raw = openRaw(port);
      raw.write(rawPost("/api/v1/echo", "3e8\r\n[1,", { ...key, ...headers }));
      await new Promise((resolve) => setTimeout(resolve, round));
      if (round % 2 === 0) raw.socket.destroy();
      else raw.socket.resetAndDestroy();
    }
  }
  assert.equal((await caller.call("echo", 1)).status, 200);
  assert.equal(await caller.balance(), before - 1);
});

test("a client that never closes its side after an error is disconnected and does not delay a stop", async () => {
  const opened = await openNodeSocket({ rateLimit: 0 }, TIMEOUTS);
  const stubborn = [
    "NO HTTP\r\n\r\n",
    rawPost("/api/v1/echo", "", { "Content-Length": "99999999" }),
  ];
  const connections = stubborn.map((bytes) => {
    const raw = openRaw(opened.port);
    raw.socket.allowHalfOpen = true;
    raw.write(bytes);
    return raw;
  });
  for (const raw of connections) await raw.response();
  const started = Date.now();
  await opened.close();
  assert.ok(Date.now() - started < 10_000);
  for (const raw of connections) raw.socket.destroy();
});

test("an error of the parser is sent after the responses to the requests before it", async () => {
  for (const bad of ["NONSENSE\r\n\r\n", "POST /api"]) {
    const raw = openRaw(port);
    await service.trouble("hold_debits");
    raw.write(rawPost("/api/v1/echo", "1", key) + rawPost("/api/v1/echo", "2", key) + bad);
    // Requests of one connection run one after the other.
    await eventually("the first is held", async () => (await service.held()) === 1);
    // Longer than the time for headers, so that the error is due before the responses.
    await new Promise((resolve) => setTimeout(resolve, 700));
    await service.trouble("none");
    assert.equal((await raw.response()).json().body, 1);
    assert.equal((await raw.response()).json().body, 2);
    const refused = await raw.response();
    if (bad.startsWith("NO")) assertRefused(refused, 400, "invalid_request");
    else assertRefused(refused, 408, "request_timeout");
    assert.deepEqual(await raw.closed(), { rest: "", error: null });
  }
});
