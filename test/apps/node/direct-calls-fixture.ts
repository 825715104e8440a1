/** Servers with and without the strict reader, on an app that responds with what it was given. */
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { App, Call } from "#api/app.ts";
import type { ApiResponse } from "#api/pipeline/exchange.ts";
import { type NodeServerOptions, startNodeServer } from "../../../src/apps/node/server.ts";

export const PATHS = ["/api/v1/hash", "/api/v1/qr-code"];

const SEEN = [
  ...["host", "authorization", "content-type", "content-length", "accept", "connection", "origin"],
  ...["x-request-id", "idempotency-key", "x-forwarded-for", "content-encoding", "x-wait", "x-one"],
];

export type ReflectingServer = {
  port: number;
  /** Requests that did not come from `node:http`. */
  direct(): number;
  calls(): number;
  stop(): Promise<void>;
};

export async function startReflecting(
  options: Partial<NodeServerOptions> & { call?: Call } = {},
): Promise<ReflectingServer> {
  let direct = 0;
  let calls = 0;
  const count: Call = async (request, connection) => {
    calls += 1;
    if (!(connection instanceof IncomingMessage)) direct += 1;
    return (options.call ?? reflect)(request, connection);
  };
  const app: App = {
    async fetch(request) {
      const text = await request.text().catch(() => "incomplete");
      return Response.json({ method: request.method, url: request.url, text });
    },
    reject: async ({ code, status }, headers) =>
      Response.json({ code, id: headers.get("x-request-id") }, { status }),
    rejectKey() {},
    calls: new Map(PATHS.map((path) => [path, count])),
  };
  const { port, stop } = await startNodeServer(() => app, {
    host: "127.0.0.1",
    port: 0,
    ...options,
  });
  return { port, stop, direct: () => direct, calls: () => calls };
}

/** Its response depends on everything that it can know of a request. */
const reflect: Call = async (request, connection) => {
  const { headers, socket } = connection as IncomingMessage;
  const fields = SEEN.map((name) => `${name}=${request.headers.get(name)}`);
  const bytes = Buffer.from(new Uint8Array(await request.arrayBuffer()));
  for (let left = Number(request.headers.get("x-wait") ?? 0); left > 0; left -= 1) await turn();
  const text = JSON.stringify({
    ...{ method: request.method, url: request.url, fields, body: bytes.toString("latin1") },
    ...{ forwarded: headers["x-forwarded-for"], address: socket.remoteAddress },
  });
  return FORMS[bytes.byteLength % FORMS.length]?.(text) as ApiResponse;
};

const TYPE = { "Content-Type": "application/json", "X-Empty": "" };
/** The forms that a response can have. */
const FORMS: ((text: string) => ApiResponse)[] = [
  (body) => ({ status: 200, headers: { ...TYPE }, body }),
  (body) => ({ status: 200, headers: { ...TYPE }, body }),
  (body) => ({ status: 200, headers: { ...TYPE }, body: `${body}ä€😀` }),
  (body) => ({ status: 200, headers: { ...TYPE }, body: Buffer.from(body) }),
  (body) => ({ status: 402, headers: { ...TYPE, "Retry-After": "1" }, body }),
  () => ({ status: 200, headers: { ...TYPE }, body: null }),
  (body) => ({
    status: 200,
    headers: { ...TYPE, "Content-Length": String(Buffer.byteLength(body)) },
    body: new Response(body).body,
  }),
  (body) => ({ status: 200, headers: { ...TYPE }, body }),
  (body) => ({ status: 400, headers: { Connection: "close", ...TYPE }, body }),
];

/** The servers' sockets, by the port of the client. */
const accepted = new Map<number, Socket>();
subscribe("net.server.socket", (message) => {
  const { socket } = message as { socket: Socket };
  const { remotePort = 0 } = socket;
  accepted.set(remotePort, socket);
  socket.once("close", () => accepted.delete(remotePort));
});

/** Turns of the event loop in which nothing comes before nothing more is expected. Calls wait for fewer. */
const QUIET_TURNS = 40;
const PAUSE_TURNS = 6;
/** A server may also stop to read. */
const DELIVERY_TURNS_MAX = 1_000;

/**
 * Sends the segments over a connection, each for itself, and ends it when nothing more comes. Returns all bytes that came
 * back, without the time.
 */
export async function converse(serverPort: number, segments: readonly Buffer[]): Promise<string> {
  const socket = connect({
    port: serverPort,
    host: "127.0.0.1",
    noDelay: true,
    allowHalfOpen: true,
  });
  const received: Buffer[] = [];
  socket.on("data", (bytes) => received.push(bytes));
  // A server may close while the client still sends.
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await once(socket, "connect");
  const port = socket.localPort as number;
  while (!accepted.has(port)) await turn();
  const server = accepted.get(port) as Socket;
  const delivered = async () => {
    for (let left = DELIVERY_TURNS_MAX; left > 0 && !server.destroyed; left -= 1) {
      if (server.bytesRead === socket.bytesWritten) break;
      await turn();
    }
  };
  for (const segment of segments) {
    if (!socket.writable) break;
    socket.write(segment);
    await delivered();
    // The next one may arrive during the call or after it.
    for (let left = PAUSE_TURNS; left > 0; left -= 1) await turn();
  }
  let seen = 0;
  for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
    await turn();
    if (socket.destroyed || server.destroyed) break;
    if (socket.bytesRead !== seen || socket.bytesRead < server.bytesWritten) quiet = 0;
    seen = socket.bytesRead;
  }
  socket.end();
  await closed;
  return Buffer.concat(received)
    .toString("latin1")
    .replaceAll(/Date: [^\r]+/gi, "Date: now");
}
