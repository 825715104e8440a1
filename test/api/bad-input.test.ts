import assert from "node:assert/strict";
import { after, test } from "node:test";
import { HEADER_BYTES_MAX } from "#limits.ts";
import {
  assertClosedWith,
  assertRefused,
  openRaw,
  openRawService,
  type RawResponse,
  rawPost,
  sendRaw,
  shareRawService,
} from "../http/raw-socket.ts";
import { eventually, PUBLIC_URL } from "../http/test-api.ts";

/** Requests as bytes on a connection, which a client library would have put right or not sent: heads, addresses, time-outs. */
const TIMEOUTS = { headersTimeoutMs: 2_000, requestTimeoutMs: 3_000 };
const { port, caller, key, close } = await shareRawService();
// For what does not arrive. A request that does might be late on a busy machine.
const impatient = await openRawService(TIMEOUTS);
after(() => Promise.all([close(), impatient.close()]));

const post = (target: string, headers: Record<string, string> = {}): Promise<RawResponse> =>
  sendRaw(port, rawPost(target, '{"text":"a"}', { ...key, Connection: "close", ...headers }));

const CHUNKED = { "Transfer-Encoding": "chunked" };
const echo = (body: string, headers: Record<string, string> = {}) =>
  rawPost("/api/v1/echo", body, headers);
const get = (...lines: string[]) => `GET /healthz HTTP/1.1\r\nHost: a\r\n${lines.join("")}\r\n`;

const NOT_HTTP: Record<string, string | Uint8Array> = {
  "no HTTP": "EHLO mail.example\r\n\r\n",
  "a TLS handshake": Uint8Array.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]),
  "a header without a colon": get("nonsense\r\n"),
  "a header with a null byte": get("X: a\0b\r\n"),
  "a folded header": get("X: a\r\n b\r\n"),
  "a space before the colon": get("Content-Length : 2\r\n"),
  "two lengths": echo("{}").replace("\r\n\r\n", "\r\nContent-Length: 3\r\n\r\n"),
  "a negative length": echo("{}", { "Content-Length": "-2" }),
  "a length that is no number": echo("{}", { "Content-Length": "2x" }),
  "a length and chunks": echo("{}").replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n"),
  "a chunk without a size": echo("zz\r\n{}\r\n", CHUNKED),
  "a chunk longer than it says": echo("1\r\n{}\r\n0\r\n\r\n", CHUNKED),
  "an unknown transfer encoding": echo("{}", { "Transfer-Encoding": "gzip" }),
  "no version": "GET /healthz\r\n\r\n",
  "version 3.7": "GET /healthz HTTP/3.7\r\nHost: a\r\n\r\n",
  "an unknown method": "FETCH /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
  "a tunnel": "CONNECT a.example:80 HTTP/1.1\r\nHost: a.example\r\n\r\n",
  "a path with a space": "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
  "a path with bytes over 127": "GET /\u00ff HTTP/1.1\r\nHost: a\r\n\r\n",
  "a path with a backslash": "GET /api\\v1\\hash HTTP/1.1\r\nHost: a\r\n\r\n",
  "an asterisk": "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
  "no Host header": "GET /healthz HTTP/1.1\r\n\r\n",
  "two Host headers": get("Host: a\r\n"),
  "a Host header that names no host": "GET /healthz HTTP/1.1\r\nHost: a b/<c>\r\n\r\n",
};

for (const [name, bytes] of Object.entries(NOT_HTTP)) {
  test(`${name} is a problem with status 400, and the connection is closed`, () => {
    const sent = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
    return assertClosedWith(port, sent, 400, "invalid_request");
  });
}

test("headers of 30 KB are read, and over 32 KB are a problem with status 431", async () => {
  assert.equal((await sendRaw(port, get(`X: ${"a".repeat(30 * 1024)}\r\n`))).status, 200);
  const long = "a".repeat(2 * HEADER_BYTES_MAX);
  const many = Array.from({ length: 4000 }, (_, at) => `X-${at}: ${at}\r\n`).join("");
  for (const head of [get(`X: ${long}\r\n`), get(many), get().replace("healthz", long)])
    await assertClosedWith(port, head, 431, "headers_too_large");
});

const NOWHERE = [
  ...["/api/v1/hash/", "/api/v1/hash//", "//api/v1/hash", "/api//v1/hash", "/api/v1//hash"],
  ...["/API/V1/HASH", "/api/v1/Hash", "/api/v1/hash.json", "/api/v1/hash;v=1", "/api/v1/hash%20"],
  ...["/api/v1/hash%00", "/api/v1/hash%0d%0aX:1", "/api/v1/hash%zz", "/api/v1/%ff", "/api/v1/%"],
  ...["/api/v1%2fhash", "/api/v1/..%2fhash", "/api/..;/api/v1/hash", "/api/v1/%2568ash"],
  ...["/api/v1/*", "/api/v1/:tool", "/api/v1/__proto__", "/api/v1/constructor"],
  "http://127.0.0.1/api/v1/none",
];

/** Other ways to write the same address (RFC 3986, section 6.2.2), with whatever host it names. */
const SAME = [
  ...["/api/v1/hash?", "/api/v1/hash?algorithm=SHA-256", "/api/v1/hash?%61lgorithm=sha256"],
  ...["/api/v1/hash#part", "/api/v1/%68ash", "/api/v1/h%61sh?algorithm=sha256", "/api/v1/./hash"],
  ...["/api/v1/%2e/hash", "/api/v1/none/../hash", "/../api/v1/hash", "/docs/%2E%2E/api/v1/hash"],
  "http://127.0.0.1/api/v1/hash",
  "http://elsewhere.example:81/api/v1/hash?algorithm=sha256",
  "https://user:pw@elsewhere.example/api/v1/hash",
];

test("paths are exact: every other one is 404", async () => {
  for (const target of NOWHERE) {
    const response = await post(target);
    assertRefused(response, 404, "not_found");
    for (const value of response.headers.values()) assert.ok(!value.includes("X:1"), value);
  }
});

test("a URL in another spelling or in absolute form is the same URL", async () => {
  for (const target of SAME) {
    const response = await post(target);
    assert.equal(response.status, 200, `${target} ${response.text}`);
    assert.equal(response.json().algorithm, "SHA256");
  }
});

test("a wrong query is an error of the call, and a wrong URL is never an error of the service", async () => {
  for (const query of ["text=b", "%ff%", "%", "x", "x=/api/v1/echo"])
    assertRefused(await post(`/api/v1/hash?${query}`), 400, "invalid_request");
  const wrong = ["ftp://127.0.0.1/api/v1/hash", "http://", "http://[/api/v1/hash"];
  for (const target of [...wrong, "127.0.0.1:80/api/v1/hash"]) {
    const response = await post(target);
    assert.ok([400, 404, 405].includes(response.status), `${target}: ${response.status}`);
    assert.equal(response.json().ok, false);
  }
});

test("no response repeats the Host header: links come from the settings", async () => {
  const forwarded = { "X-Forwarded-Host": "evil.example", Forwarded: "host=evil.example" };
  for (const Host of ["evil.example", "evil.example:99999", "[::1]:80", "EVIL.example", "1"]) {
    const [none, hash] = [
      await post("/api/v1/none", { Host, ...forwarded }),
      await post("/api/v1/hash", { Host, ...forwarded }),
    ];
    for (const { text, headers } of [none, hash])
      assert.doesNotMatch(`${text}${[...headers.values()]}`, /evil/i);
    assert.ok(none.json().type.startsWith(`${PUBLIC_URL}/docs/errors#`));
  }
});

test("HTTP/1.0 gets a response, without a Host header too, and the connection is closed", async () => {
  for (const host of ["", "Host: a\r\n"]) {
    const raw = openRaw(port);
    raw.write(`GET /healthz HTTP/1.0\r\n${host}\r\n`);
    assert.deepEqual((await raw.response()).json(), { ok: true });
    assert.deepEqual(await raw.closed(), { rest: "", error: null });
  }
});

test("two Authorization headers on two lines are not a key, whichever comes first", async () => {
  const [good, bad] = [`Authorization: Bearer ${caller.key}\r\n`, "Authorization: Bearer tb_x\r\n"];
  for (const lines of [good + bad, bad + good, good + good]) {
    const request = rawPost("/api/v1/hash", "{}").replace("\r\n", `\r\n${lines}`);
    assertRefused(await sendRaw(port, request), 401, "invalid_key");
  }
});

test("TRACE is rejected and repeats nothing, and a request to upgrade is ignored", async () => {
  const trace = rawPost("/api/v1/hash", "", key).replace("POST", "TRACE");
  const response = await sendRaw(port, trace);
  assert.equal(response.status, 405);
  assert.ok(!response.text.includes(caller.key));
  const raw = openRaw(port);
  const h2c = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
  for (const wish of ["Connection: Upgrade\r\nUpgrade: websocket\r\n", h2c]) {
    raw.write(get(wish));
    assert.equal((await raw.response()).status, 200);
  }
  raw.socket.destroy();
});

test("a request that is rejected before its body is read does not wait for the rest of it", async () => {
  const slow = { "Content-Length": "1000" };
  for (const [request, status, code] of [
    [rawPost("/api/v1/hash", "2\r\n[1\r\n", CHUNKED), 401, "missing_key"],
    [rawPost("/api/v1/hash", '{"text":', slow), 401, "missing_key"],
    [rawPost("/api/v1/nope", '{"text":', slow), 404, "not_found"],
  ] as const)
    await assertClosedWith(port, request, status, code);
});

test("a connection cut in the middle of a body costs nothing and does not harm the service", async () => {
  const before = await caller.balance();
  for (const headers of [{ "Content-Length": "1000" }, CHUNKED] as Record<string, string>[]) {
    for (let round = 0; round < 10; round += 1) {
      const raw = openRaw(port);
      raw.write(echo("3e8\r\n[1,", { ...key, ...headers }));
      await new Promise((resolve) => setTimeout(resolve, round));
      if (round % 2 === 0) raw.socket.destroy();
      else raw.socket.resetAndDestroy();
    }
  }
  assert.equal((await caller.call("echo", 1)).status, 200);
  assert.equal(await caller.balance(), before - 1);
});

test("headers or a body that do not arrive in full are a problem with status 408", async () => {
  await Promise.all(
    [
      "POST /api/v1/hash HTTP/1.1\r\nHost: a\r\nX: ",
      echo("{", { ...impatient.key, "Content-Length": "10" }),
      echo("2\r\n[1\r\n", { ...impatient.key, ...CHUNKED }),
    ].map((bytes) => assertClosedWith(impatient.port, bytes, 408, "request_timeout")),
  );
  const raw = openRaw(impatient.port);
  const { rest } = await raw.closed();
  assert.ok(rest === "" || rest.startsWith("HTTP/1.1 408 "), "nothing ever comes");
});

test("a body that comes a byte at a time and never ends is cut off at the same time", async () => {
  const raw = openRaw(impatient.port);
  raw.write(echo("", { ...impatient.key, ...CHUNKED }));
  const drip = setInterval(() => raw.write("1\r\n1\r\n"), 20);
  try {
    assertRefused(await raw.response(), 408, "request_timeout");
  } finally {
    clearInterval(drip);
    raw.socket.destroy();
  }
});

test("a client that never closes its side after an error does not delay a stop", async () => {
  const opened = await openRawService(TIMEOUTS);
  const requests = ["NO HTTP\r\n\r\n", echo("", { "Content-Length": "99999999" })];
  const connections = requests.map((bytes) => {
    const raw = openRaw(opened.port);
    raw.socket.allowHalfOpen = true;
    raw.write(bytes);
    return raw;
  });
  for (const raw of connections) await raw.response();
  // It would never end.
  await opened.close();
  for (const raw of connections) raw.socket.destroy();
});

test("an error of the parser is sent after the responses to the requests before it", async () => {
  const { service } = impatient;
  for (const [bad, status] of [
    ["NONSENSE\r\n\r\n", 400],
    ["POST /api", 408],
  ] as const) {
    const raw = openRaw(impatient.port);
    await service.trouble("hold_debits");
    raw.write(echo("1", impatient.key) + echo("2", impatient.key) + bad);
    // Requests of one connection run one after the other.
    await eventually("the first is held", async () => (await service.held()) === 1);
    // Longer than the time for headers, so that the error is due before the responses.
    if (status === 408) await new Promise((resolve) => setTimeout(resolve, 2_300));
    await service.trouble("none");
    for (const body of [1, 2]) assert.equal((await raw.response()).json().body, body);
    const code = status === 400 ? "invalid_request" : "request_timeout";
    assertRefused(await raw.response(), status, code);
    assert.deepEqual(await raw.closed(), { rest: "", error: null });
  }
});
