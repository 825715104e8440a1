import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { App } from "#api/app.ts";
import { markWaiting } from "#calls/body.ts";
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
import { respondToSmallCall } from "./small-calls.ts";

/** Serves the app with `node:http`: bounds the size and time of headers and bodies, rejects malformed requests, and stops gracefully. */
export type NodeServer = {
  port: number;
  /** Stops listening, completes accepted requests, and resolves when every connection is closed, at the latest after this time. */
  stop(timeoutMs: number): Promise<void>;
};

export type NodeServerOptions = {
  host: string;
  port: number;
  /** Further connections are closed when they arrive. */
  connectionsMax?: number;
  onConnectionDropped?: () => void;
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
};

/** A shutdown still accepts requests that clients have already sent; after this, idle connections are closed. */
const STOP_GRACE_MS = 100;

/** How long a shutdown waits for clients that are still sending a rejected body. */
const STOP_LINGER_MS = 1_000;

/** Listens at the host and port of the options. Rejects with the error of Node if it cannot (`EADDRINUSE`, `EACCES`). */
export async function startNodeServer(
  /** Called with the bound port, before the first request. */
  open: (port: number) => App,
  options: NodeServerOptions,
): Promise<NodeServer> {
  const headersTimeout = options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS;
  const requestTimeout = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout,
    requestTimeout,
    // A fraction of the shorter timeout.
    connectionsCheckingInterval: Math.min(1_000, headersTimeout / 4),
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Checked below, so that the error is problem details.
    requireHostHeader: false,
  });
  server.timeout = SILENCE_MAX_MS;
  // A client may end its side after its request and still read, as `nc -N` does. Node would drop the response.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  const connections = watchConnections(server);
  // Closes connections without traffic: a client that does not read its response would hold it in memory forever. One that waits for a tool
  // that runs for minutes keeps its own.
  server.on("timeout", (socket) => {
    const [current] = connections.underWay(socket);
    const awaitsResponse = current?.req.complete && !current.headersSent;
    if (!awaitsResponse) socket.destroy();
  });
  server.maxConnections = options.connectionsMax ?? CONNECTIONS_MAX;
  server.on("drop", () => options.onConnectionDropped?.());
  const port = await listen(server, options);
  const app = open(port);
  const reject = (error: Error, socket: Socket) =>
    void rejectConnection(error, socket, connections, app);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const rejectThis = () => reject(error, socket as Socket);
    if (error.code !== "ERR_HTTP_REQUEST_TIMEOUT") rejectThis();
    else if (!connections.underWay(socket as Socket).some(({ req }) => patient.has(req)))
      connections.whenLate(socket as Socket, requestTimeout, rejectThis);
  });
  // CONNECT is not supported.
  server.on("connect", (_, socket) => {
    // Node has removed its own listener.
    socket.on("error", () => {});
    reject(new Error("CONNECT"), socket as Socket);
  });
  const respondWithWebObjects = webListener(app);
  const handleRequest: RequestListener = (incoming, outgoing) => {
    if (connections.enter(outgoing)) serveRequest(incoming, outgoing);
    else connections.wait(outgoing, () => serveRequest(incoming, outgoing));
  };
  const serveRequest: RequestListener = (incoming, outgoing) => {
    (incoming as Tracked)[RESPONSE] = outgoing;
    // The parser reports one request after the other, so which one is the last is known later.
    if (server.listening) respond(incoming, outgoing);
    else process.nextTick(respond, incoming, outgoing);
  };
  const respond: RequestListener = (incoming, outgoing) => {
    // During shutdown a kept-alive connection would accept new requests forever.
    if (!server.listening && connections.isLast(outgoing))
      outgoing.setHeader("Connection", "close");
    if (!respondToSmallCall(app.calls, incoming, outgoing))
      respondWithWebObjects(incoming, outgoing);
  };
  server.on("request", handleRequest);
  server.on("checkContinue", (incoming, outgoing) => {
    holdContinue(incoming, outgoing);
    handleRequest(incoming, outgoing);
  });
  // Unknown expectations are ignored (RFC 9110, section 10.1.1).
  server.on("checkExpectation", handleRequest);
  return { port, stop: (timeoutMs) => stop(server, connections, timeoutMs) };
}

/**
 * Returns what makes a web `Request` of a request and writes the `Response`. The first one loads the classes for it, which a server that
 * has only small calls does without.
 */
function webListener(app: App): RequestListener {
  let listener: RequestListener | undefined;
  async function openListener(): Promise<RequestListener> {
    const { getRequestListener } = await import("@hono/node-server");
    listener ??= getRequestListener(
      (request, { incoming }) => {
        if (held.has(incoming as IncomingMessage)) markWaiting(request);
        return hasOneHost(incoming as IncomingMessage)
          ? app.fetch(request, incoming)
          : app.reject(NOT_A_REQUEST, request.headers);
      },
      {
        // HTTP/1.0 allows requests without a Host header, and nothing here depends on it.
        hostname: "localhost",
        // For example, a request without a URL or with an invalid Host header.
        errorHandler: () => app.reject(NOT_A_REQUEST, new Headers()),
      },
    ) as RequestListener;
    return listener;
  }
  return (incoming, outgoing) => {
    if (listener !== undefined) void listener(incoming, outgoing);
    else void openListener().then((opened) => opened(incoming, outgoing));
  };
}

/** The response to a request, as a property of it, because a call can afford no weak map. */
const RESPONSE = Symbol("response");
type Tracked = IncomingMessage & { [RESPONSE]?: ServerResponse };

/**
 * Calls `then` when the response to the request has been handed to the network (`isDelivered`), or its connection has been lost
 * before.
 */
export function whenSent(
  incoming: IncomingMessage | undefined,
  then: (isDelivered: boolean) => void,
): void {
  const outgoing = incoming && (incoming as Tracked)[RESPONSE];
  if (outgoing === undefined) then(true);
  else if (outgoing.closed || outgoing.destroyed) then(outgoing.writableFinished);
  // A message of MCP may have many calls, and each of them listens.
  else outgoing.setMaxListeners(0).on("close", () => then(outgoing.writableFinished));
}

/** Requests whose bodies may take longer: the file of a call, whose reader ends it in time. */
const patient = new WeakSet<IncomingMessage>();
/** Lets the body of this request take longer than `requestTimeoutMs`. */
export function givePatience(incoming: IncomingMessage | undefined): void {
  if (incoming !== undefined) patient.add(incoming);
}

/** Requests whose client waits for `100 Continue`. */
const held = new WeakSet<IncomingMessage>();

/**
 * Sends `100 Continue` when the body is first read. A call that is rejected before gets its error in place of it, and its
 * body is not transferred.
 */
function holdContinue(incoming: IncomingMessage, outgoing: ServerResponse): void {
  held.add(incoming);
  const goOn = () => {
    // After the response the rest of a body may be read to be dropped.
    if (held.delete(incoming) && !outgoing.headersSent) outgoing.writeContinue();
  };
  const read = incoming._read;
  incoming._read = (size) => {
    incoming._read = read;
    goOn();
    read.call(incoming, size);
  };
  // A body that came with the headers may be read without `_read`. Without a 100, Node closes the connection.
  incoming.once("end", goOn);
}

/** An HTTP/1.1 request has exactly one Host header; no request has two (RFC 9112, section 3.2). */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name === "Host" || name === "host") hosts += 1;
    else if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0");
}

function listen(
  server: NetServer,
  { host, port }: Pick<NodeServerOptions, "host" | "port">,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve((server.address() as { port: number }).port);
    });
  });
}

function stop(server: Server, connections: Connections, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => connections.closeIdle(), STOP_GRACE_MS);
    const hurry = setTimeout(() => connections.cut(), STOP_LINGER_MS);
    const deadline = setTimeout(() => {
      server.closeAllConnections();
      connections.cut();
    }, timeoutMs);
    // Not node:http's close(), which destroys idle connections immediately, with unread requests on them.
    NetServer.prototype.close.call(server, () => {
      clearInterval(sweep);
      clearTimeout(hurry);
      clearTimeout(deadline);
      resolve();
    });
    for (const outgoing of connections.underWay()) {
      if (!outgoing.headersSent && connections.isLast(outgoing))
        outgoing.setHeader("Connection", "close");
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
const NOT_A_REQUEST = new ApiError("invalid_request", "The request is not valid HTTP.");

/**
 * Writes an error by hand after Node's parser gave up on a connection. Earlier responses on the connection go first;
 * otherwise a client would take the error for one of them.
 */
async function rejectConnection(
  error: Error & { code?: string },
  socket: Socket,
  connections: Connections,
  app: App,
): Promise<void> {
  if (connections.isClosing(socket)) return;
  // The last response closes the connection.
  if (!socket.writable) return;
  if (error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const underWay = connections.underWay(socket);
  const earlier = underWay.find(({ req }) => req.complete);
  if (earlier !== undefined) {
    earlier.once("close", () => void rejectConnection(error, socket, connections, app));
    return;
  }
  const fault = WHAT_WENT_WRONG[error.code ?? ""] ?? NOT_A_REQUEST;
  const response = await app.reject(fault, headersOf(underWay[0]?.req));
  socket.write(await writeOut(response));
  connections.close(socket);
}

/** Returns the headers of an unfinished request that the error response depends on. */
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
