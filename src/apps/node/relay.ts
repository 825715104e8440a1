import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { App, Call } from "#api/app.ts";
import { isWaiting, markWaiting } from "#api/pipeline/body.ts";
import type { ApiRequest, ApiResponse, HeaderLookup } from "#api/pipeline/exchange.ts";
import {
  type Chunk,
  type FromHttpThread,
  ownBytes,
  type RelayedRequest,
  type RelayedResponse,
  type Send,
  type ToHttpThread,
} from "./http-messages.ts";
import { whenSent } from "./server.ts";
import { RawHeaders } from "./small-calls.ts";

/**
 * Requests that an HTTP thread leaves to the main thread: all but the calls that it makes itself. The main thread sees the same
 * request and the same bytes as if the connection were its own. A large body and a large response cross in chunks, and each
 * chunk only when the other side asks for it, so that nothing piles up between the threads.
 */
export type Relay = Pick<App, "fetch"> & {
  /** A small call. Its body follows at once, because it is mostly there already. */
  call: Call;
  receive(message: ToHttpThread): void;
};

type Open = {
  request: Pick<ApiRequest, "body">;
  reader?: ReadableStreamDefaultReader<Uint8Array> | undefined;
  respond(response: RelayedResponse | null): void;
  chunk?: (chunk: Chunk) => void;
};

/** The thread's side. */
export function createRelay(send: Send<FromHttpThread>): Relay {
  const open = new Map<number, Open>();
  let count = 0;

  function relay(
    request: ApiRequest,
    incoming: IncomingMessage,
    more: Pick<RelayedRequest, "headers" | "isCall" | "hasBody" | "isWaiting">,
  ): { id: number; responded: Promise<RelayedResponse> } {
    count += 1;
    const id = count;
    const { promise, resolve, reject } = Promise.withResolvers<RelayedResponse>();
    open.set(id, {
      request,
      respond(response) {
        if (response !== null) return resolve(response);
        close(id);
        reject(new Error("The main thread could not read the request"));
      },
    });
    send({
      kind: "request",
      id,
      request: {
        ...more,
        method: request.method,
        url: request.url,
        target: incoming.url ?? "",
        peer: incoming.socket.remoteAddress,
        forwardedFor: incoming.headers["x-forwarded-for"],
      },
    });
    return { id, responded: promise };
  }

  const sendChunk = (id: number, bytes: Uint8Array) => {
    const chunk = ownBytes(bytes);
    send({ kind: "body", id, chunk }, [chunk.buffer]);
  };
  const sendFailure = (id: number, error: unknown) =>
    send({ kind: "body", id, chunk: { error: String((error as Error).message ?? error) } });

  async function readOn(id: number): Promise<void> {
    const opened = open.get(id);
    if (opened === undefined) return;
    try {
      opened.reader ??= opened.request.body?.getReader();
      const read = await opened.reader?.read();
      if (read?.value === undefined) send({ kind: "body", id, chunk: null });
      else sendChunk(id, read.value);
    } catch (error) {
      sendFailure(id, error);
    }
  }

  /** The rest of a response: the client's reading asks for it. */
  function restOf(id: number, first: Uint8Array | null): ReadableStream<Uint8Array> {
    let begun = first === null;
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (!begun) {
            begun = true;
            controller.enqueue(first as Uint8Array);
            return;
          }
          const { promise, resolve } = Promise.withResolvers<Chunk>();
          const opened = open.get(id);
          if (opened === undefined) throw new Error("The response was not completed");
          opened.chunk = resolve;
          send({ kind: "read", id, isCancelled: false });
          const chunk = await promise;
          if (chunk instanceof Uint8Array) return controller.enqueue(chunk);
          if (chunk !== null) throw new Error(chunk.error);
          controller.close();
        },
        cancel: () => send({ kind: "read", id, isCancelled: true }),
      },
      { highWaterMark: 0 },
    );
  }

  function close(id: number): void {
    open.delete(id);
    send({ kind: "sent", id });
  }

  return {
    async fetch(request, connection) {
      const incoming = connection as IncomingMessage;
      const { id, responded } = relay(request, incoming, {
        headers: [...request.headers].flat(),
        isCall: false,
        hasBody: !BODILESS.has(request.method),
        isWaiting: isWaiting(request),
      });
      const { status, headers, body, isStream } = await responded;
      whenSent(incoming, () => close(id));
      const sent = isStream ? restOf(id, body as Uint8Array | null) : body;
      return new Response(sent as Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null, {
        status,
        headers,
      });
    },
    async call(request, connection): Promise<ApiResponse> {
      const incoming = connection as IncomingMessage;
      const { id, responded } = relay(request, incoming, {
        ...{ headers: incoming.rawHeaders, isCall: true, hasBody: true, isWaiting: false },
      });
      request.arrayBuffer().then(
        (bytes) => sendChunk(id, bytes as Uint8Array),
        (error) => sendFailure(id, error),
      );
      const { status, headers: sent, body, isStream } = await responded;
      whenSent(incoming, () => close(id));
      return {
        status,
        headers: Object.fromEntries(sent),
        body: isStream ? restOf(id, body as Uint8Array | null) : body,
      };
    },
    receive(message) {
      if (message.kind === "pull") void readOn(message.id);
      else if (message.kind === "response") open.get(message.id)?.respond(message.response);
      else if (message.kind === "chunk") open.get(message.id)?.chunk?.(message.chunk);
    },
  };
}

/** Their body is not read (`@hono/node-server`). */
const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD", "TRACE"]);

/** What a relayed request's `connection` is. The app asks it for the same as for an `IncomingMessage`. */
export class RelayedConnection {
  readonly url: string;
  readonly headers: { "x-forwarded-for"?: string | string[] };
  readonly socket: { remoteAddress: string | undefined };
  #isSent = false;
  #then: ((isDelivered: boolean) => void)[] = [];

  constructor({ target, peer, forwardedFor }: RelayedRequest) {
    this.url = target;
    this.headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
    this.socket = { remoteAddress: peer };
  }

  /** The thread that has the connection does not say whether the response arrived. */
  whenSent(then: (isDelivered: boolean) => void): void {
    if (this.#isSent) then(true);
    else this.#then.push(then);
  }

  sent(): void {
    this.#isSent = true;
    for (const then of this.#then.splice(0)) then(true);
  }
}

export type RelayServer = {
  receive(message: FromHttpThread): void;
  /** The thread is gone: no request of it gets on. */
  close(): void;
};

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;

type Served = {
  connection: RelayedConnection;
  /** Takes a chunk of the body. */
  body?: (chunk: Chunk) => void;
  /** What is left of the response. */
  rest?: Reader | undefined;
};

/** The main thread's side, for one thread. */
export function serveRelay(app: App, send: Send<ToHttpThread>): RelayServer {
  const served = new Map<number, Served>();

  function serve(id: number, relayed: RelayedRequest): void {
    const own: Served = { connection: new RelayedConnection(relayed) };
    served.set(id, own);
    const serving = relayed.isCall ? serveCall(id, own, relayed) : serveRequest(id, own, relayed);
    // The app never fails, so the request could not be made.
    serving.catch(() => respond(id, null));
  }

  const respond = (id: number, response: RelayedResponse | null) =>
    send({ kind: "response", id, response });

  async function serveCall(id: number, own: Served, relayed: RelayedRequest): Promise<void> {
    const call = app.calls.get(relayed.target) as Call;
    const request = new RelayedCall(relayed);
    own.body = request.receive;
    const { status, headers, body } = await call(request, own.connection);
    const isStream = body instanceof ReadableStream;
    own.rest = isStream ? body.getReader() : undefined;
    const first = isStream ? null : body;
    respond(id, { status, headers: Object.entries(headers), body: first, isStream });
  }

  async function serveRequest(id: number, own: Served, relayed: RelayedRequest): Promise<void> {
    const request = requestOf(relayed, relayed.hasBody ? bodyStream(id, own) : null);
    if (relayed.isWaiting) markWaiting(request);
    const response = await app.fetch(request, own.connection);
    const [body, rest] = await begin(response.body?.getReader());
    own.rest = rest;
    const { status } = response;
    const isStream = rest !== undefined;
    respond(id, { status, headers: [...response.headers], body, isStream });
  }

  /** The body, of which the app asks for each chunk. */
  function bodyStream(id: number, own: Served): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { promise, resolve } = Promise.withResolvers<Chunk>();
          own.body = resolve;
          send({ kind: "pull", id });
          const chunk = await promise;
          if (chunk instanceof Uint8Array) return controller.enqueue(chunk);
          if (chunk !== null) throw new Error(chunk.error);
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  }

  async function readRest(id: number, isCancelled: boolean): Promise<void> {
    const own = served.get(id);
    const rest = own?.rest;
    if (own === undefined || rest === undefined) return;
    if (isCancelled) return cancel(own);
    try {
      const { value } = await rest.read();
      if (value !== undefined) {
        const chunk = ownBytes(value);
        return send({ kind: "chunk", id, chunk }, [chunk.buffer]);
      }
      send({ kind: "chunk", id, chunk: null });
    } catch (error) {
      send({ kind: "chunk", id, chunk: { error: String((error as Error).message ?? error) } });
    }
    own.rest = undefined;
  }

  async function cancel(own: Served): Promise<void> {
    const { rest } = own;
    own.rest = undefined;
    await rest?.cancel().catch(() => {});
  }

  /** The response is sent, or its client is gone. */
  function end(id: number): void {
    const own = served.get(id);
    if (own === undefined) return;
    served.delete(id);
    void cancel(own);
    own.connection.sent();
  }

  return {
    receive(message) {
      if (message.kind === "request") serve(message.id, message.request);
      else if (message.kind === "body") served.get(message.id)?.body?.(message.chunk);
      else if (message.kind === "read") void readRest(message.id, message.isCancelled);
      else if (message.kind === "sent") end(message.id);
    },
    close() {
      for (const [id, own] of served) {
        own.body?.({ error: "The connection was closed" });
        end(id);
      }
    },
  };
}

/**
 * Reads the beginning of a body: all of it if it is one chunk, as of most responses, which are then sent with their length. Otherwise
 * returns a reader of the rest.
 */
async function begin(
  reader: Reader | undefined,
): Promise<[body: Uint8Array | null, rest: Reader | undefined]> {
  if (reader === undefined) return [null, undefined];
  try {
    const { value = null } = await reader.read();
    if (value === null) return [null, undefined];
    const next = reader.read();
    next.catch(() => {});
    const read = await Promise.race([next, setImmediate(null)]);
    return [value, read?.done === true ? undefined : withFirst(next, reader)];
  } catch {
    // The reader of the rest meets the same error.
    return [null, reader];
  }
}

function withFirst(first: ReturnType<Reader["read"]>, reader: Reader): Reader {
  let isFirst = true;
  return {
    read() {
      if (!isFirst) return reader.read();
      isFirst = false;
      return first;
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

function requestOf(
  { method, url, headers: raw }: RelayedRequest,
  body: ReadableStream<Uint8Array> | null,
): Request {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2)
    headers.append(raw[at] as string, raw[at + 1] as string);
  // A web Request allows no TRACE (`@hono/node-server` does the same).
  const isHidden = method === "TRACE";
  const request = new Request("http://localhost", {
    ...{ method: isHidden ? "GET" : method, headers, body, duplex: "half" },
  } as RequestInit);
  if (isHidden) Object.defineProperty(request, "method", { value: method });
  // As it is: the adapter lets some hosts pass that the constructor rejects, such as 1.2.3.256.
  Object.defineProperty(request, "url", { value: url });
  return request;
}

class RelayedCall implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderLookup;
  readonly body = null;
  bodyUsed = false;
  readonly #bytes = Promise.withResolvers<Uint8Array>();

  constructor({ method, url, headers }: RelayedRequest) {
    this.method = method;
    this.url = url;
    this.headers = new RawHeaders(headers);
    // A call that is rejected does not read it.
    this.#bytes.promise.catch(() => {});
  }

  arrayBuffer(): Promise<Uint8Array> {
    this.bodyUsed = true;
    return this.#bytes.promise;
  }

  readonly receive = (chunk: Chunk): void => {
    if (chunk instanceof Uint8Array) this.#bytes.resolve(chunk);
    else this.#bytes.reject(new Error(chunk?.error));
  };
}
