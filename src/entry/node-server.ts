import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { ERRORS, Fault } from "#errors.ts";
import type { App } from "#http/app.ts";
import { problemBody } from "#http/reply.ts";
import { randomBase62 } from "#ids.ts";
import { HEADER_BYTES_MAX, HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from "#limits.ts";

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
  publicUrl: string;
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
};

/** How long a stop waits for answers under way before it cuts connections. */
const STOP_TIMEOUT_MS = 25_000;

export async function startNodeServer(
  createAppFor: (port: number) => App,
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
    keepAliveTimeout: 65_000,
  });
  server.on("clientError", (error, socket) =>
    refuseConnection(error, socket as Socket, options.publicUrl),
  );

  const port = await listen(server, options);
  const app = createAppFor(port);
  const listener = getRequestListener(
    (request, { incoming }) => app.fetch(request, incoming as IncomingMessage),
    {
      // A request that has no URL, a Host header that is none, and the like.
      errorHandler: () => badRequest(options.publicUrl),
    },
  );
  server.on("request", (incoming, outgoing) => {
    // Once stopping, a kept connection would take new requests for ever.
    if (!server.listening) outgoing.setHeader("Connection", "close");
    void listener(incoming, outgoing);
  });
  return { port, stop: () => stop(server) };
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

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
  });
}

const WHAT_WENT_WRONG: Record<string, Fault> = {
  HPE_HEADER_OVERFLOW: new Fault(
    "headers_too_large",
    `The request line and headers together are over ${HEADER_BYTES_MAX} bytes.`,
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new Fault("request_timeout", "The request did not arrive in time."),
};
const NOT_HTTP = new Fault("invalid_request", "The request is not valid HTTP.");

/** Node's parser gave up on a connection before there was a request: the answer is written by hand. */
function refuseConnection(
  error: Error & { code?: string },
  socket: Socket,
  publicUrl: string,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const fault = WHAT_WENT_WRONG[error.code ?? ""] ?? NOT_HTTP;
  const requestId = newRequestId();
  const body = JSON.stringify(problemBody(publicUrl, fault, requestId));
  const { status, title } = ERRORS[fault.code];
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nCache-Control: no-store\r\n` +
      `Access-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n${body}`,
  );
}

function badRequest(publicUrl: string): Response {
  const requestId = newRequestId();
  return new Response(JSON.stringify(problemBody(publicUrl, NOT_HTTP, requestId)), {
    status: ERRORS.invalid_request.status,
    headers: {
      "Content-Type": "application/problem+json",
      "X-Request-Id": requestId,
      "Cache-Control": "no-store",
      Connection: "close",
    },
  });
}

const newRequestId = () => `req_${randomBase62(16, randomBytes)}`;
