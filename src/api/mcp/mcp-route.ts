import { admitKey } from "#calls/admit.ts";
import { authenticate } from "#calls/authenticate.ts";
import { readBody } from "#calls/body.ts";
import { type KeyedRequest, keyedRequest, mayBeLarge } from "#calls/call.ts";
import { type ApiRequest, asWebResponse, type HeaderLookup, streamOf } from "#calls/exchange.ts";
import type { RequestContext } from "#calls/request-context.ts";
import { ApiError } from "#errors.ts";
import { SPACE_BYTES } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { createPreflight, methodNotAllowed, type Route, type SiteParts } from "../routes.ts";
import { pathOf } from "../tool-calls.ts";
import { isBatch } from "./message.ts";
import { createMcp, type Exchange, type Reply } from "./serve-message.ts";
import type { Piece } from "./tool-result.ts";

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions, each response in JSON. This file is the
 * HTTP around it; `serve-message.ts` is the protocol. Errors of HTTP are problem documents, as those of the API.
 *
 * Messages are free, but not unbounded: each one counts towards the rates of the account and the key, as a call does, and
 * asks whether the key is still good.
 */
type McpParts = SiteParts & { version: string };

const METHODS = ["POST", "OPTIONS"];

export function createMcpRoute(parts: McpParts): Route {
  const { app, deps, calls, version } = parts;
  const { replier } = deps;
  let mcp: ((exchange: Exchange) => Promise<Reply>) | undefined;
  // The arguments are at most a body of the API; the rest of the message goes beside them.
  const bodyBytesMax = Math.max(...app.tools.map((tool) => tool.bodyBytesMax)) + SPACE_BYTES;

  async function handle(
    request: Request,
    context: RequestContext,
    connection: unknown,
  ): Promise<Response> {
    const { headers } = request;
    const keyed = keyedRequest(deps, request, context, connection);
    await authenticate(keyed);
    const { caller } = keyed;
    const count = createCount(keyed);
    // For a forged key nothing is read or parsed. A remote ledger is not asked for a small message before it is known
    // whether it makes a call, which asks anyway.
    const isUnknown = !caller.known && !app.calls.isRemote;
    if (isUnknown || mayBeLarge(request)) await count.inAdvance();
    requireJson(headers);
    requireJsonAccepted(headers.get("accept"));
    const lease = deps.budget.of(caller.account);
    try {
      const body = await readBody(request, bodyBytesMax, lease, {
        timeoutMs: app.bodyTimeoutMs,
      });
      // Over the rate a batch is not even parsed.
      if (isBatch(body)) await count.inAdvance();
      const exchange: Exchange = {
        body,
        headers,
        count,
        left: () => context.rate?.remaining ?? null,
        call(tool, args, key) {
          // The credits and the rate are in the result of the call, not in the headers of the message.
          Object.assign(context, { charged: null, balance: null, rate: null });
          const sent = requestFor(tool, headers, args, { key, requestId: context.requestId });
          // The calls of a message are made one after the other.
          const inner = { ...sent, lease };
          const call = calls.get(pathOf(tool));
          if (call === undefined) throw new Error(`No call of ${tool.name}`);
          return call(inner, connection);
        },
        problem: (error) => replier.problem(error, headersOfCall(headers, {}), context, true),
        logError: (message, cause) =>
          app.logError(message, { requestId: context.requestId, cause }),
      };
      // Not with the service: describing the tools takes a moment.
      mcp ??= createMcp({ tools: app.tools, version, name: app.settings.name });
      return await send(await mcp(exchange), headers, context);
    } finally {
      lease.release();
    }
  }

  /** Counts a message. `inAdvance`: before the first one has been read, which is then counted. */
  function createCount(keyed: KeyedRequest) {
    let isFirstCounted = false;
    const count = async () => {
      if (!isFirstCounted) return admitKey(keyed);
      isFirstCounted = false;
    };
    const inAdvance = async () => {
      if (!isFirstCounted) await admitKey(keyed);
      isFirstCounted = true;
    };
    return Object.assign(count, { inAdvance });
  }

  /** The key is checked first: who asks with GET for a stream, and has no good key, is told of the key. */
  async function rejectMethod(
    request: Request,
    context: RequestContext,
    connection: unknown,
  ): Promise<never> {
    const keyed = keyedRequest(deps, request, context, connection);
    await authenticate(keyed);
    await admitKey(keyed);
    const hint = request.method === "GET" ? " There is no event stream." : "";
    throw methodNotAllowed(request.method, "/mcp", METHODS, hint);
  }

  function send(reply: Reply, headers: Headers, context: RequestContext) {
    if ("response" in reply) return asWebResponse(reply.response);
    const { status, body } = reply;
    if (body === null) {
      return new Response(null, { status, headers: replier.headers(headers, context, {}) });
    }
    if (body.every((piece) => typeof piece === "string")) {
      return replier.plain("application/json", body.join(""), headers, context, { status });
    }
    const { stream, length } = joined(body);
    const own = {
      "Content-Type": "application/json",
      ...(length !== null && { "Content-Length": String(length) }),
    };
    return new Response(length === null ? stream : app.sendStream(stream, length), {
      status,
      headers: replier.headers(headers, context, own),
    });
  }

  return {
    path: "/mcp",
    methods: { POST: handle, OPTIONS: createPreflight(replier, METHODS.join(", ")) },
    otherMethods: rejectMethod,
    tool: null,
    bodyBytesMax,
  };
}

/** The pieces as one stream, and its length in bytes; null if that is not known. */
function joined(pieces: readonly Piece[]) {
  const encoded = pieces.map((piece) => (typeof piece === "string" ? utf8.encode(piece) : piece));
  async function* chunks() {
    for (const piece of encoded) {
      if (piece instanceof Uint8Array) yield piece;
      else yield* piece.stream;
    }
  }
  const lengths = encoded.map((piece) =>
    piece instanceof Uint8Array ? piece.byteLength : piece.bytes,
  );
  const length = lengths.reduce((sum, each) => (sum === null || each === null ? null : sum + each));
  return { stream: streamOf(chunks()), length: length ?? null };
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

/** Without `Accept`, and for `*` as curl sends it, too. */
function requireJsonAccepted(accept: string | null): void {
  if (accept === null) return;
  if (/(?:^|,)\s*(?:\*\/\*|application\/(?:\*|json))\s*(?:[;,]|$)/i.test(accept)) return;
  throw new ApiError(
    "not_acceptable",
    "Every response is JSON. Send `Accept: application/json, text/event-stream`.",
  );
}

/** A call as if it had come by itself. Of the message's headers it has those that say who calls and from where. */
function requestFor(
  tool: Tool,
  sent: HeaderLookup,
  args: Uint8Array | null,
  { key, requestId }: { key: string | null; requestId: string },
): ApiRequest {
  const body = args ?? NO_BYTES;
  const own = {
    "content-type": "application/json",
    "content-length": String(body.byteLength),
    "idempotency-key": key,
    "x-request-id": requestId,
  };
  return {
    method: "POST",
    url: pathOf(tool),
    headers: headersOfCall(sent, own),
    bodyUsed: false,
    arrayBuffer: async () => body,
    body: null,
  };
}

/** The headers of the message, but for those that say how it is sent and what it may be answered with. */
function headersOfCall(sent: HeaderLookup, own: Record<string, string | null>): HeaderLookup {
  const changed = new Map(
    Object.entries({ ...OF_THE_MESSAGE, accept: "application/json", ...own }),
  );
  return { get: (name) => (changed.has(name) ? (changed.get(name) ?? null) : sent.get(name)) };
}

const OF_THE_MESSAGE: Record<string, null> = {
  ...{ "accept-encoding": null, "content-encoding": null },
  ...{ expect: null, "transfer-encoding": null },
};

const NO_BYTES = new Uint8Array();
