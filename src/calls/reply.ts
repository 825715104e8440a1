import { challengeOf } from "#brand.ts";
import type { ApiError, ErrorCode } from "#errors.ts";
import { ratePolicy } from "#ledger/throttle.ts";
import { COMPRESS_FROM_BYTES, RATE_LIMITED_WAIT_MS } from "#limits.ts";
import type { AppContext } from "./app-context.ts";
import { type ApiResponse, asWebResponse, type HeaderLookup } from "./exchange.ts";
import type { MemoryLease } from "./memory-budget.ts";
import { errorDocsUrl, problemBody, problemType } from "./problem.ts";
import { isLargeText, type LargeText, streamPieces } from "./reply-pieces.ts";
import type { RequestContext } from "./request-context.ts";
import type { CallResponse } from "./run-tool.ts";

/** Scripts of other origins can read only these headers (Fetch standard, "CORS-exposed header-name list"). */
export const EXPOSED_HEADERS =
  "X-Request-Id, Credits-Charged, Credits-Remaining, Idempotency-Replayed, RateLimit-Policy, RateLimit, Retry-After, Server-Timing, WWW-Authenticate, Allow, Vary, Content-Encoding, Date, Mcp-Session-Id, MCP-Protocol-Version";

/** A browser runs scripts in documents of these types. */
const isActive = (type: string): boolean => /^text\/html\b|\/xml\b|\+xml\b/i.test(type);
/** It is compressed already. */
const PNG_TYPE = "image/png";

const UNCOUNTED = { release() {}, isOver: () => false };

/** `compress`: in place of the runtime's. */
export type PlainOptions = {
  status?: number;
  headers?: Record<string, string>;
  compress?: AppContext["compress"];
};

/** Makes responses, with the headers that all of them have. */
export class Replier {
  readonly #app: AppContext;
  readonly #ofAccount: string;
  readonly #docsUrl: string;
  /** `WWW-Authenticate` of a 401 (RFC 6750, section 3). */
  readonly #challenges: Readonly<Partial<Record<ErrorCode, string>>>;

  constructor(app: AppContext) {
    this.#app = app;
    this.#ofAccount = ratePolicy("account", app.settings.rateLimit);
    this.#docsUrl = errorDocsUrl(app.settings.publicUrl);
    const challenge = challengeOf(app.settings);
    const invalid = `${challenge}, error="invalid_token"`;
    this.#challenges = { missing_key: challenge, invalid_key: invalid };
  }

  /** The 200 of a tool. `lease` covers the bytes that are not sent yet; null if memory is not counted. */
  response(
    { body, type }: Pick<CallResponse, "body" | "type">,
    asked: HeaderLookup,
    context: RequestContext,
    lease: MemoryLease | null = null,
  ): ApiResponse | Promise<ApiResponse> {
    const headers = this.#commonHeaders(asked, context);
    headers["Content-Type"] = type;
    headers["Vary"] = "Accept";
    // Opened as a page, the response must not run or load anything.
    if (isActive(type)) headers["Content-Security-Policy"] = "sandbox; default-src 'none'";
    if (context.replayed) headers["Idempotency-Replayed"] = "true";
    if (typeof body === "string" || !isLargeText(body))
      return this.#send(200, body, headers, asked, context);
    return this.#sendPieces(body, headers, context, lease);
  }

  /** An error as problem details (RFC 9457), `rate_limited` a moment late. `bodyDropped`: the body of the request was read to its end. */
  async problem(
    fault: ApiError,
    asked: HeaderLookup,
    context: RequestContext,
    bodyDropped: boolean,
  ): Promise<ApiResponse> {
    if (fault.code === "rate_limited") {
      await new Promise((resolve) => setTimeout(resolve, RATE_LIMITED_WAIT_MS));
    }
    context.code = fault.code;
    context.problem = fault;
    const body = problemBody(fault, context.requestId, this.#docsUrl);
    const challenge = this.#challenges[fault.code];
    const headers = {
      ...this.#commonHeaders(asked, context),
      ...fault.details.headers,
      ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
      // The server does not read the rest of the body.
      ...(bodyDropped ? {} : { Connection: "close" }),
      "Content-Type": problemType(asked.get("accept")),
      ...(context.tool !== null && { Vary: "Accept" }),
    };
    return this.#send(fault.status, JSON.stringify(body), headers, asked, context);
  }

  /** Any other body: a page, the API description. `compress`: in place of the runtime's, for a body that is sent again and again. */
  async plain(
    contentType: string,
    body: string | Uint8Array,
    asked: HeaderLookup,
    context: RequestContext,
    more: PlainOptions = {},
  ): Promise<Response> {
    const headers = {
      ...this.#commonHeaders(asked, context),
      "Content-Type": contentType,
      ...more.headers,
    };
    const { status = 200, compress } = more;
    return asWebResponse(await this.#send(status, body, headers, asked, context, compress));
  }

  /** The headers of a response without a body, or with one that the caller makes. */
  headers(
    asked: HeaderLookup,
    context: RequestContext,
    own: Record<string, string>,
  ): Record<string, string> {
    return { ...this.#commonHeaders(asked, context), ...own };
  }

  #commonHeaders(asked: HeaderLookup, context: RequestContext): Record<string, string> {
    const headers: Record<string, string> = {
      "X-Request-Id": context.requestId,
      "Cache-Control": "no-store",
      "Server-Timing": `${context.timing}total;dur=${millisecondsText(this.#app.elapsed() - context.startedAt)}`,
      "Access-Control-Allow-Origin": "*",
      "X-Content-Type-Options": "nosniff",
    };
    // Only scripts of other origins need it, and their requests have an Origin.
    if (asked.get("origin") !== null) headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS;
    if (context.balance !== null && !context.isChargeInDoubt) {
      headers["Credits-Charged"] = String(context.charged ?? 0);
      headers["Credits-Remaining"] = String(context.balance);
    }
    const { rate } = context;
    if (rate !== null) {
      const { source, callsPerSecond, remaining, resetSeconds } = rate;
      headers["RateLimit-Policy"] =
        source === "account" ? this.#ofAccount : ratePolicy(source, callsPerSecond);
      headers["RateLimit"] = `"${source}";r=${remaining};t=${resetSeconds}`;
    }
    return headers;
  }

  /** Sends every body; a small one synchronously. */
  #send(
    status: number,
    body: string | Uint8Array,
    headers: Record<string, string>,
    asked: HeaderLookup,
    context: RequestContext,
    compress = this.#app.compress,
  ): ApiResponse | Promise<ApiResponse> {
    context.sent = body;
    return compress === null ||
      body.length < COMPRESS_FROM_BYTES ||
      headers["Content-Type"] === PNG_TYPE
      ? { status, headers, body }
      : this.#sendLarge(status, body, headers, asked, context, compress);
  }

  /** Compresses the body if the client accepts that. */
  async #sendLarge(
    status: number,
    body: string | Uint8Array,
    headers: Record<string, string>,
    asked: HeaderLookup,
    context: RequestContext,
    compress: NonNullable<AppContext["compress"]>,
  ): Promise<ApiResponse> {
    headers["Vary"] =
      headers["Vary"] === undefined ? "Accept-Encoding" : `${headers["Vary"]}, Accept-Encoding`;
    const encoding = chooseEncoding(asked.get("accept-encoding"));
    if (encoding === null) return { status, headers, body };
    try {
      const small = await compress(encoding, body);
      headers["Content-Encoding"] = encoding;
      context.sent = small;
      return { status, headers, body: small };
    } catch (cause) {
      // The call has been charged, so its response is sent uncompressed.
      this.#app.logError("A response could not be compressed", {
        requestId: context.requestId,
        cause,
      });
      return { status, headers, body };
    }
  }

  /** Has a Content-Length, so that a client notices when a response is cut off. */
  #sendPieces(
    text: LargeText,
    headers: Record<string, string>,
    context: RequestContext,
    lease: MemoryLease | null,
  ): ApiResponse {
    context.sent = text.bytes;
    const stream = streamPieces(text, lease?.toResponse() ?? UNCOUNTED);
    headers["Content-Length"] = String(text.bytes);
    return { status: 200, headers, body: this.#app.sendStream(stream, text.bytes) };
  }
}

/** Brotli if the client prefers it or has no preference (RFC 9110, section 12.5.3); null: no compression. */
export function chooseEncoding(accept: string | null): "br" | "gzip" | null {
  if (accept === null) return null;
  const weights = weightsOf(accept);
  const weight = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  if (weight("br") > 0 && weight("br") >= weight("gzip")) return "br";
  return weight("gzip") > 0 ? "gzip" : null;
}

/** The weights of what a header names exactly, in lower case (RFC 9110, section 12.4.2). A malformed weight is 0. */
export function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((text) => text.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    if (name) weights.set(name, quality === undefined ? 1 : Number(quality.slice(2)) || 0);
  }
  return weights;
}

/** Rounds to hundredths, which is finer than the clock. */
export const milliseconds = (ms: number) => Math.round(ms * 100) / 100;

/** The same as text. It uses integers because V8 takes several times as long to format a fraction. */
export function millisecondsText(ms: number): string {
  const hundredths = Math.round(ms * 100);
  const rest = hundredths % 100;
  return `${(hundredths - rest) / 100}.${rest < 10 ? "0" : ""}${rest}`;
}
