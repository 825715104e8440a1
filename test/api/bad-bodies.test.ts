import assert from "node:assert/strict";
import { request } from "node:http";
import { after, test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { ECHO_VALUE_BYTES_MAX, SPACE_BYTES } from "#limits.ts";
import { assertRefused, openRaw, rawPost, shareRawService } from "../http/raw-socket.ts";
import { peakMemoryMb, startServer, temporaryFolder } from "../http/server-process.ts";

/** Bodies that are rejected: the client gets its response, whichever way it sends, and keeps its connection where it can. */
const { port, caller, key, close } = await shareRawService();
after(close);

const MB = 1024 * 1024;
const ECHO_BODY_BYTES_MAX = ECHO_VALUE_BYTES_MAX + SPACE_BYTES;
/** Over the limit by 10 MB, and a whole number of the pieces in which it is sent. */
const OVER = 11 * MB;
const PIECE = Buffer.alloc(65_536, 0x20);
const PIECES = OVER / PIECE.length;

test("keep-alive: one connection survives every kind of error", async () => {
  const raw = openRaw(port);
  const uuid = (body: string, headers = {}) =>
    rawPost("/api/v1/uuid", body, { ...key, ...headers });
  const hash = (body: string, headers = {}) =>
    rawPost("/api/v1/hash", body, { ...key, ...headers });
  const chunked = { "Transfer-Encoding": "chunked" };
  const rejected: [request: string, status: number][] = [
    [rawPost("/api/v1/hash", "{}"), 401],
    [hash("{}", { Authorization: "Bearer tb_x" }), 401],
    [rawPost("/api/v1/none", "{}", key), 404],
    [rawPost("/nowhere", "{}"), 404],
    [hash("{}").replace("POST", "PUT"), 405],
    [hash("{"), 400],
    [hash("{}"), 400],
    [uuid("{}", { "Idempotency-Key": "a b" }), 400],
    [uuid(" ".repeat(70_000)), 413],
    [uuid(`4e20\r\n${" ".repeat(20_000)}\r\n0\r\n\r\n`, chunked), 413],
    [hash(`{"text":"${"a".repeat(MB + 1)}"}`), 413],
    [rawPost("/api/v1/echo", " ".repeat(ECHO_BODY_BYTES_MAX + 1), key), 413],
    [hash("a=b", { "Content-Type": "application/xml" }), 415],
    [hash("{}", { "Content-Encoding": "br" }), 415],
  ];
  for (const [bytes, status] of rejected) {
    raw.write(bytes);
    const response = await raw.response();
    assert.equal(response.status, status, response.text);
    assert.equal(response.headers.get("connection"), "keep-alive");
    raw.write(rawPost("/api/v1/echo", "1", key));
    const next = await raw.response();
    assert.equal(next.json().body, 1, `after ${status}: ${next.text}`);
  }
  raw.socket.destroy();
});

for (const chunked of [false, true]) {
  const how = chunked ? "in chunks" : "with its length";
  const length: Record<string, string> = chunked
    ? { "Transfer-Encoding": "chunked" }
    : { "Content-Length": String(OVER) };

  test(`a body over its limit by 10 MB, ${how}: fetch and node:http get the 413, and no reset after it`, async () => {
    for (let round = 0; round < 3; round += 1) {
      const response = await caller.post("echo", { body: new Uint8Array(OVER), chunked });
      assert.deepEqual([response.status, response.json().code], [413, "too_large"]);
      assert.equal(await sendWithNodeHttp(length), 413);
    }
  });

  test(`a body over its limit by 10 MB, ${how}: a client that reads only when all is sent gets the 413`, async () => {
    const raw = openRaw(port);
    raw.socket.pause();
    raw.write(rawPost("/api/v1/echo", "", { ...key, ...length }));
    const framed = Buffer.concat([Buffer.from("10000\r\n"), PIECE, Buffer.from("\r\n")]);
    for (let at = 0; at < PIECES; at += 1) raw.write(chunked ? framed : PIECE);
    await new Promise<void>((resolve) =>
      raw.socket.write(chunked ? "0\r\n\r\n" : "", () => resolve()),
    );
    raw.socket.resume();
    const response = await raw.response();
    assertRefused(response, 413, "too_large");
    assert.equal(response.headers.get("connection"), "close");
    assert.deepEqual(await raw.closed(), { rest: "", error: null });
  });
}

function sendWithNodeHttp(headers: Record<string, string>): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const to = { port, host: "127.0.0.1", path: "/api/v1/echo", method: "POST" };
  const sent = request({ ...to, headers: { ...key, ...headers } }, (response) => {
    response.resume().on("error", reject);
    sent.on("close", () => resolve(response.statusCode));
  });
  sent.on("error", reject);
  for (let at = 0; at < PIECES; at += 1) sent.write(PIECE);
  sent.end();
  return promise;
}

/** A body of gzip that is `times` MB of blanks when inflated: one block of a MB that needs nothing of the ones before. */
function bomb(times: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(MB, 0x20), { finishFlush: constants.Z_FULL_FLUSH });
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  return Buffer.concat([head, ...Array.from({ length: times }, () => block), Buffer.from([3, 0])]);
}

test("a gzip body of 5 GB is 413, and the memory of the process stays flat", async (t) => {
  const server = await startServer(t, { DATA_DIR: temporaryFolder(t), RATE_LIMIT: "0" });
  const headers = { Authorization: `Bearer ${await server.demoKey()}`, "Content-Encoding": "gzip" };
  const send = async (tool: string, body: Buffer) => {
    const sent = { method: "POST", headers, body: new Uint8Array(body) };
    const response = await fetch(`${server.base}/api/v1/${tool}`, sent);
    return [response.status, ((await response.json()) as { code: string }).code];
  };
  const gigabytes = bomb(5 * 1024);
  assert.ok(gigabytes.length < 6 * MB);
  const small = gigabytes.subarray(0, MB);
  await send("hash", gigabytes);
  const before = peakMemoryMb(server.child.pid);
  for (let round = 0; round < 3; round += 1) {
    const bodies = [send("hash", gigabytes), send("echo", small), send("echo", small)];
    for (const response of await Promise.all(bodies))
      assert.deepEqual(response, [413, "too_large"]);
  }
  const after = peakMemoryMb(server.child.pid);
  if (before === null || after === null)
    return t.diagnostic("this system does not tell the memory of a process");
  t.diagnostic(`at most ${Math.round(before)} MB before, ${Math.round(after)} MB after`);
  assert.ok(after < before + 200, `${before} MB, then ${after} MB`);
  assert.equal((await server.end("SIGTERM")).code, 0);
});
