import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { openRaw, openRawService, rawPost } from "../http/raw-socket.ts";
import { peakMemoryMb, startServer, temporaryFolder } from "../http/server-process.ts";
import {
  assertProblem,
  assertResponse,
  type Caller,
  sha256,
  type TestService,
} from "../http/test-api.ts";

/** Malicious bodies over a real socket, and whether the connection is usable after the error. */
let service: TestService;
let port: number;
let caller: Caller;
let key: Record<string, string>;

before(async () => {
  ({ service, port, caller, key } = await openRawService());
});
after(() => service.close());

const MB = 1024 * 1024;
const post = (tool: string, body: string | Uint8Array, headers = {}) =>
  caller.post(tool, { body, headers });

test("JSON cut off anywhere is refused, never answered and never a fault of the service", async () => {
  const whole = new TextEncoder().encode('{"text":"añ😀\\u00e9","algorithm":"sha1"}');
  for (let length = 1; length < whole.length; length += 1) {
    const response = await post("hash", whole.subarray(0, length));
    assert.equal(response.status, 400, `${length}: ${response.text}`);
    assert.match(response.json().code, /^invalid_(json|utf8)$/);
  }
});

test("a body with any one byte changed gets a response or a client error, never a server error", async () => {
  const whole = new TextEncoder().encode('{"text":"añ😀","algorithm":"sha1"}');
  for (let at = 0; at < whole.length; at += 1) {
    for (const byte of [0, 0x22, 0x5c, 0x7b, 0x80, 0xff]) {
      const { status } = await post("hash", whole.with(at, byte));
      assert.ok(status === 200 || status === 400, `${at} ${byte}: ${status}`);
    }
  }
});

const DEEP: Record<string, string> = {
  "100,000 arrays": "[".repeat(100_000) + "]".repeat(100_000),
  "100,000 objects": `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
  "a million brackets that never close": "[".repeat(MB),
  "brackets behind an open string": `"${"[".repeat(MB - 10)}`,
  "a million quotes": '"'.repeat(MB),
  "half a million escaped quotes that never end": `"${'\\"'.repeat(MB / 2 - 1)}`,
  "a million backslashes, of which the last escapes the quote": `"${"\\".repeat(MB - 3)}"`,
  "quotes behind ever longer rows of backslashes": `"${Array.from({ length: 1_000 }, (_, at) => `${"\\".repeat(at)}"`).join("")}`,
  "a million commas": `[${",".repeat(MB - 2)}]`,
  "a number of a million digits and a letter": `${"1".repeat(MB - 1)}x`,
};

for (const [name, body] of Object.entries(DEEP)) {
  test(`${name}: invalid_json, soon`, { timeout: 10_000 }, async () => {
    assertProblem(await post("echo", body), "invalid_json");
  });
}

test("a string of a million escaped quotes and backslashes comes back as it was sent", async () => {
  const text = `"${'\\"\\\\'.repeat(MB / 4 - 1)}"`;
  const response = await post("echo", text);
  assertResponse(response, 1);
  assert.ok(response.text.endsWith(`,"body":${text}}`));
});

test("a number of a million digits comes back as it was sent", async () => {
  const digits = "9".repeat(MB);
  assert.ok((await post("echo", digits)).text.endsWith(`,"body":${digits}}`));
});

test("100,000 unknown fields are refused with a short answer", async () => {
  const fields = Array.from({ length: 100_000 }, (_, at) => `"f${at}":${at}`).join(",");
  const response = await post("hash", `{"text":"a",${fields}}`);
  const problem = assertProblem(response, "invalid_request");
  assert.ok(response.bytes.length < 10_000, String(response.bytes.length));
  assert.match(problem.detail, /99980 more/);
});

test("of a duplicate key the last counts, as in JSON.parse; both come back from echo", async () => {
  const body = '{"text":"a","text":"b"}';
  assert.equal(assertResponse(await post("hash", body)).hash, sha256("b"));
  assert.ok((await post("echo", body)).text.endsWith(`"body":${body}}`));
});

test("names that an object has from its prototype are unknown fields and pollute nothing", async () => {
  for (const name of [
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "valueOf",
  ]) {
    const problem = assertProblem(
      await post("hash", `{"text":"a","${name}":{"algorithm":"sha1"}}`),
      "invalid_request",
    );
    assert.equal(problem.errors[0].pointer, `/${name}`);
  }
  assertProblem(await post("hash", '{"__proto__":{"text":"a"}}'), "invalid_request");
  assert.equal(assertResponse(await post("hash", '{"text":"a"}')).algorithm, "SHA256");
});

test("numbers at the edges: 1e400 and -0 are no count, and stay what they are in echo", async () => {
  for (const count of [
    "1e400",
    "-1e400",
    "-0",
    "0.0",
    "1e-400",
    "9007199254740993",
    "1.0000000001",
  ]) {
    const problem = assertProblem(await post("uuid", `{"count":${count}}`), "invalid_request");
    assert.equal(problem.errors[0].pointer, "/count");
  }
});

test("keep-alive: one connection survives every kind of error", async () => {
  const raw = openRaw(port);
  const refused: [string, number][] = [
    [rawPost("/api/v1/hash", "{}"), 401],
    [rawPost("/api/v1/hash", "{}", { Authorization: "Bearer tb_x" }), 401],
    [rawPost("/api/v1/none", "{}", key), 404],
    [rawPost("/api/v1/hash", "{}", key).replace("POST", "PUT"), 405],
    [rawPost("/api/v1/hash", "{", key), 400],
    [rawPost("/api/v1/hash", "{}", key), 400],
    [rawPost("/api/v1/uuid", " ".repeat(70_000), key), 413],
    [
      rawPost("/api/v1/uuid", `4e20\r\n${" ".repeat(20_000)}\r\n0\r\n\r\n`, {
        ...key,
        "Transfer-Encoding": "chunked",
      }),
      413,
    ],
    [rawPost("/api/v1/hash", `{"text":"${"a".repeat(MB + 1)}"}`, key), 413],
    [rawPost("/api/v1/hash", "a=b", { ...key, "Content-Type": "application/xml" }), 415],
    [rawPost("/api/v1/hash", "{}", { ...key, "Content-Encoding": "br" }), 415],
    [rawPost("/api/v1/uuid", "{}", { ...key, "Idempotency-Key": "a b" }), 400],
    [rawPost("/nowhere", "{}"), 404],
  ];
  for (const [bytes, status] of refused) {
    raw.write(bytes);
    const response = await raw.response();
    assert.equal(response.status, status, response.text);
    raw.write(rawPost("/api/v1/echo", "1", key));
    assert.equal((await raw.response()).json().body, 1, `after ${status}`);
  }
  raw.socket.destroy();
});

test("pipelined requests get their responses in order, errors included", async () => {
  const raw = openRaw(port);
  const bodies = Array.from({ length: 50 }, (_, at) => (at % 3 === 2 ? "{" : String(at)));
  raw.write(bodies.map((body) => rawPost("/api/v1/echo", body, key)).join(""));
  for (const body of bodies) {
    const response = await raw.response();
    if (body === "{") assert.equal(response.status, 400);
    else assert.equal(response.json().body, Number(body));
  }
  raw.socket.destroy();
});

test("Expect: 100-continue is answered before the body; another expectation is passed over", async () => {
  const raw = openRaw(port);
  raw.write(rawPost("/api/v1/echo", "", { ...key, Expect: "100-continue", "Content-Length": "1" }));
  assert.equal((await raw.response()).status, 100);
  raw.write("7");
  assert.equal((await raw.response()).json().body, 7);
  raw.write(rawPost("/api/v1/echo", "8", { ...key, Expect: "the-unexpected" }));
  assert.equal((await raw.response()).json().body, 8);
  raw.socket.destroy();
});

/** A body of gzip that is `times` MB of blanks when inflated: one block of a MB that needs nothing of the ones before. */
function bomb(times: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(MB, 0x20), { finishFlush: constants.Z_FULL_FLUSH });
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  return Buffer.concat([head, ...Array.from({ length: times }, () => block), Buffer.from([3, 0])]);
}

test("a gzip body of 5 GB is refused soon, and the memory of the process stays flat", {
  timeout: 300_000,
}, async (t) => {
  const server = await startServer(t, { DATA_DIR: temporaryFolder(t), RATE_LIMIT: "0" });
  const headers = { Authorization: `Bearer ${await server.demoKey()}`, "Content-Encoding": "gzip" };
  const send = (tool: string, body: Buffer) =>
    fetch(`${server.base}/api/v1/${tool}`, { method: "POST", headers, body: new Uint8Array(body) });
  const gigabytes = bomb(5 * 1024);
  assert.ok(gigabytes.length < 6 * MB);
  const small = gigabytes.subarray(0, MB);
  for (let round = 0; round < 3; round += 1) await (await send("hash", gigabytes)).arrayBuffer();
  const before = peakMemoryMb(server.child.pid);
  for (let round = 0; round < 10; round += 1) {
    const responses = await Promise.all([
      send("hash", gigabytes),
      send("echo", small),
      send("echo", small),
    ]);
    for (const response of responses) {
      assert.equal(response.status, 413);
      assert.equal(((await response.json()) as { code: string }).code, "too_large");
    }
  }
  const after = peakMemoryMb(server.child.pid);
  if (before === null || after === null)
    return t.diagnostic("this system does not tell the memory of a process");
  t.diagnostic(`at most ${Math.round(before)} MB before, ${Math.round(after)} MB after`);
  assert.ok(after < before + 200, `${before} MB, then ${after} MB`);
  assert.equal((await server.end("SIGTERM")).code, 0);
});
