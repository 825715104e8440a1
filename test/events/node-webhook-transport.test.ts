import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import {
  createNodeWebhookTransport,
  type NodeWebhookOptions,
  type Resolve,
} from "#events/node-webhook-transport.ts";
import { NotReached } from "#events/webhook-transport.ts";
import { freePort } from "../support/ports.ts";
import { CERTIFICATE, KEY } from "./certificate.ts";
import { HOSTILE } from "./hostile-addresses.ts";

const NEVER = new AbortController().signal;
const HEADERS = { "Content-Type": "application/json", "webhook-id": "evt_1" };
const request = (url: string, body = "{}") => ({ url, headers: HEADERS, body });

async function listen(t: TestContext, server: Server, host = "127.0.0.1", port = 0) {
  server.listen(port, host);
  await once(server, "listening");
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

const post = (url: string, options: Partial<NodeWebhookOptions> = {}) =>
  createNodeWebhookTransport({ networks: "any", timeoutMs: 600_000, ...options }).post(
    request(url),
    NEVER,
  );

const faultOf = async (sent: Promise<unknown>): Promise<string> => {
  const fault: unknown = await sent.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(fault instanceof NotReached, String(fault));
  return fault.message;
};

const resolveTo =
  (...responses: string[][]): Resolve =>
  async () =>
    (responses.shift() ?? []).map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }));

test("no connection is made to a hostile URL, whatever its host resolves to", async () => {
  let asked = 0;
  const resolve: Resolve = async () => {
    asked += 1;
    return [{ address: "127.0.0.1", family: 4 }];
  };
  for (const url of HOSTILE) await faultOf(post(url, { networks: "public", resolve }));
  assert.equal(asked, 0);
});

test("a server that switches protocols gives no response", async (t) => {
  const { port } = await listen(
    t,
    createServer((socket) =>
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
    ),
  );
  assert.match(await faultOf(post(`http://127.0.0.1:${port}/`)), /^The connection closed before/);
});

test("a host with one private address among its addresses is rejected before anything connects", async (t) => {
  const { port, connections } = await listen(t, createServer());
  const private_ = [
    "127.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "169.254.169.254",
    "fd00::1",
    "0.0.0.0",
  ];
  for (const address of private_) {
    for (const places of [[address], ["93.184.216.34", address]]) {
      const fault = await faultOf(
        post(`https://hooks.example:${port}/`, { networks: "public", resolve: resolveTo(places) }),
      );
      assert.match(fault, /outside the public internet/);
      assert.doesNotMatch(fault, /127|169|fd00/);
    }
  }
  assert.equal(connections(), 0);
});

test("a resolver that returns a private address the second time causes no connection to it", async (t) => {
  // Two addresses of this machine stand for a public and a private one.
  const port = await freePort();
  const good = await listen(
    t,
    createServer((socket) => socket.destroy()),
    "127.0.0.2",
    port,
  );
  const bad = await listen(t, createServer(), "127.0.0.1", port);
  let asked = 0;
  const resolve: Resolve = async () => {
    asked += 1;
    return [{ address: asked === 1 ? "127.0.0.2" : "127.0.0.1", family: 4 }];
  };
  const options: Partial<NodeWebhookOptions> = {
    ...{ networks: "public", resolve },
    isAllowed: (address) => address === "127.0.0.2",
  };
  const url = `https://hooks.example:${port}/`;
  await faultOf(post(url, options));
  assert.deepEqual([asked, good.connections(), bad.connections()], [1, 1, 0]);
  assert.match(await faultOf(post(url, options)), /outside the public internet/);
  assert.deepEqual([asked, good.connections(), bad.connections()], [2, 1, 0]);
});

test("the connection goes to the resolved address, with the host name in Host, SNI and the certificate check", async (t) => {
  const seen: unknown[] = [];
  const server = createHttpsServer({ key: KEY, cert: CERTIFICATE }, (asked, response) => {
    const { servername } = asked.socket as unknown as { servername: string };
    seen.push([asked.method, asked.url, asked.headers.host, servername]);
    response.writeHead(204).end();
  });
  const { port } = await listen(t, server);
  const url = `https://hooks.example:${port}/a?b=c`;
  const options: Partial<NodeWebhookOptions> = {
    ...{ networks: "public", isAllowed: () => true, ca: CERTIFICATE },
  };
  const resolve = () => resolveTo(["127.0.0.1"]);
  assert.deepEqual(await post(url, { ...options, resolve: resolve() }), { status: 204 });
  assert.deepEqual(seen, [["POST", "/a?b=c", `hooks.example:${port}`, "hooks.example"]]);
  const other = url.replace("hooks.example", "other.example");
  const fault = await faultOf(post(other, { ...options, resolve: resolve() }));
  assert.match(fault, /secure connection .*ALTNAME_INVALID/);
  const untrusted = { networks: "public", isAllowed: () => true, resolve: resolve() } as const;
  assert.match(await faultOf(post(url, untrusted)), /secure connection .*SELF_SIGNED/);
  assert.equal(seen.length, 1);
});

const serve = async (t: TestContext, listener: RequestListener) =>
  `http://127.0.0.1:${(await listen(t, createHttpServer(listener))).port}/`;

test("a redirect is a response and is not followed", async (t) => {
  let asked = 0;
  const url = await serve(t, (_, response) => {
    asked += 1;
    response.writeHead(307, { Location: "/elsewhere" }).end();
  });
  assert.deepEqual(await post(url), { status: 307 });
  assert.equal(asked, 1);
});

test("the body and the headers arrive unchanged", async (t) => {
  const seen: string[] = [];
  const url = await serve(t, (asked, response) => {
    const id = asked.headers["webhook-id"];
    seen.push(`${id} ${asked.headers["content-type"]} ${asked.headers["content-length"]} `);
    asked.on("data", (chunk: Buffer) => seen.push(chunk.toString()));
    asked.on("end", () => response.end("ok"));
  });
  const transport = createNodeWebhookTransport({ networks: "any" });
  const body = `{"label":"Käse 🐝"}`;
  assert.deepEqual(await transport.post(request(url, body), NEVER), { status: 200 });
  assert.equal(seen.join(""), `evt_1 application/json ${Buffer.byteLength(body)} ${body}`);
});

test("an endless response is read up to a limit, and its status counts", async (t) => {
  let written = 0;
  const url = await serve(t, (_, response) => {
    const chunk = Buffer.alloc(8_192);
    const write = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.byteLength;
    };
    response.on("drain", write);
    response.writeHead(200);
    write();
  });
  assert.deepEqual(await post(url), { status: 200 });
  assert.ok(written < 64 * 1024 * 1024);
});

test("a response that stops in the middle counts by its status after the time limit", async (t) => {
  const url = await serve(t, (_, response) => {
    response.writeHead(202, { "Content-Length": "100" });
    response.write("begun");
  });
  assert.deepEqual(await post(url, { timeoutMs: 3_000 }), { status: 202 });
});

test("a silent server, endless headers and a silent resolver end at the time limit", async (t) => {
  const silent = await listen(t, createServer());
  const dripping = await listen(
    t,
    createServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const drip = setInterval(() => socket.write("a: b\r\n"), 20);
      socket.on("close", () => clearInterval(drip));
    }),
  );
  const faults = [silent, dripping].map(({ port }) =>
    faultOf(post(`http://127.0.0.1:${port}/`, { timeoutMs: 1_000 })),
  );
  for (const fault of await Promise.all(faults)) assert.match(fault, /No response within 1 s/);
  const quiet: Resolve = () => new Promise(() => {});
  const sent = post("https://hooks.example/", { resolve: quiet, timeoutMs: 300 });
  assert.match(await faultOf(sent), /No response within/);
});

test("headers that are too long, responses that are not HTTP, and broken or rejected connections are described in sentences", async (t) => {
  const saying = async (text: string) => {
    const server = createServer((socket) => socket.on("data", () => socket.end(text)));
    return `http://127.0.0.1:${(await listen(t, server)).port}/`;
  };
  const long = `HTTP/1.1 200 OK\r\na: ${"b".repeat(100_000)}\r\n\r\n`;
  assert.match(await faultOf(post(await saying(long))), /response headers are too long/);
  assert.match(await faultOf(post(await saying("SSH-2.0-OpenSSH_9.6\r\n"))), /is not HTTP/);
  assert.match(await faultOf(post(await saying(""))), /closed before a response arrived/);
  const gone = createServer();
  gone.listen(0, "127.0.0.1");
  await once(gone, "listening");
  const { port } = gone.address() as AddressInfo;
  gone.close();
  assert.match(await faultOf(post(`http://127.0.0.1:${port}/`)), /refused/);
  const nobody = post("https://hooks.example/", { resolve: resolveTo([]) });
  assert.match(await faultOf(nobody), /host name does not exist/);
});

test("IPv6 works like IPv4", async (t) => {
  const server = createHttpServer((_, response) => response.writeHead(204).end());
  const reached = await listen(t, server, "::1").catch(() => null);
  if (reached === null) return t.diagnostic("this machine has no IPv6");
  assert.deepEqual(await post(`http://[::1]:${reached.port}/`), { status: 204 });
  const named = `http://a.localhost:${reached.port}/`;
  assert.deepEqual(await post(named, { resolve: resolveTo(["::1"]) }), { status: 204 });
});

test("an abort ends an attempt at once", async (t) => {
  const { port } = await listen(t, createServer());
  const abort = new AbortController();
  const transport = createNodeWebhookTransport({ networks: "any" });
  const sent = transport.post(request(`http://127.0.0.1:${port}/`), abort.signal);
  abort.abort();
  await faultOf(sent);
});
