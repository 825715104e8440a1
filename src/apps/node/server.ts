import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { App } from "#api/app.ts";
import { ApiError } from "#errors.ts";
import {
  CONNECTIONS_MAX,
  HEADER_BYTES_MAX,
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  REQUEST_TIMEOUT_MS,
  SILENCE_MAX_MS,
} from "#limits.ts";
import { type Connections, watchConnections } from "./connections.ts";

/**
 * The app behind `node:http`: limits on the size and the time of headers and bodies, refusals for what is no request,
 * and a stop that answers what it has accepted.
 */
export type NodeServer = {
  port: number;
  /** Stops listening, answers what was accepted, and resolves when every connection is closed. */
  stop(): Promise<void>;
};

export type NodeServerOptions = {
  host: string;
  port: number;
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
};

/** A quarter of what Node reads at once. */
const SMALL_BODY_BYTES = 16 * 1024;
/** How long a stop waits for answers under way before it cuts connections. */
const STOP_TIMEOUT_MS = 25_000;
/** A stop takes what clients have sent already; after this, connections without a request are closed. */
const STOP_GRACE_MS = 100;

/** A stop waits so long for clients that are still sending what was refused. */
const STOP_LINGER_MS = 1_000;

export async function startNodeServer(
  /** Called with the port that was taken, before the first request. */
  open: (port: number) => App,
  options: NodeServerOptions,
): Promise<NodeServer> {
  const headersTimeout = options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS;
  const requestTimeout = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout,
    requestTimeout,
    // How often timeouts are looked for: a small part of the shorter one.
    connectionsCheckingInterval: Math.min(1_000, headersTimeout / 4),
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Looked for below, to refuse in our own words.
    requireHostHeader: false,
  });
  // No byte in either direction for so long: a client that does not read its answer would keep it here for ever.
  server.timeout = SILENCE_MAX_MS;
  server.maxConnections = CONNECTIONS_MAX;
  const connections = watchConnections(server);
  const port = await listen(server, options);
  const app = open(port);
  const refuse = (error: Error, socket: Socket) =>
    void refuseConnection(error, socket, connections, app);
  server.on("clientError", (error, socket) => refuse(error, socket as Socket));
  // There is no tunnel here.
  server.on("connect", (_, socket) => refuse(new Error("CONNECT"), socket as Socket));
  const listener = getRequestListener(
    (request, { incoming }) =>
      hasOneHost(incoming as IncomingMessage)
        ? app.fetch(request, incoming)
        : app.reject(NOT_A_REQUEST, request.headers),
    {
      // HTTP/1.0 knows requests without a Host header, and nothing here depends on it.
      hostname: "localhost",
      // A request that has no URL, a Host header that is none, and the like.
      errorHandler: () => app.reject(NOT_A_REQUEST, new Headers()),
    },
  );
  const result: RequestListener = (incoming, outgoing) => {
    // Once stopping, a kept connection would take new requests for ever.
    if (!server.listening) outgoing.setHeader("Connection", "close");
    connections.note(outgoing);
    takeSmallBody(incoming, () => void listener(incoming, outgoing));
  };
  server.on("request", result);
  // What a client expects besides an answer is its own affair (RFC 9110, section 10.1.1).
  server.on("checkExpectation", result);
  return { port, stop: () => stop(server, connections) };
}

/**
 * Most bodies arrive in one packet with their headers. Taken here, such a body costs nothing; read by the app through
 * the web's Request, it costs a tenth of the whole call. What has not arrived yet is left to the app and its limits.
 */
function takeSmallBody(incoming: IncomingMessage, then: () => void): void {
  // After this tick, in which the parser goes on with the packet.
  process.nextTick(() => {
    const length = Number(incoming.headers["content-length"]);
    if (incoming.complete && length > 0 && length <= SMALL_BODY_BYTES) {
      // Where the adapter looks for a body that was read already.
      Object.assign(incoming, { rawBody: incoming.read() });
    }
    then();
  });
}

/** RFC 9112, section 3.2: a request of HTTP/1.1 has one Host header, no request has two. */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name === "Host" || name === "host") hosts += 1;
    else if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0");
}

function listen(server: Server, { host, port }: NodeServerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as { port: number }).port);
    });
  });
}

function stop(server: Server, connections: Connections): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), STOP_GRACE_MS);
    const hurry = setTimeout(() => connections.cut(), STOP_LINGER_MS);
    const deadline = setTimeout(() => {
      server.closeAllConnections();
      connections.cut();
    }, STOP_TIMEOUT_MS);
    // Not the close of node:http, which cuts idle connections at once, whatever has come in on them unread.
    NetServer.prototype.close.call(server, () => {
      clearInterval(sweep);
      clearTimeout(hurry);
      clearTimeout(deadline);
      resolve();
    });
    for (const outgoing of connections.underWay()) {
      if (!outgoing.headersSent) outgoing.setHeader("Connection", "close");
    }
  });
}

const WHAT_WENT_WRONG: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: new ApiError(
    "headers_too_large",
    `The request line and headers together are over ${HEADER_BYTES_MAX} bytes.`,
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError("request_timeout", "The request did not arrive in time."),
};
const NOT_A_REQUEST = new ApiError(
  "invalid_request",
  "This is not a request that the service can read.",
);

/**
 * Node's parser gave up on a connection, so the answer is written by hand: after the answers to what came before it
 * on the same connection, or a client would take it for one of them.
 */
async function refuseConnection(
  error: Error & { code?: string },
  socket: Socket,
  connections: Connections,
  app: App,
): Promise<void> {
  if (connections.isClosing(socket)) return;
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const underWay = connections.underWay(socket);
  const earlier = underWay.find(({ req }) => req.complete);
  if (earlier !== undefined) {
    earlier.once("close", () => void refuseConnection(error, socket, connections, app));
    return;
  }
  const fault = WHAT_WENT_WRONG[error.code ?? ""] ?? NOT_A_REQUEST;
  const response = await app.reject(fault, headersOf(underWay[0]?.req));
  socket.write(await writeOut(response));
  connections.close(socket);
}

/** Those headers of an unfinished request that its refusal depends on. */
function headersOf(incoming: IncomingMessage | undefined): Headers {
  const headers = new Headers();
  for (const name of ["x-request-id", "accept"]) {
    const value = incoming?.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return headers;
}

async function writeOut(response: Response): Promise<string> {
  const body = await response.text();
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return (
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n${lines}` +
    `Date: ${new Date().toUTCString()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
