import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ToolOfSdk,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { HOUR_MS, IDEMPOTENCY_KEY_CHARS_MAX, MCP_BATCH_BYTES_MAX, MCP_BATCH_MAX } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { nearestName } from "#tools/nearest-name.ts";
import { describeTool, VERBATIM_FIELD } from "./describe-tools.ts";
import { argumentsOf, readField, readMessages } from "./message.ts";
import { type LargeResponse, NotJsonError, splitAtStandIn, toolResult } from "./tool-result.ts";

/**
 * Serves the messages of one body with the official SDK. Only `mcp-route.ts` imports this file, and only when the first
 * request comes: loading the SDK takes a tenth of a second and 30 MB.
 *
 * It knows nothing of accounts and credits. A tool's call becomes a request to the API, with the same pipeline as any other.
 */
export type Exchange = {
  body: Uint8Array;
  /** Those of the HTTP request. */
  headers: Headers;
  /** Calls a tool: `args` is the body of the call, null where there is none. */
  call(tool: Tool, args: Uint8Array | null, idempotencyKey: string | null): Promise<Response>;
  /** Reports what a client never sees. */
  logError(message: string, cause: unknown): void;
};

/** A body in parts, as long as they are together. */
export type StreamedBody = {
  head: string;
  stream: ReadableStream<Uint8Array>;
  streamBytes: number;
  tail: string;
};

/** `body` is null for a notification, which has no response. */
export type Reply = { status: number; body: string | StreamedBody | null };

type McpOptions = { tools: readonly Tool[]; version: string };

/** The key in `_meta` of `tools/call` under which a repeated call is charged once. No revision of MCP has its own yet. */
const IDEMPOTENCY_META = "toolbooth/idempotency-key";
const OWN_META = /^toolbooth\//;

/** Returns what serves a body with one message or, in early revisions, several. Throws an ApiError `too_large`. */
export function createMcp({ tools, version }: McpOptions): (exchange: Exchange) => Promise<Reply> {
  // A JSON Schema is JSON, which its own type does not say.
  const described = tools.map(describeTool) as unknown as ToolOfSdk[];
  return async (exchange) => {
    const parsed = readMessages(exchange.body);
    if (parsed === undefined) {
      return rejection(ProtocolErrorCode.ParseError, "Parse error: the body is not JSON.");
    }
    const served = { tools, described, version, exchange };
    return Array.isArray(parsed) ? serveBatch(served, parsed) : serveOne(served, parsed);
  };
}

type Served = McpOptions & { described: ToolOfSdk[]; exchange: Exchange };

/** Serves a message. The response of a call that is too large to be read takes its place in the result. */
async function serveOne(served: Served, message: unknown): Promise<Reply> {
  let large: LargeResponse | null = null;
  const reply = await serveMessage(served, message, (response) => {
    large = response;
  });
  return putInto(reply, large);
}

function putInto({ status, text }: SdkReply, large: LargeResponse | null): Reply {
  if (large === null || text === null) return { status, body: text };
  const [head, tail] = splitAtStandIn(text);
  return { status, body: { head, stream: large.stream, streamBytes: large.bytes, tail } };
}

/**
 * Batches were part of the protocol until 2025-06-18, whose clients name their revision in a header. The messages are
 * served one after the other, and their results together are bounded by the size of the batch.
 */
async function serveBatch(served: Served, messages: unknown[]): Promise<Reply> {
  const { headers, body } = served.exchange;
  const revision = headers.get("mcp-protocol-version");
  const { InvalidRequest } = ProtocolErrorCode;
  if (revision !== null && revision >= FIRST_WITHOUT_BATCHES) {
    return rejection(InvalidRequest, `Revision ${revision} has no batches. Send one message.`);
  }
  if (messages.length === 0 || messages.length > MCP_BATCH_MAX) {
    return rejection(InvalidRequest, `A batch has 1 to ${MCP_BATCH_MAX} messages.`);
  }
  if (headers.has("idempotency-key")) {
    const where = `\`_meta["${IDEMPOTENCY_META}"]\` of each call`;
    return rejection(InvalidRequest, `For a batch, send the idempotency key in ${where}.`);
  }
  if (body.byteLength > MCP_BATCH_BYTES_MAX) {
    return rejection(InvalidRequest, `A batch has at most ${MCP_BATCH_BYTES_MAX} bytes.`);
  }
  const texts: string[] = [];
  for (const message of messages) {
    const { text } = await serveMessage(served, message, null);
    if (text !== null) texts.push(text);
  }
  return texts.length === 0
    ? { status: 202, body: null }
    : { status: 200, body: `[${texts.join(",")}]` };
}

const FIRST_WITHOUT_BATCHES = "2025-06-18";

type SdkReply = { status: number; text: string | null };

/** `keepLarge` takes a response that is too large to be read; null: every response is read. */
type KeepLarge = ((response: LargeResponse) => void) | null;

async function serveMessage(
  served: Served,
  message: unknown,
  keepLarge: KeepLarge,
): Promise<SdkReply> {
  // The SDK would keep a stream open on which nothing ever comes.
  if (isRequestFor(message, "subscriptions/listen")) {
    const id = (message as { id?: unknown }).id ?? null;
    const text = "Method not found: this server has nothing to subscribe to.";
    return { status: 404, text: errorText(ProtocolErrorCode.MethodNotFound, text, id) };
  }
  const request = withOwnHeaders(served.exchange.headers);
  const newServer = () => createServer(served, keepLarge);
  const response = (await isLegacyRequest(request, message))
    ? await serveLegacy(request, message, newServer)
    : await createMcpHandler(newServer, { legacy: "reject" }).fetch(request, {
        parsedBody: message,
      });
  return { status: response.status, text: response.body === null ? null : await response.text() };
}

/** As the SDK serves a revision before 2026-07-28 without sessions, but in JSON and not as a stream of events. */
async function serveLegacy(
  request: Request,
  message: unknown,
  newServer: () => Server,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = newServer();
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/**
 * The request as the SDK sees it. Its body has been read, and its `Accept` was checked: every response is JSON, so a client
 * need not accept streams of events.
 */
function withOwnHeaders(sent: Headers): Request {
  const headers = new Headers({
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  });
  for (const name of ["mcp-protocol-version", "mcp-method", "mcp-name"]) {
    const value = sent.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Request("http://localhost/mcp", { method: "POST", headers });
}

function createServer(
  { tools, described, version, exchange }: Served,
  keepLarge: KeepLarge,
): Server {
  const server = new Server(
    { name: "toolbooth", title: "Toolbooth", version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: NO_VALIDATOR,
      cacheHints: { "tools/list": LIST_CACHE, "server/discover": LIST_CACHE },
    },
  );
  server.setRequestHandler("tools/list", ({ params }) => {
    if (params?.cursor !== undefined) throw invalidParams("Unknown cursor: the list has one page.");
    return { tools: described };
  });
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = findTool(tools, params.name);
    const key = readIdempotencyKey(params._meta ?? {}, exchange.headers.get("idempotency-key"));
    const args = bodyOfCall(tool, argumentsOf(exchange.body, params.arguments));
    try {
      const response = await exchange.call(tool, args, key);
      const { result, large } = await toolResult(response, keepLarge !== null);
      if (large !== null) keepLarge?.(large);
      return result;
    } catch (cause) {
      if (cause instanceof NotJsonError) throw notJson(cause.message);
      exchange.logError("A call through MCP failed", cause);
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        "Internal error. The call may have been charged; a repeat with the same idempotency key is not charged again.",
      );
    }
  });
  return server;
}

const INSTRUCTIONS =
  "Successful calls cost credits. Errors cost nothing, unless they say that the call may have been charged. To repeat a call safely after a lost response, send the same " +
  `_meta["${IDEMPOTENCY_META}"] both times: it is charged once.`;

/** The tools change only with a release, and are the same for every key. */
const LIST_CACHE = { ttlMs: HOUR_MS, cacheScope: "public" as const };

/** For what users reply to questions of the server, of which there are none. The SDK would make one for each request. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error("This server asks its clients nothing.");
  },
};

function findTool(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return tool;
  const names = tools.map((each) => each.name);
  const nearest = nearestName(name, names);
  const hint =
    nearest === undefined ? `The tools are ${names.join(", ")}.` : `Did you mean ${nearest}?`;
  throw invalidParams(`Unknown tool: ${name.slice(0, 100)}. ${hint}`);
}

/** A header is for clients that set one for each request. `_meta` and header may both be there if they agree. */
function readIdempotencyKey(meta: Record<string, unknown>, header: string | null): string | null {
  const unknown = Object.keys(meta).find(
    (name) => OWN_META.test(name) && name !== IDEMPOTENCY_META,
  );
  if (unknown !== undefined) {
    throw invalidParams(`Unknown _meta "${unknown.slice(0, 100)}". Use "${IDEMPOTENCY_META}".`);
  }
  const key = meta[IDEMPOTENCY_META];
  if (key === undefined) return header;
  if (typeof key !== "string" || !IDEMPOTENCY_KEY.test(key)) {
    const rule = `a string of 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters`;
    throw invalidParams(`_meta["${IDEMPOTENCY_META}"] must be ${rule}.`);
  }
  if (header !== null && header !== key) {
    throw invalidParams(`_meta["${IDEMPOTENCY_META}"] and the header Idempotency-Key differ.`);
  }
  return key;
}

const IDEMPOTENCY_KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARS_MAX}}$`);

/** For a verbatim tool the value of its one argument. Other tools check the names of their arguments themselves. */
function bodyOfCall(tool: Tool, args: Uint8Array | null): Uint8Array | null {
  if (args === null || !tool.verbatim) return args;
  const { value, hasOthers } = readMembers(args);
  if (hasOthers) throw invalidParams(`${tool.name} has one argument, \`${VERBATIM_FIELD}\`.`);
  return value;
}

function readMembers(args: Uint8Array) {
  try {
    return readField(args, VERBATIM_FIELD);
  } catch {
    throw notJson("an object with quoted names was expected.");
  }
}

const notJson = (text: string) =>
  new ProtocolError(ProtocolErrorCode.ParseError, `Parse error in the arguments: ${text}`);

const invalidParams = (text: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, text);

const errorText = (code: number, message: string, id: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });

const rejection = (code: number, message: string): Reply => ({
  status: 400,
  body: errorText(code, message, null),
});

const isRequestFor = (message: unknown, method: string) =>
  typeof message === "object" &&
  message !== null &&
  "method" in message &&
  message.method === method;
