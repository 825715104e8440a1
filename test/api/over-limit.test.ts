import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { ECHO_VALUE_BYTES_MAX, SPACE_BYTES } from "#limits.ts";
import { assertRefused, openRaw, openRawService, rawPost } from "../http/raw-socket.ts";
import type { Caller, TestService } from "../http/test-api.ts";

/** Bodies over their limit: the client gets its 413, whichever way it sends, and keeps its connection where it can. */
let service: TestService;
let port: number;
let caller: Caller;
let key: Record<string, string>;

before(async () => {
  ({ service, port, caller, key } = await openRawService());
});
after(() => service.close());

const ECHO_BODY_BYTES_MAX = ECHO_VALUE_BYTES_MAX + SPACE_BYTES;
/** Over by 10 MB, and a whole number of the pieces in which it is sent. */
const OVER = 11 * 1024 * 1024;

test("a body over its limit by one byte is refused and the connection lives", async () => {
  const raw = openRaw(port);
  for (let round = 0; round < 3; round += 1) {
    raw.write(rawPost("/api/v1/echo", " ".repeat(ECHO_BODY_BYTES_MAX + 1), key));
    const response = await raw.response();
    assertRefused(response, 413, "too_large");
    assert.equal(response.headers.get("connection"), "keep-alive");
  }
  raw.write(rawPost("/api/v1/echo", "1", key));
  assert.equal((await raw.response()).status, 200);
  raw.socket.destroy();
});

for (const chunked of [false, true]) {
  const how = chunked ? "in chunks" : "with its length";
  const piece = Buffer.alloc(65_536, 0x20);
  const pieces = OVER / piece.length;

  test(`a body over its limit by 10 MB, ${how}: fetch gets the 413`, async () => {
    for (let round = 0; round < 5; round += 1) {
      const response = await caller.post("echo", { body: new Uint8Array(OVER), chunked });
      assert.equal(response.status, 413);
      assert.equal(response.json().code, "too_large");
    }
  });

  test(`a body over its limit by 10 MB, ${how}: node:http gets the 413, and no reset after it`, async () => {
    for (let round = 0; round < 5; round += 1) {
      const length: Record<string, string> = chunked ? {} : { "Content-Length": String(OVER) };
      const status = await new Promise((resolve, reject) => {
        const sent = request(
          {
            port,
            host: "127.0.0.1",
            path: "/api/v1/echo",
            method: "POST",
            headers: { ...key, ...length },
          },
          (response) => {
            response.resume();
            response.on("error", reject);
            sent.on("close", () => resolve(response.statusCode));
          },
        );
        sent.on("error", reject);
        for (let at = 0; at < pieces; at += 1) sent.write(piece);
        sent.end();
      });
      assert.equal(status, 413);
    }
  });

  test(`a body over its limit by 10 MB, ${how}: who reads only when all is sent gets the 413`, async () => {
    const raw = openRaw(port);
    raw.socket.pause();
    raw.write(
      rawPost("/api/v1/echo", "", {
        ...key,
        ...(chunked ? { "Transfer-Encoding": "chunked" } : { "Content-Length": String(OVER) }),
      }),
    );
    for (let at = 0; at < pieces; at += 1)
      raw.write(
        chunked ? Buffer.concat([Buffer.from("10000\r\n"), piece, Buffer.from("\r\n")]) : piece,
      );
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
