import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";
import type { App, Call } from "#api/app.ts";
import type { ApiRequest, ApiResponse } from "#api/pipeline/exchange.ts";
import { KEEP_ALIVE_MS, SILENCE_MAX_MS } from "#limits.ts";
import type { ClientConnection } from "./client-address.ts";
import { isPlainHost, responseHead, SMALL_BODY_BYTES } from "./small-calls.ts";

/**
 * Calls with a small body, read from the socket without `node:http`, whose parser and objects cost a third of such a call
 * (docs/decisions/0044). A request is read here only if it has arrived whole, in one piece and by itself, and has the one
 * form that `readRequest` knows. At the first bytes that are anything else, the connection is handed over to `node:http`,
 * which sees all of these bytes and keeps the connection. So every doubt about what a request is, and every error, is
 * decided by `node:http` alone.
 */
export type DirectCalls = {
  /** A call is under way on this connection. */
  isBusy(socket: Socket): boolean;
  /** Closes connections that have had a response and now wait for a request. */
  closeIdle(): void;
  closeAll(): void;
};

export type DirectCallOptions = Pick<App, "calls"> & {
  /** Node's own listener of `connection`, which serves a connection with `node:http`. */
  serve: (socket: Socket) => void;
  /** Every request on this connection gets an error. */
  isRejected: (socket: Socket) => boolean;
  /** The interval of timeout checks. */
  checkMs: number;
};

/** Node closes an idle connection so much later than it tells the client. */
const KEEP_ALIVE_BUFFER_MS = 1_000;

/** A client that sends more during a call waits for its response. */
const HELD_BYTES_MAX = 16 * 1024;

/** `checks`: timeout checks since the last request or response. */
type Connection = {
  state: "new" | "busy" | "idle";
  checks: number;
  /** `chunks`: what has arrived and was not read here. */
  handOver(chunks: Buffer[]): void;
};

export function serveDirectCalls(
  server: Server,
  { serve, calls, isRejected, checkMs }: DirectCallOptions,
): DirectCalls {
  const connections = new Map<Socket, Connection>();

  function accept(socket: Socket): void {
    const connection: Connection = { state: "new", checks: 0, handOver };
    /** What arrived during a call. */
    const held: Buffer[] = [];
    let heldBytes = 0;
    let hasEnded = false;

    function handOver(chunks: Buffer[]): void {
      connections.delete(socket);
      socket.off("data", read).off("end", end).off("error", ignore).off("close", forget);
      // Paused, so that the bytes wait for the new reader instead of going to nobody.
      socket.pause();
      // Chunk by chunk, because `node:http` drops what follows a request with `Upgrade` in the same chunk.
      for (const chunk of chunks.reverse()) socket.unshift(chunk);
      serve.call(server, socket);
      socket.resume();
    }

    function read(bytes: Buffer): void {
      if (connection.state === "busy") {
        // The response goes first.
        held.push(bytes);
        heldBytes += bytes.byteLength;
        if (heldBytes > HELD_BYTES_MAX) socket.pause();
        return;
      }
      const request = isRejected(socket) ? null : readRequest(bytes, calls);
      if (request === null) {
        handOver([bytes]);
        return;
      }
      connection.state = "busy";
      connection.checks = 0;
      void respond(request);
    }

    async function respond({ call, fields, body, url }: DirectRequest): Promise<void> {
      const from: ClientConnection = {
        socket,
        headers: { "x-forwarded-for": fields.get("x-forwarded-for") },
      };
      try {
        await write(await call(new SmallRequest(url, fields, body), from));
      } catch {
        socket.destroy();
      }
    }

    function write({ status, headers: own, body }: ApiResponse): Promise<void> | undefined {
      if (!socket.writable) return undefined;
      // During shutdown a kept-alive connection would accept new requests forever.
      const goesOn = server.listening && !hasEnded;
      const headers = goesOn ? own : { Connection: "close", ...own };
      const isLast = headers["Connection"] !== undefined;
      const sent = isLast ? closeAfter : goOn;
      if (body instanceof ReadableStream) {
        socket.write(responseHead(status, headers, null, isLast), "latin1");
        return pipeline(Readable.fromWeb(body as NodeStream), socket, { end: false }).then(sent);
      }
      const length = body === null ? 0 : Buffer.byteLength(body);
      const head = responseHead(status, headers, length, isLast);
      if (typeof body === "string") {
        // One write, in an encoding that is copied as it is.
        socket.write(head + body, body.length === length ? "latin1" : "utf8", sent);
      } else {
        socket.cork();
        socket.write(head, "latin1", length === 0 ? sent : undefined);
        if (body !== null && length > 0) socket.write(body, sent);
        socket.uncork();
      }
      return undefined;
    }

    /** Called when the response has been handed to the network. */
    function goOn(): void {
      if (!socket.writable) return;
      connection.state = "idle";
      connection.checks = 0;
      if (held.length > 0) handOver(held);
    }

    const closeAfter = () => socket.destroySoon();
    /** The client sends no more, and may still read. */
    function end(): void {
      hasEnded = true;
      if (connection.state !== "busy") socket.end();
    }
    // "close" follows.
    const ignore = () => {};
    const forget = () => void connections.delete(socket);

    connections.set(socket, connection);
    socket.on("data", read).on("end", end).on("error", ignore).on("close", forget);
  }

  server.off("connection", serve);
  server.on("connection", accept);

  function checkTimes(): void {
    for (const [socket, connection] of connections) {
      connection.checks += 1;
      const silentMs = (connection.checks - 1) * checkMs;
      // `node:http` decides how long the first request may take.
      if (connection.state === "new") connection.handOver([]);
      else if (connection.state === "idle") {
        if (silentMs >= KEEP_ALIVE_MS + KEEP_ALIVE_BUFFER_MS) socket.destroy();
      } else if (silentMs >= SILENCE_MAX_MS) socket.destroy();
    }
  }
  const timer = setInterval(checkTimes, checkMs).unref();
  server.on("close", () => clearInterval(timer));

  return {
    isBusy: (socket) => connections.get(socket)?.state === "busy",
    closeIdle() {
      for (const [socket, { state }] of connections) if (state === "idle") socket.destroy();
    },
    closeAll() {
      for (const socket of connections.keys()) socket.destroy();
    },
  };
}

type Fields = ReadonlyMap<string, string>;
/** `fields`: the headers by their name in lower case. */
type DirectRequest = { call: Call; url: string; fields: Fields; body: Buffer };

/** Larger heads are rare. */
const HEAD_BYTES_MAX = 4 * 1024;

/**
 * The only form of a head that is read here: every line ends with CRLF, no name has other characters than these, and no
 * value is empty or has tabs, control characters, characters beyond ASCII, or more white space around it than one space.
 */
const HEAD =
  /^POST (\/[a-z\d/-]+) HTTP\/1\.1\r\n(?:[A-Za-z\d-]+: ?[!-~](?:[ -~]*[!-~])?\r\n)+\r\n$/;

/** Headers that change what a request is or where it ends, in any value. */
const UNUSUAL = [
  "transfer-encoding",
  "content-encoding",
  "expect",
  "upgrade",
  "te",
  "trailer",
  "proxy-connection",
];

/** Returns the call that the bytes are, all of them; null if there is any doubt. */
function readRequest(bytes: Buffer, calls: App["calls"]): DirectRequest | null {
  if (bytes.byteLength > HEAD_BYTES_MAX + SMALL_BODY_BYTES) return null;
  const text = bytes.toString("latin1", 0, HEAD_BYTES_MAX);
  const headEnd = text.indexOf("\r\n\r\n") + 4;
  const head = text.slice(0, headEnd);
  const url = HEAD.exec(head)?.[1];
  const call = url === undefined ? undefined : calls.get(url);
  if (url === undefined || call === undefined) return null;
  const fields = fieldsOf(head);
  if (fields === null) return null;
  for (const name of UNUSUAL) if (fields.has(name)) return null;
  const connection = fields.get("connection");
  if (connection !== undefined && connection.toLowerCase() !== "keep-alive") return null;
  if (!isPlainHost(fields.get("host") ?? "")) return null;
  const length = fields.get("content-length") ?? "";
  if (!/^(?:0|[1-9]\d{0,4})$/.test(length) || Number(length) > SMALL_BODY_BYTES) return null;
  const body = bytes.subarray(headEnd);
  return body.byteLength === Number(length) ? { call, url, fields, body } : null;
}

/** The headers of a head that has the form above; null if a name occurs twice. */
function fieldsOf(head: string): Fields | null {
  const fields = new Map<string, string>();
  let at = head.indexOf("\r\n") + 2;
  for (let end = head.indexOf("\r\n", at); end > at; end = head.indexOf("\r\n", at)) {
    const colon = head.indexOf(":", at);
    const name = head.slice(at, colon).toLowerCase();
    if (fields.has(name)) return null;
    fields.set(name, head.slice(head[colon + 1] === " " ? colon + 2 : colon + 1, end));
    at = end + 2;
  }
  return fields;
}

class SmallRequest implements ApiRequest {
  readonly method = "POST";
  readonly url: string;
  readonly headers: ApiRequest["headers"];
  readonly body = null;
  readonly #bytes: Uint8Array;
  bodyUsed = false;

  constructor(url: string, fields: Fields, bytes: Uint8Array) {
    this.url = url;
    this.headers = { get: (name) => fields.get(name.toLowerCase()) ?? null };
    this.#bytes = bytes;
  }

  arrayBuffer(): Promise<Uint8Array> {
    this.bodyUsed = true;
    return Promise.resolve(this.#bytes);
  }
}
