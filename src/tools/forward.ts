import * as z from "zod/mini";
import { hostOf } from "#hosts.ts";
import { IN_WORDS } from "#issue-text.ts";
import {
  FORWARD_BYTES_AT_ONCE,
  FORWARD_CALLS_AT_ONCE,
  FORWARD_MARGIN_MS,
  KEPT_RESPONSE_BYTES_MAX,
  OWN_TIME_LIMIT_MS,
  UPSTREAM_PROBLEM_BYTES_MAX,
} from "#limits.ts";
import { DOCUMENTED, MEMBERS, unknownMember } from "./check-definition.ts";
import { besidesNull, constraintsOf } from "./constraints.ts";
import { defineTool, type OwnToolContext, type ToolDefinition } from "./define-tool.ts";
import { clamp } from "./fields.ts";
import { faultsIn, fieldNames, type InputSchema, isSchema, schemaOf } from "./input-schema.ts";
import { isJsonType } from "./media-type.ts";
import { hideSecrets } from "./own-tool-context.ts";
import { readBytes } from "./read-bytes.ts";
import { UpstreamFault } from "./run-fault.ts";
import {
  namesInBraces,
  queryPair,
  queryText,
  requestTo,
  type UpstreamOperation,
} from "./upstream-request.ts";

/** A tool that is a service somewhere else: a call becomes one request to it, and its response the response of the call. */

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Headers of a request or parameters of its query, or a function of the secrets that returns them. */
export type UpstreamValues<Secret extends string = string> =
  | Readonly<Record<string, string>>
  | ((
      secrets: Readonly<Record<Secret, string>>,
    ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

export type ForwardDefinition<
  Schema extends InputSchema = InputSchema,
  Secret extends string = string,
> = Omit<
  ToolDefinition<Schema, unknown, Secret>,
  "run" | "hosts" | "passThrough" | "effect" | "file"
> & {
  /** `{name}` in its path is replaced by the field of that name. */
  url: string;
  /** Default: `POST`, whose body is the input as JSON. With `GET` and `DELETE` the fields are parameters of the query. */
  method?: (typeof METHODS)[number];
  headers?: UpstreamValues<Secret>;
  /** Parameters of the query, such as a key. They replace those of the input that have the same name. */
  query?: UpstreamValues<Secret>;
  /** `"read"` for what may be repeated without harm, else `"act"`. Default: `"read"` for `GET`, else `"act"`. */
  effect?: "read" | "act";
  /** How long the service may take, in milliseconds. Default: 10,000. */
  timeLimitMs?: number;
  /** The largest response of the service, in bytes. Default: 1 MB, which is what can be kept for repeats. */
  responseBytesMax?: number;
};

/** Throws a TypeError for a URL, a method, an effect, headers or a query that are wrong. */
export function forward<const Schema extends InputSchema, const Secret extends string = never>(
  definition: ForwardDefinition<Schema, Secret>,
) {
  const { url, method = "POST", ...options } = definition;
  const unknown = Object.keys(definition).filter((name) => !isMember(name));
  if (unknown.length > 0)
    throw new TypeError(
      unknown.map((name) => unknownMember(name, "a tool that forwards calls", LISTED)).join("\n"),
    );
  if (!METHODS.includes(method))
    throw new TypeError(`\`method\` must be one of ${METHODS.join(", ")}; got ${method}.`);
  // Any other effect that is wrong is told with everything else that is wrong.
  if ((options.effect as unknown) === "none")
    throw new TypeError(
      '`effect` must be "read" or "act" for a tool that forwards calls: with "none", it would run before it is paid.',
    );
  const operation: UpstreamOperation = {
    ...{ method, url, places: {} },
    others: method === "GET" || method === "DELETE" ? "query" : { type: "application/json" },
  };
  return forwardTo(operation, options as never);
}

/** What a definition has beside the members of a tool. */
const OWN_MEMBERS = ["url", "method", "headers", "query", "responseBytesMax"];
/** What `forward` decides itself. */
const DECIDED = ["run", "hosts", "passThrough"];

/** `name` and `file` are rejected in words of their own. */
const isMember = (name: string): boolean =>
  name === "name" || ([...OWN_MEMBERS, ...MEMBERS].includes(name) && !DECIDED.includes(name));

const LISTED = [...OWN_MEMBERS, ...DOCUMENTED].filter(
  (name) => !DECIDED.includes(name) && name !== "file",
);

/** What `forward` and `fromOpenApi` share. */
export type ForwardOptions = Omit<ForwardDefinition, "url" | "method">;

export function forwardTo(operation: UpstreamOperation, options: ForwardOptions): ToolDefinition {
  const { url, method } = operation;
  if ("file" in options)
    throw new TypeError(
      "A tool that forwards calls takes no `file`. Write a tool with `run`, and send `context.file` with `context.fetch`.",
    );
  const host = hostIn(url);
  const input = isSchema(options.input) ? schemaOf(options.input) : null;
  const { type = "object" } = input === null ? {} : besidesNull(constraintsOf(input));
  if (type !== "object" && (operation.others === "query" || namesInBraces(url).length > 0))
    throw new TypeError(
      "`input` must have fields, because the query or the path of the request has them.",
    );
  const fields = input === null ? null : fieldNames(input);
  const missing = namesInBraces(url).find((name) => fields?.includes(name) === false);
  if (missing !== undefined)
    throw new TypeError(
      `\`url\` has {${missing}}, and \`input\` has no field of that name; its fields are ${fields?.join(", ") || "none"}.`,
    );
  const { headers = {}, query = {}, timeLimitMs = OWN_TIME_LIMIT_MS, ...more } = options;
  const { responseBytesMax, ...others } = more;
  if (typeof headers !== "function") headersOf(headers);
  if (typeof query !== "function") queryOf(query);
  const limits = {
    ...{ timeLimitMs, responseBytesMax: responseBytesMax ?? KEPT_RESPONSE_BYTES_MAX },
    // What is no schema is told with everything else that is wrong.
    output: isSchema(options.output) ? schemaOf(options.output, true) : null,
  };
  const run = (input: unknown, context: OwnToolContext) =>
    askUpstream({ operation, headers, query, limits }, input, context);
  return defineTool({
    ...others,
    ...{ hosts: [host], passThrough: true, run },
    callsAtOnce: callsAtOnce(limits),
    effect: options.effect ?? (method === "GET" ? "read" : "act"),
    // The tool ends the request by itself, so that its thread need not be ended.
    timeLimitMs: timeLimitMs + FORWARD_MARGIN_MS,
  } as ToolDefinition) as ToolDefinition;
}

const callsAtOnce = ({ responseBytesMax }: Limits): number =>
  clamp(Math.floor(FORWARD_BYTES_AT_ONCE / responseBytesMax), 1, FORWARD_CALLS_AT_ONCE);

/** Throws a TypeError for text that is no URL of the web, or whose host has braces. */
function hostIn(url: unknown): string {
  const parsed = typeof url === "string" ? URL.parse(url.replaceAll(/[{}]/g, "")) : null;
  const isWeb = parsed !== null && /^https?:\/\/[^/?#{}]+(?:\/[^?#]*)?$/.test(url as string);
  if (!isWeb || parsed.username !== "" || parsed.password !== "")
    throw new TypeError(
      `\`url\` must be a URL that begins with http:// or https://, without a query and without a password; got ${JSON.stringify(url)}.`,
    );
  if (BLOCKED_PORTS.includes(Number(parsed.port)))
    throw new TypeError(`\`url\` has the port ${parsed.port}, which \`fetch\` never reaches.`);
  return hostOf(parsed);
}

/** https://fetch.spec.whatwg.org/#port-blocking, but for port 0, which no text has a number for. */
const BLOCKED_PORTS = [
  ...[1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101],
  ...[102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389],
  ...[427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636],
  ...[989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665],
  ...[6666, 6667, 6668, 6669, 6679, 6697, 10080],
];

/** `output`: what a JSON response must be; null for a response of any type. */
type Limits = {
  timeLimitMs: number;
  responseBytesMax: number;
  output: z.ZodMiniType | null;
};

type Upstream = {
  operation: UpstreamOperation;
  headers: UpstreamValues;
  query: UpstreamValues;
  limits: Limits;
};
type Secrets = Readonly<Record<string, string>>;

/** Sends the request, and returns the response with its whole body. Throws an `UpstreamFault`. */
async function askUpstream(
  { operation, limits, ...own }: Upstream,
  input: unknown,
  context: OwnToolContext,
): Promise<Response> {
  const { secrets, idempotencyKey, fetch: send } = context;
  const { url, query, headers, body } = requestTo(operation, input);
  // The runtime takes the first half of a compressed response for the whole.
  headers.set("Accept-Encoding", "identity");
  if (idempotencyKey !== "") headers.set("Idempotency-Key", idempotencyKey);
  const { timeLimitMs } = limits;
  // Not `AbortSignal.timeout`, whose timer stays after the response, and with it what waits for its signal.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeLimitMs);
  try {
    for (const [name, value] of await ownValues("headers", headersOf, own.headers, secrets))
      headers.set(name, name === "cookie" ? withCookies(value, headers.get(name)) : value);
    const ownQuery = await ownValues("query", queryOf, own.query, secrets);
    const isOwn = (name: string) => ownQuery.some(([ownName]) => ownName === name);
    url.search = queryText([...query.filter(([name]) => !isOwn(name)), ...ownQuery]);
    const response = await send(url.href, {
      ...{ method: operation.method, headers, body },
      ...{ signal: late.signal, redirect: "manual" },
    });
    return await received(response, limits, secrets);
  } catch (cause) {
    if (cause instanceof UpstreamFault) throw cause;
    if (late.signal.aborted)
      throw new UpstreamFault("late", `took more than ${timeLimitMs} ms`, { limitMs: timeLimitMs });
    throw unreached(cause);
  } finally {
    clearTimeout(timer);
  }
}

/** The operator's cookies, and those of the call. */
const withCookies = (own: string, sent: string | null) => (sent === null ? own : `${own}; ${sent}`);

/** `read`: checks what there is. Throws an `UpstreamFault` of the kind `misdefined`, whose cause has no secret. */
async function ownValues<Values>(
  what: "headers" | "query",
  read: (given: unknown) => Values,
  given: UpstreamValues,
  secrets: Secrets,
): Promise<Values> {
  try {
    return read(typeof given === "function" ? await given(secrets) : given);
  } catch (thrown) {
    const { stack, message = String(thrown) } = Object(thrown) as Partial<Error>;
    throw new UpstreamFault("misdefined", `\`${what}\` failed`, {
      ...{ isUnsent: true, cause: hideSecrets(stack ?? message, secrets) },
    });
  }
}

/** Throws a TypeError that has no value, because values are secrets. */
function headersOf(given: unknown): Headers {
  const headers = new Headers();
  for (const [name, value] of given instanceof Headers ? given : textsOf("headers", given)) {
    try {
      headers.set(name, value);
    } catch {
      throw new TypeError(`\`headers\` has \`${name}\`, whose name or value no header can have.`);
    }
  }
  return headers;
}

const queryOf = (given: unknown) =>
  textsOf("query", given).map(([name, value]) => queryPair(name, value));

function textsOf(what: "headers" | "query", given: unknown): [name: string, value: string][] {
  if (typeof given !== "object" || given === null)
    throw new TypeError(`\`${what}\` must be an object, or a function that returns one.`);
  const values = Object.entries(given);
  for (const [name, value] of values)
    if (typeof value !== "string")
      throw new TypeError(`\`${what}\` must have strings; \`${name}\` is ${typeof value}.`);
  return values;
}

/** The service does not know the operator, or has had too many of the operator's requests. No customer can correct that. */
const OF_THE_OPERATOR = [401, 403, 429];

/** Returns a response of success. */
async function received(
  response: Response,
  { responseBytesMax, output }: Limits,
  secrets: Secrets,
): Promise<Response> {
  const { status, body } = response;
  const type = response.headers.get("content-type") ?? "application/octet-stream";
  if (status >= 400 && status < 500) {
    const bytes = await readBytes(body, UPSTREAM_PROBLEM_BYTES_MAX);
    const problem = bytes === null ? undefined : problemOf(bytes, type, secrets);
    if (OF_THE_OPERATOR.includes(status)) {
      const said = problem === undefined ? "" : `: ${JSON.stringify(problem)}`;
      throw new UpstreamFault("failed", `responded with ${status}`, {
        ...{ status, cause: `It responded with ${status}${said}` },
      });
    }
    throw new UpstreamFault("rejected", `responded with ${status}`, { status, problem });
  }
  if (!response.ok) {
    body?.cancel().catch(() => {});
    const to = status < 400 ? `, a redirect to ${response.headers.get("location")}` : "";
    throw new UpstreamFault("failed", `responded with ${status}`, {
      // Services redirect with the query that they got.
      ...{ status, cause: hideSecrets(`It responded with ${status}${to}`, secrets) },
    });
  }
  const bytes = await readBytes(body, responseBytesMax);
  if (bytes === null)
    throw new UpstreamFault("failed", `responded with more than ${responseBytesMax} bytes`);
  if (bytes.byteLength === 0) {
    // Clients expect JSON where nothing says otherwise.
    if (output === null) return Response.json({ ok: true });
    throw new UpstreamFault("failed", "responded with nothing in place of JSON");
  }
  if (!isJsonType(type) && output !== null)
    throw new UpstreamFault("failed", `responded with ${type} in place of JSON`);
  const json = isJsonType(type) ? parsedJson(bytes) : null;
  if (json === undefined)
    throw new UpstreamFault("failed", `responded with ${type} that is not JSON`);
  const wrong = output === null ? undefined : z.safeParse(output, json, IN_WORDS).error;
  if (wrong !== undefined)
    throw new UpstreamFault("failed", "sent a response that its description does not allow", {
      cause: faultsIn(wrong.issues),
    });
  return new Response(bytes, { headers: { "Content-Type": type } });
}

/** Undefined if the bytes are not JSON. */
function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** JSON, or a plain text. Pages for people are left out. */
function problemOf(bytes: Uint8Array, type: string, secrets: Secrets): unknown {
  if (isJsonType(type)) {
    // Written anew: a secret may have been escaped in any way.
    const json = JSON.stringify(parsedJson(bytes));
    return json && parsedJson(new TextEncoder().encode(hideSecrets(json, secrets)));
  }
  const text = hideSecrets(new TextDecoder().decode(bytes), secrets);
  return type.startsWith("text/plain") && text !== "" ? text : undefined;
}

/** Errors of a connection that was never made. */
const NEVER_SENT = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "ENODATA", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
  ...["UND_ERR_CONNECT_TIMEOUT"],
]);

/** Errors of a request that `fetch` does not send, because of its headers. */
const NEVER_MADE = [
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
];

function unreached(thrown: unknown): UpstreamFault {
  const { code = "", message = "" } = Object(Object(thrown).cause) as {
    code?: string;
    message?: string;
  };
  const cause = message || code || String(thrown);
  if (NEVER_MADE.includes(code))
    return new UpstreamFault("misdefined", "cannot be sent", {
      ...{ isUnsent: true, cause: `The request cannot be sent: ${cause}` },
    });
  const isUnsent = NEVER_SENT.has(code);
  return new UpstreamFault("failed", isUnsent ? "cannot be reached" : "broke the connection", {
    ...{ isUnsent, cause },
  });
}
