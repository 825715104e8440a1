import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openRaw, openRawService, type RawResponse, rawPost } from "../http/raw-socket.ts";
import { type Caller, PUBLIC_URL, type TestService } from "../http/test-api.ts";

/** Addresses as bytes in the request line: what a client library would have put right on the way. */
let service: TestService;
let port: number;
let caller: Caller;

before(async () => {
  ({ service, port, caller } = await openRawService());
});
after(() => service.close());

async function post(target: string, headers: Record<string, string> = {}): Promise<RawResponse> {
  const raw = openRaw(port);
  raw.write(
    rawPost(target, '{"text":"a"}', {
      Authorization: `Bearer ${caller.key}`,
      Connection: "close",
      ...headers,
    }),
  );
  const response = await raw.response();
  raw.socket.destroy();
  return response;
}

const NOWHERE = [
  "/api/v1/hash/",
  "/api/v1/hash//",
  "//api/v1/hash",
  "/api//v1/hash",
  "/api/v1//hash",
  "/API/V1/HASH",
  "/api/v1/Hash",
  "/api/v1/hash.json",
  "/api/v1/hash;v=1",
  "/api/v1/hash%20",
  "/api/v1/hash%00",
  "/api/v1/hash%0d%0aX:1",
  "/api/v1/hash%zz",
  "/api/v1/%ff",
  "/api/v1/%",
  "/api/v1%2fhash",
  "/api/v1/..%2fhash",
  "/api/..;/api/v1/hash",
  "/api/v1/%2568ash",
  "/api/v1/*",
  "/api/v1/:tool",
  "/api/v1/__proto__",
  "/api/v1/constructor",
];

for (const target of NOWHERE) {
  test(`POST ${target} is 404: paths are exact`, async () => {
    const response = await post(target);
    assert.equal(response.status, 404, response.text);
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.equal(response.json().code, "not_found");
    for (const value of response.headers.values()) assert.ok(!value.includes("X:1"), value);
  });
}

/** Other ways to write the same address (RFC 3986, section 6.2.2). */
const SAME = [
  "/api/v1/hash?",
  "/api/v1/hash?algorithm=SHA-256",
  "/api/v1/hash?%61lgorithm=sha256",
  "/api/v1/hash#part",
  "/api/v1/%68ash",
  "/api/v1/h%61sh?algorithm=sha256",
  "/api/v1/./hash",
  "/api/v1/%2e/hash",
  "/api/v1/none/../hash",
  "/../api/v1/hash",
  "/docs/%2E%2e/api/v1/hash",
];

for (const target of SAME) {
  test(`POST ${target} is a call of hash`, async () => {
    const response = await post(target);
    assert.equal(response.status, 200, response.text);
    assert.equal(response.json().algorithm, "SHA256");
  });
}

for (const query of ["text=b", "%ff%", "%", "x", "x=/api/v1/echo"]) {
  test(`POST /api/v1/hash?${query} is a fault of the call, not of its path`, async () => {
    const response = await post(`/api/v1/hash?${query}`);
    assert.equal(response.status, 400, response.text);
    assert.equal(response.json().code, "invalid_request");
  });
}

test("an address in absolute form counts by its path, whatever host it names", async () => {
  for (const target of [
    "http://127.0.0.1/api/v1/hash",
    "http://elsewhere.example:81/api/v1/hash?algorithm=sha256",
    "https://user:pw@elsewhere.example/api/v1/hash",
  ]) {
    assert.equal((await post(target)).status, 200, target);
  }
  assert.equal((await post("http://127.0.0.1/api/v1/none")).status, 404);
  for (const target of [
    "ftp://127.0.0.1/api/v1/hash",
    "http://",
    "http://[/api/v1/hash",
    "127.0.0.1:80/api/v1/hash",
  ]) {
    const response = await post(target);
    assert.ok([400, 404, 405].includes(response.status), `${target}: ${response.status}`);
    assert.equal(response.json().ok, false);
  }
});

test("no answer repeats the Host header: links come from the settings", async () => {
  for (const host of [
    "evil.example",
    "evil.example:99999",
    "[::1]:80",
    "EVIL.example",
    "localhost",
    "1",
  ]) {
    for (const target of ["/api/v1/none", "/api/v1/hash"]) {
      const response = await post(target, {
        Host: host,
        "X-Forwarded-Host": "evil.example",
        Forwarded: "host=evil.example",
      });
      assert.ok(
        !`${response.text}${[...response.headers.values()]}`.toLowerCase().includes("evil"),
      );
      if (response.status === 404)
        assert.ok(response.json().type.startsWith(`${PUBLIC_URL}/docs/errors#`));
    }
  }
});

test("HTTP/1.0 is answered, without a Host header too, and the connection is closed", async () => {
  for (const host of ["", "Host: a\r\n"]) {
    const raw = openRaw(port);
    raw.write(`GET /healthz HTTP/1.0\r\n${host}\r\n`);
    const response = await raw.response();
    assert.equal(response.status, 200);
    assert.deepEqual(response.json(), { ok: true });
    assert.deepEqual(await raw.closed(), { rest: "", error: null });
  }
});

test("two Authorization headers on two lines are no key, whichever comes first", async () => {
  const [good, bad] = [`Authorization: Bearer ${caller.key}\r\n`, "Authorization: Bearer tb_x\r\n"];
  for (const lines of [good + bad, bad + good, good + good]) {
    const raw = openRaw(port);
    raw.write(rawPost("/api/v1/hash", "{}").replace("\r\n", `\r\n${lines}`));
    const response = await raw.response();
    assert.equal(response.status, 401);
    assert.equal(response.json().code, "invalid_key");
    raw.socket.destroy();
  }
});

test("TRACE is refused and repeats nothing", async () => {
  const raw = openRaw(port);
  raw.write(
    `TRACE /api/v1/hash HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${caller.key}\r\n\r\n`,
  );
  const response = await raw.response();
  assert.equal(response.status, 405);
  assert.ok(!response.text.includes(caller.key));
  raw.socket.destroy();
});

test("a wish to change the protocol is passed over", async () => {
  const raw = openRaw(port);
  raw.write(
    "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  );
  assert.equal((await raw.response()).status, 200);
  raw.write(
    "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
  );
  assert.equal((await raw.response()).status, 200);
  raw.socket.destroy();
});
