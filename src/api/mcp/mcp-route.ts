import { ApiError } from "#errors.ts";
import { SPACE_BYTES } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { Caller } from "../pipeline/authenticate.ts";
import { dropBody, readBody } from "../pipeline/body.ts";
import { mayBeLarge } from "../pipeline/call-tool.ts";
import type { RequestContext } from "../pipeline/request-context.ts";
import type { Route, SiteParts } from "../routes.ts";
import type { Exchange, Reply, StreamedBody } from "./serve-message.ts";

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions, each response in JSON. This file is the
 * HTTP around it; `serve-message.ts` is the protocol.
 */
type McpDeps = SiteParts & { version: string };

export function createMcpRoute(deps: McpDeps): Route {
  const { app, replier, keys, openGate, budget, fetch, version } = deps;
  const { origin } = new URL(app.settings.publicUrl);
  let mcp: ((exchange: Exchange) => Promise<Reply>) | undefined;
  // The arguments are at most a body of the API; the rest of the message goes beside them.
  const bodyBytesMax = Math.max(...app.tools.map((tool) => tool.bodyBytesMax)) + SPACE_BYTES;

  async function handle(
    request: Request,
    context: RequestContext,
    connection: unknown,
  ): Promise<Response> {
    const { headers } = request;
    const sentOrigin = headers.get("origin");
    if (sentOrigin !== null && sentOrigin !== origin)
      return reject(FOREIGN_ORIGIN, request, context);
    const caller = await keys.authenticate(request);
    context.account = caller.account;
    context.key = caller.keyId;
    requireJson(headers);
    if (!acceptsJson(headers.get("accept"))) return reject(NOT_ACCEPTABLE, request, context);
    await checkFirst(request, caller, context, connection);
    const lease = budget.of(caller.account);
    try {
      const body = await readBody(request, bodyBytesMax, lease, {
        timeoutMs: app.bodyTimeoutMs,
      });
      const exchange: Exchange = {
        body,
        headers,
        async call(tool, args, key) {
          const { requestId } = context;
          const inner = requestFor(tool, request, args, { key, requestId });
          // The message counts what it holds, and its calls are made one after the other.
          budget.cover(inner, lease);
          return fetch(inner, connection);
        },
        logError: (message, cause) =>
          app.logError(message, { requestId: context.requestId, cause }),
      };
      // Not the promise is kept: in workerd a request may not wait for one of another request.
      mcp ??= (await import("./serve-message.ts")).createMcp({ tools: app.tools, version });
      return await send(await mcp(exchange), headers, context);
    } finally {
      lease.release();
    }
  }

  /**
   * A forged key must neither hold an account's memory nor have anything parsed, so the ledger is asked before a large
   * message is read, which then counts towards the rate besides its call, and for a key that this node does not know. A
   * remote ledger is not asked for a small message: its call asks anyway.
   */
  async function checkFirst(
    request: Request,
    caller: Caller,
    context: RequestContext,
    connection: unknown,
  ): Promise<void> {
    if (!mayBeLarge(request) && (caller.known || app.calls.isRemote)) return;
    const address = app.clientAddress(connection);
    // Not the context of the message: the balance and the rate are in the result of its call.
    const asked = { ...context };
    const call = { caller, context: asked, tool: null, price: 0, address, repeatKey: null };
    await openGate(call).askStatus();
    context.key = caller.keyId;
  }

  /** As errors of the API: the body is read and dropped, so that the client can use its connection again. */
  async function reject(error: HttpError, request: Request, context: RequestContext) {
    const isDropped = await dropBody(request, bodyBytesMax);
    return replier.plain("application/json", error.body, request.headers, context, {
      status: error.status,
      ...(isDropped ? {} : { headers: { Connection: "close" } }),
    });
  }

  function send({ status, body }: Reply, headers: Headers, context: RequestContext) {
    if (typeof body === "string") {
      return replier.plain("application/json", body, headers, context, { status });
    }
    if (body === null) {
      return new Response(null, { status, headers: replier.headers(headers, context, {}) });
    }
    const { stream, length } = joined(body);
    const own = { "Content-Type": "application/json", "Content-Length": String(length) };
    return new Response(app.sendStream(stream, length), {
      status,
      headers: replier.headers(headers, context, own),
    });
  }

  return {
    path: "/mcp",
    methods: { POST: handle },
    tool: null,
    bodyBytesMax,
    isSameOriginOnly: true,
  };
}

type HttpError = { status: number; body: string };

/** An error of JSON-RPC without an id. The code is one of those that the specification leaves to implementations. */
const httpError = (status: number, message: string): HttpError => ({
  status,
  body: JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } }),
});

/** The specification asks for it, so that the scripts of other sites cannot use a server on this machine. */
const FOREIGN_ORIGIN = httpError(403, "Forbidden: requests of this Origin are not accepted.");

const NOT_ACCEPTABLE = httpError(
  406,
  "Not acceptable: every response is JSON. Send `Accept: application/json, text/event-stream`.",
);

/** Without `Accept`, and for `*` as curl sends it, too. */
const acceptsJson = (accept: string | null): boolean =>
  accept === null || /(?:^|,)\s*(?:\*\/\*|application\/(?:\*|json))\s*(?:[;,]|$)/i.test(accept);

/** The head, the stream and the tail as one stream, and its length in bytes. */
function joined({ head, stream, streamBytes, tail }: StreamedBody) {
  const [before, after] = [utf8.encode(head), utf8.encode(tail)];
  const around = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(before),
    flush: (controller) => controller.enqueue(after),
  });
  const length = before.byteLength + streamBytes + after.byteLength;
  return { stream: stream.pipeThrough(around), length };
}

const utf8 = new TextEncoder();

/** JSON alone, unlike a tool: with it, a browser asks before it sends the request of another site. */
function requireJson(headers: Headers): void {
  const type = headers.get("content-type");
  if (type !== null && /^\s*application\/json\s*(?:;|$)/i.test(type)) return;
  const got = type === null || type === "" ? "It has none" : `It is "${type.slice(0, 80)}"`;
  throw new ApiError(
    "unsupported_media_type",
    `The \`Content-Type\` of a message must be \`application/json\`. ${got}.`,
  );
}

/** The client's headers stay, because they may show where it is. Those that describe the message do not. */
function requestFor(
  tool: Tool,
  { url, headers: sent }: Request,
  args: Uint8Array | null,
  { key, requestId }: { key: string | null; requestId: string },
): Request {
  const headers = new Headers(sent);
  for (const name of OF_THE_MESSAGE) headers.delete(name);
  headers.set("Content-Type", "application/json");
  headers.set("Accept", "application/json");
  headers.set("Content-Length", String(args?.byteLength ?? 0));
  headers.set("X-Request-Id", requestId);
  if (key !== null) headers.set("Idempotency-Key", key);
  const body = args as Uint8Array<ArrayBuffer> | null;
  return new Request(new URL(`/api/v1/${tool.name}`, url), { method: "POST", headers, body });
}

const OF_THE_MESSAGE = [
  ...["Accept-Encoding", "Content-Encoding", "Expect", "Idempotency-Key", "Origin"],
  ...["Transfer-Encoding", "Connection", "Keep-Alive"],
];
