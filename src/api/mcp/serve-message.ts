import { slugOf } from "#brand.ts";
import type { ApiResponse } from "#calls/exchange.ts";
import { ApiError, type LimitSource } from "#errors.ts";
import {
  HOUR_MS,
  IDEMPOTENCY_KEY_CHARS_MAX,
  MCP_BATCH_BYTES_MAX,
  MCP_BATCH_MAX,
  MCP_BATCH_RESULTS_CHARS_MAX,
} from "#limits.ts";
import { fieldFinding, inputProblem } from "#tools/check-input.ts";
import type { Tool } from "#tools/define-tool.ts";
import { nearestName } from "#tools/nearest-name.ts";
import { BODY_ARGUMENT, describeTool, hasBodyArgument, responseKindOf } from "./describe-tools.ts";
import { argumentsOf, readField, readMessages } from "./message.ts";
import {
  CODES,
  errorText,
  FIRST_WITHOUT_BATCHES,
  type Id,
  idOf,
  isObject,
  MODERN_REVISIONS,
  modernMembers,
  negotiate,
  type Params,
  RpcError,
  type RpcRequest,
  readMessage,
  resultHead,
} from "./protocol.ts";
import {
  type Piece,
  type Problem,
  type ResponseKind,
  type ToolResult,
  toolResult,
} from "./tool-result.ts";

/**
 * Serves the messages of one body. It knows nothing of accounts and credits: a tool's call goes through the same pipeline
 * as any other.
 */
export type Exchange = {
  body: Uint8Array;
  /** Those of the HTTP request. */
  headers: Headers;
  /**
   * Asks for the status of the key, which counts the message towards the rates. Called for each message that makes no call,
   * also if it is not valid. Throws the ApiError of the key, the account or the rate.
   */
  count(): Promise<void>;
  /** How many more messages the rate allows now; null if there is no limit. Known once a message was counted. */
  left(): number | null;
  /** Calls a tool, which counts the message. `args` is the body of the call, null where there is none. */
  call(tool: Tool, args: Uint8Array | null, idempotencyKey: string | null): Promise<ApiResponse>;
  /** An error as the API would respond with it. */
  problem(error: ApiError): Promise<ApiResponse>;
  /** Reports what a client never sees. */
  logError(message: string, cause: unknown): void;
};

/** `body` is null for a message that has no response. `response`: the whole response is that of the API. */
export type Reply = { status: number; body: Piece[] | null } | { response: ApiResponse };

/** `name`: that of the service. */
type McpOptions = { tools: readonly Tool[]; version: string; name: string };

/** The members of `_meta` that are ours, which begin with the name of the service. */
type OwnMeta = {
  prefix: string;
  /** The key in `_meta` of `tools/call` under which a repeated call is charged once. No revision of MCP has its own yet. */
  idempotencyKey: string;
};

/**
 * Returns what serves a body with one message or, in early revisions, several. Throws an ApiError: `too_large`, or of the
 * key, the account or the rate.
 */
export function createMcp({
  tools,
  version,
  name: title,
}: McpOptions): (exchange: Exchange) => Promise<Reply> {
  const name = slugOf(title);
  const own: OwnMeta = { prefix: `${name}/`, idempotencyKey: `${name}/idempotency-key` };
  // A message has no files.
  const offered = tools.filter(({ file }) => file === undefined);
  const names = offered.map((tool) => tool.name);
  const results = keepResults(offered, { name, title, version }, own);
  const kinds = new Map(tools.map((tool) => [tool, responseKindOf(tool)]));
  const withBodyArgument = new Set(tools.filter(hasBodyArgument));
  return (exchange) => {
    const served = { tools, names, kinds, withBodyArgument, results, exchange, own };
    const messages = attempt(null, () => {
      const read = readMessages(exchange.body);
      return Array.isArray(read) ? checkBatch(exchange, read, own) : { alone: read };
    });
    if ("alone" in messages) return serveMessage(served, messages.alone, true);
    return Array.isArray(messages) ? serveBatch(served, messages) : counted(exchange, messages);
  };
}

type Served = {
  tools: readonly Tool[];
  /** Of those that a message can call. */
  names: readonly string[];
  kinds: ReadonlyMap<Tool, ResponseKind>;
  withBodyArgument: ReadonlySet<Tool>;
  results: Results;
  exchange: Exchange;
  own: OwnMeta;
};

/** A response of the protocol, which needs no call. */
type OwnReply = { status: number; body: Piece[] | null };

/** An error of the protocol becomes the response to the message with this id. */
function attempt<Value>(id: Id | null, perform: () => Value): Value | OwnReply {
  try {
    return perform();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { status: error.status, body: [errorText(error, id)] };
  }
}

async function counted(exchange: Exchange, reply: OwnReply): Promise<OwnReply> {
  await exchange.count();
  return reply;
}

/** Batches were part of the protocol until 2025-06-18, whose clients name their revision in a header. */
function checkBatch({ headers, body }: Exchange, messages: unknown[], own: OwnMeta): unknown[] {
  const reject = (text: string) => new RpcError(CODES.invalidRequest, text, { status: 400 });
  const revision = headers.get("mcp-protocol-version");
  if (revision !== null && revision >= FIRST_WITHOUT_BATCHES) {
    throw reject(`Revision ${revision.slice(0, 100)} has no batches. Send one message.`);
  }
  if (messages.length === 0 || messages.length > MCP_BATCH_MAX) {
    throw reject(`A batch has 1 to ${MCP_BATCH_MAX} messages.`);
  }
  if (headers.has("idempotency-key")) {
    const where = `\`_meta["${own.idempotencyKey}"]\` of each call`;
    throw reject(`For a batch, send the idempotency key in ${where}.`);
  }
  if (body.byteLength > MCP_BATCH_BYTES_MAX) {
    const size = `this one has ${body.byteLength}`;
    throw reject(`A batch has at most ${MCP_BATCH_BYTES_MAX} bytes; ${size}.`);
  }
  return messages;
}

/**
 * Serves the messages one after the other. After an error of the key, the account or the rate, which the others would meet too, and
 * once the results are as large as they may be together, the rest is not served.
 */
async function serveBatch(served: Served, messages: readonly unknown[]): Promise<Reply> {
  // The first was counted before the batch was parsed.
  const left = served.exchange.left();
  if (left !== null && left < messages.length - 1) throw batchTooLarge(messages.length, left + 1);
  const bodies: Piece[][] = [];
  let chars = 0;
  for (const [at, message] of messages.entries()) {
    if (chars > MCP_BATCH_RESULTS_CHARS_MAX) {
      bodies.push(...messages.slice(at).flatMap((each) => notServed(each, RESULTS_TOO_LARGE)));
      break;
    }
    const reply = await serveMessage(served, message, false).catch(async (error) => {
      // Without a response that would be lost, the whole request gets the error.
      if (!(error instanceof ApiError) || bodies.length === 0) throw error;
      return { response: await served.exchange.problem(error) };
    });
    if ("response" in reply) {
      if (bodies.length === 0) return reply;
      const problem: Problem = JSON.parse(String(reply.response.body));
      const why = `${problem.code} (${problem.status}). ${problem.detail}`;
      bodies.push(...messages.slice(at).flatMap((each) => notServed(each, why)));
      break;
    }
    if (reply.body === null) continue;
    bodies.push(reply.body);
    for (const piece of reply.body) if (typeof piece === "string") chars += piece.length;
  }
  if (bodies.length === 0) return { status: 202, body: null };
  const list = bodies.flatMap((body, at) => (at === 0 ? body : [",", ...body]));
  return { status: 200, body: ["[", ...list, "]"] };
}

const batchTooLarge = (count: number, left: number) =>
  new ApiError(
    "rate_limited",
    `The batch has ${count} messages, and the rate allows ${left} now. Send fewer at once, or wait a second. None was served.`,
    { headers: { "Retry-After": "1" } },
  );

const RESULTS_TOO_LARGE =
  "the results before this message are as large as those of a batch may be. It costs nothing. Send it in another batch.";

function notServed(message: unknown, why: string): Piece[][] {
  const hasResponse = !isObject(message) || message["id"] !== undefined;
  const error = { code: CODES.server, message: `Not served: ${why}` };
  return hasResponse ? [[errorText(error, idOf(message))]] : [];
}

async function serveMessage(served: Served, message: unknown, isAlone: boolean): Promise<Reply> {
  const prepared = attempt(idOf(message), () => prepare(served, message));
  return "tool" in prepared
    ? makeCall(served, prepared, isAlone)
    : counted(served.exchange, prepared);
}

function prepare(served: Served, message: unknown): OwnReply | PreparedCall {
  const request = readMessage(message, served.exchange.headers);
  if (request === null) return { status: 202, body: null };
  if (request.method === "tools/call") return prepareCall(served, request);
  return { status: 200, body: [resultHead(request.id), resultOf(served.results, request), "}"] };
}

type Results = ReturnType<typeof keepResults>;

/** The results that are the same for every client, as text. */
function keepResults(tools: readonly Tool[], serverInfo: Params, own: OwnMeta) {
  // The tools change only with a release, and are the same for every key.
  const ofModern = { ttlMs: HOUR_MS, cacheScope: "public", ...modernMembers(serverInfo) };
  const list = { tools: tools.map(describeTool) };
  const about = { capabilities: { tools: {} }, instructions: instructions(own) };
  return {
    serverInfo,
    list: JSON.stringify(list),
    modernList: JSON.stringify({ ...list, ...ofModern }),
    discovery: JSON.stringify({ supportedVersions: MODERN_REVISIONS, ...about, ...ofModern }),
    initialize: (asked: unknown) =>
      JSON.stringify({ protocolVersion: negotiate(asked), ...about, serverInfo }),
  };
}

const instructions = ({ idempotencyKey }: OwnMeta): string =>
  "Successful calls cost credits: what the description of the tool says, unless the operator has set another price for the account. Errors cost nothing, unless they say that the call may have been charged. After rate_limited, wait as long as the error says. If an error is about credits, a budget or the API key, tell the user what it says: only they can change that. To repeat a call safely after a lost response, send the same " +
  `_meta["${idempotencyKey}"] both times: it is charged once.`;

function resultOf(results: Results, { method, params, isModern }: RpcRequest): string {
  switch (`${isModern ? "modern " : ""}${method}`) {
    case "initialize":
      return results.initialize(params["protocolVersion"]);
    case "ping":
      return "{}";
    case "modern server/discover":
      return results.discovery;
    case "tools/list":
    case "modern tools/list":
      if ((params["cursor"] ?? null) === null) return isModern ? results.modernList : results.list;
      throw invalidParams("Unknown cursor: the list has one page.");
    default:
      throw new RpcError(
        CODES.methodNotFound,
        `Method not found: ${method.slice(0, 100)}. This server has tools only.`,
        { status: isModern ? 404 : 200 },
      );
  }
}

type PreparedCall = {
  request: RpcRequest;
  tool: Tool;
  /** The body of the call, or what is wrong with the arguments. */
  body: Uint8Array | null | ApiError;
  key: string | null;
};

function prepareCall(served: Served, request: RpcRequest): PreparedCall {
  const { exchange, own } = served;
  const { params, meta } = request;
  const tool = findTool(served, params["name"]);
  const args = params["arguments"] ?? null;
  if (args !== null && !isObject(args)) {
    const got = Array.isArray(args) ? "a list" : `a ${typeof args}`;
    throw invalidParams(`\`arguments\` must be an object with the tool's arguments; got ${got}.`);
  }
  const key = readIdempotencyKey(meta, exchange.headers.get("idempotency-key"), own);
  const given = argumentsOf(exchange.body, args);
  const body = served.withBodyArgument.has(tool) ? bodyIn(tool, given) : (given ?? NO_ARGUMENTS);
  return { request, tool, body, key };
}

async function makeCall(served: Served, call: PreparedCall, isAlone: boolean): Promise<Reply> {
  const { exchange, kinds } = served;
  const { request, tool, body, key } = call;
  if (body instanceof ApiError) await exchange.count();
  const response = await (body instanceof ApiError
    ? exchange.problem(body)
    : exchange.call(tool, body, key));
  // The key is no longer good, which a client must hear as it would before any message.
  if (response.status === 401) return { response };
  try {
    const result = await toolResult(kinds.get(tool) ?? "object", response, isAlone);
    if (!isAlone && isOfAllMessages(result)) return { response };
    return { status: 200, body: writeResult(result, request, served) };
  } catch (error) {
    const sent = error instanceof RpcError ? error : internalError();
    if (sent !== error) exchange.logError("A call through MCP failed", error);
    return { status: sent.status, body: [errorText(sent, request.id)] };
  }
}

/** Whether every other message would meet the error of a call, too. */
function isOfAllMessages({ meta }: ToolResult): boolean {
  const { code, limitSource = "" } = (meta["problem"] ?? {}) as Partial<Problem>;
  return code === "account_suspended" || (code === "rate_limited" && !OF_A_CALL.has(limitSource));
}

/** The limits of calls with an idempotency key. */
const OF_A_CALL: ReadonlySet<string> = new Set<LimitSource>(["idempotency_key", "kept_responses"]);

const internalError = () =>
  new RpcError(
    CODES.internal,
    "Internal error. The call may have been charged. If it has an idempotency key, a repeat with that key is not charged again.",
  );

function writeResult(
  result: ToolResult,
  { id, isModern }: RpcRequest,
  { results: { serverInfo }, own }: Served,
): Piece[] {
  const { content, structured, isError } = result;
  const meta = Object.fromEntries(
    Object.entries(result.meta).map(([name, value]) => [own.prefix + name, value]),
  );
  const { _meta, ...others } = isModern ? modernMembers(serverInfo, meta) : { _meta: meta };
  const last = JSON.stringify({ ...(isError ? { isError } : {}), ...others });
  return [
    `${resultHead(id)}{"_meta":${JSON.stringify(_meta)},"content":`,
    ...content,
    ...(structured === null ? [] : [',"structuredContent":', ...structured]),
    last === "{}" ? "}}" : `,${last.slice(1)}}`,
  ];
}

function findTool({ tools, names }: Served, name: unknown): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool?.file !== undefined)
    throw invalidParams(
      `${tool.name} takes a file, which an MCP message cannot contain. Call it over HTTP: POST /api/v1/${tool.name}.`,
    );
  if (tool !== undefined) return tool;
  const list = `The tools are ${names.join(", ")}.`;
  if (typeof name !== "string") throw invalidParams(`\`name\` must be the name of a tool. ${list}`);
  const short = name.slice(0, 100);
  // Hosts put the name of the server before that of a tool.
  const nearest = nearestName(name, names) ?? names.find((each) => short.endsWith(each));
  const hint = nearest === undefined ? list : `Did you mean ${nearest}?`;
  throw invalidParams(`Unknown tool: ${short}. ${hint}`);
}

/** A header is for clients that set one for each request. `_meta` and header may both be there if they agree. */
function readIdempotencyKey(
  meta: Params,
  header: string | null,
  { prefix, idempotencyKey }: OwnMeta,
): string | null {
  const unknown = Object.keys(meta).find(
    (name) => name.startsWith(prefix) && name !== idempotencyKey,
  );
  if (unknown !== undefined) {
    throw invalidParams(`Unknown _meta "${unknown.slice(0, 100)}". Use "${idempotencyKey}".`);
  }
  const key = meta[idempotencyKey];
  if (key === undefined) return header;
  if (typeof key !== "string" || !IDEMPOTENCY_KEY.test(key)) {
    const rule = `a string of 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters`;
    throw invalidParams(`_meta["${idempotencyKey}"] must be ${rule}.`);
  }
  if (header !== null && header !== key) {
    throw invalidParams(`_meta["${idempotencyKey}"] and the header Idempotency-Key differ.`);
  }
  return key;
}

const IDEMPOTENCY_KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARS_MAX}}$`);

/** The value of the one argument. Tools without `BODY_ARGUMENT` check the names of their arguments themselves. */
function bodyIn(tool: Tool, args: Uint8Array | null): Uint8Array | null | ApiError {
  if (args === null) return null;
  const { value, others } = readField(args, BODY_ARGUMENT);
  if (others.length === 0) return value;
  const detail = `is unknown; ${tool.name} has one argument, \`${BODY_ARGUMENT}\``;
  return inputProblem(others.map((name) => fieldFinding(name, false, detail)));
}

const NO_ARGUMENTS = new TextEncoder().encode("{}");

const invalidParams = (text: string) => new RpcError(CODES.invalidParams, text);
