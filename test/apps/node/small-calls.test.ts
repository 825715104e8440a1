import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import type { ApiResponse, HandleCall } from "#calls/exchange.ts";
import { KEEP_ALIVE_MS } from "#limits.ts";
import { respondToSmallCall } from "../../../src/apps/node/small-calls.ts";
import { listen } from "../../support/ports.ts";

/** The adapter between `node:http` and the pipeline. That it behaves as the one for web objects is shown by `test/http/`. */
const HEADERS = { "Content-Type": "application/json", "X-One": "1" };

type Served = { incoming: IncomingMessage; outgoing: ServerResponse; isTaken: boolean };

async function serve(t: TestContext, call: HandleCall) {
  const calls = new Map([["/api/v1/hash", call]]);
  const served: Served[] = [];
  const server = createServer((incoming, outgoing) => {
    const isTaken = respondToSmallCall(calls, incoming, outgoing);
    served.push({ incoming, outgoing, isTaken });
    if (!isTaken) outgoing.end("other");
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const socket = connect(await listen(server), "127.0.0.1");
  t.after(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  let received = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
  });
  const receive = async (end: string) => {
    while (!received.toString().endsWith(end)) {
      await Promise.race([once(socket, "data"), once(socket, "close")]);
      if (socket.destroyed) break;
    }
    const text = received.toString();
    received = Buffer.alloc(0);
    return text;
  };
  return { socket, served, receive };
}

const post = (body: string, more = "", path = "/api/v1/hash") =>
  `POST ${path} HTTP/1.1\r\nHost: a.example\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;

const respondWith =
  (response: Omit<ApiResponse, "headers">): HandleCall =>
  async () => ({ ...response, headers: { ...HEADERS } });

test("texts, bytes, errors and last responses are complete", async (t) => {
  const rows: [ApiResponse["status"], ApiResponse["body"], string, string][] = [
    [200, "ä€😀", "", "ä€😀"],
    [200, new TextEncoder().encode("bytes"), "", "bytes"],
    [400, "wrong", "", "wrong"],
    [200, "last", "Connection: close\r\n", "last"],
    [200, new Response("a stream").body, "", "a stream"],
  ];
  for (const [status, body, more, text] of rows) {
    const { socket, receive } = await serve(t, respondWith({ status, body }));
    socket.write(post("{}", more));
    const isChunked = text === "a stream";
    const response = await receive(isChunked ? "\r\n0\r\n\r\n" : text);
    assert.ok(response.startsWith(`HTTP/1.1 ${status} `), response);
    assert.match(response, more === "" ? /^Connection: keep-alive\r$/m : /^Connection: close\r$/m);
    if (isChunked) assert.ok(response.includes(text), response);
    else assert.match(response, new RegExp(`^Content-Length: ${Buffer.byteLength(text)}\r$`, "m"));
  }
});

test("a body is read in pieces; without one, nothing is waited for", async (t) => {
  const call: HandleCall = async (request) => {
    const bytes = new Uint8Array(await request.arrayBuffer());
    return { status: 200, headers: {}, body: `${new TextDecoder().decode(bytes)}.` };
  };
  const { socket, receive } = await serve(t, call);
  const [head, body] = [post("abc").slice(0, -2), "bc"];
  socket.write(head);
  await new Promise((resolve) => setTimeout(resolve, 20));
  socket.write(body);
  assert.match(await receive("abc."), /\r\n\r\nabc\.$/);
  socket.write("POST /api/v1/hash HTTP/1.1\r\nHost: a.example\r\n\r\n");
  assert.match(await receive("."), /\r\n\r\n\.$/);
});

test("a client that goes away before its body is complete ends the call; after it, the body is read", async (t) => {
  const read = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const call: HandleCall = async (request) => {
    begun.resolve();
    await goOn.promise;
    const text = request.arrayBuffer().then((bytes) => new TextDecoder().decode(bytes));
    text.then(read.resolve, (error: Error) => read.resolve(error.message));
    return { status: 200, headers: {}, body: "" };
  };
  for (const [sent, expected] of [
    ["abc", "abc"],
    ["ab", "The connection was closed"],
  ] as const) {
    Object.assign(read, Promise.withResolvers<string>());
    Object.assign(begun, Promise.withResolvers<void>());
    Object.assign(goOn, Promise.withResolvers<void>());
    const { socket, served } = await serve(t, call);
    socket.write(post("abc").slice(0, -3) + sent);
    await begun.promise;
    socket.destroy();
    const { incoming } = served[0] as Served;
    while (!incoming.destroyed) await new Promise((resolve) => setImmediate(resolve));
    goOn.resolve();
    assert.equal(await read.promise, expected);
  }
});

test("headers are found in any case, and several are joined", async (t) => {
  const found: (string | null)[] = [];
  const call: HandleCall = async ({ headers }) => {
    for (const name of ["X-One", "x-two", "none"]) found.push(headers.get(name));
    return { status: 200, headers: {}, body: "." };
  };
  const { socket, receive } = await serve(t, call);
  socket.write(post("", "x-one: 1\r\nX-TWO: a\r\nx-Two:  b \r\n"));
  await receive(".");
  assert.deepEqual(found, ["1", "a, b", null]);
});

test("whatever is unusual is left to the adapter of web objects", async (t) => {
  const rows: [string, string][] = [
    ["another method", "PUT /api/v1/hash HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["another path", post("", "", "/api/v1/none")],
    ["a query", post("", "", "/api/v1/hash?a=b")],
    ["an absolute URL", post("", "", "http://a.example/api/v1/hash")],
    ["a large body", post("a".repeat(16 * 1024 + 1))],
    ["a compressed body", post("a", "Content-Encoding: gzip\r\n")],
    ["an upgrade", post("a", "Connection: upgrade\r\nUpgrade: other\r\n")],
    ["an unknown expectation", post("a", "Expect: 100-continue\r\n")],
    ["a second host", post("a", "Host: b.example\r\n")],
    ["a strange host", "POST /api/v1/hash HTTP/1.1\r\nHost: a/b\r\n\r\n"],
    [
      "chunks",
      "POST /api/v1/hash HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    ],
    ["HTTP/1.0", "POST /api/v1/hash HTTP/1.0\r\nHost: a\r\n\r\n"],
  ];
  for (const [what, request] of rows) {
    const { socket, served, receive } = await serve(t, respondWith({ status: 200, body: "small" }));
    socket.write(request);
    assert.match(await receive("other"), /other$/, what);
    assert.deepEqual([served[0]?.isTaken, served.length], [false, 1], what);
  }
});
