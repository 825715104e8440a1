import { type ApiError, ERRORS, type ErrorCode } from "#errors.ts";
import { type Rate, ratePolicy } from "#ledger/throttle.ts";
import { COMPRESS_FROM_BYTES } from "#limits.ts";
import type { AppContext } from "../app-context.ts";
import type { MemoryLease } from "./memory-budget.ts";
import { isLargeText, type LargeText, streamPieces } from "./reply-pieces.ts";

/** What is known of a request while it is answered; the headers of the answer are made from it. */
export type RequestContext = {
  requestId: string;
  method: string;
  route: string;
  tool: string | null;
  /** By the clock that never goes back. */
  startedAt: number;
  /** By the time of day. */
  receivedAt: number;
  account: string | null;
  /** Both null until the ledger has said who calls. */
  charged: number | null;
  balance: number | null;
  rate: Rate | null;
  replayed: boolean;
  /** Parts of the time, for Server-Timing: `key;dur=0.1`. */
  timing: string;
  code: ErrorCode | null;
};

export type Replier = {
  /** A 200 of a tool. `lease` holds what has not left yet; null where nothing is counted. */
  response(
    body: string | Uint8Array | LargeText,
    headers: Headers,
    context: RequestContext,
    lease?: MemoryLease | null,
  ): Response | Promise<Response>;
  /** A refusal: RFC 9457 problem details. `bodyDropped`: nothing of the request is still coming. */
  problem(
    fault: ApiError,
    headers: Headers,
    context: RequestContext,
    bodyDropped: boolean,
  ): Response | Promise<Response>;
  /** Anything else of the service: a page, a description. */
  plain(
    contentType: string,
    body: string,
    headers: Headers,
    context: RequestContext,
    more?: { status?: number; headers?: Record<string, string> },
  ): Response | Promise<Response>;
  /** An answer of headers alone. */
  empty(context: RequestContext, headers: Record<string, string>): Response;
};

/** Read by scripts of other origins only when named here (Fetch standard, "CORS-exposed header-name list"). */
export const EXPOSED_HEADERS =
  "X-Request-Id, Credits-Charged, Credits-Remaining, Idempotency-Replayed, RateLimit-Policy, RateLimit, Retry-After, Server-Timing, WWW-Authenticate, Allow, Vary, Content-Encoding, Date";

const UNCOUNTED = { release() {}, isOver: () => false };

export function createReplier(app: AppContext): Replier {
  const policy = ratePolicy(app.settings.rateLimit);

  function commonHeaders(context: RequestContext): Record<string, string> {
    const headers: Record<string, string> = {
      "X-Request-Id": context.requestId,
      "Cache-Control": "no-store",
      "Server-Timing": `${context.timing}total;dur=${millisecondsText(app.elapsed() - context.startedAt)}`,
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": EXPOSED_HEADERS,
      "X-Content-Type-Options": "nosniff",
    };
    if (context.balance !== null) {
      headers["Credits-Charged"] = String(context.charged ?? 0);
      headers["Credits-Remaining"] = String(context.balance);
    }
    if (context.rate !== null && policy !== null) {
      headers["RateLimit-Policy"] = policy;
      headers["RateLimit"] = `"account";r=${context.rate.remaining};t=${context.rate.resetSeconds}`;
    }
    return headers;
  }

  /** Every body goes out here; a small one at once. */
  function send(
    status: number,
    body: string | Uint8Array,
    headers: Record<string, string>,
    asked: Headers,
    context: RequestContext,
  ): Response | Promise<Response> {
    return app.compress === null || body.length < COMPRESS_FROM_BYTES
      ? new Response(body as string, { status, headers })
      : sendLarge(status, body, headers, asked, context, app.compress);
  }

  /** Compressed where it is worth it and `asked` accepts it. */
  async function sendLarge(
    status: number,
    body: string | Uint8Array,
    headers: Record<string, string>,
    asked: Headers,
    context: RequestContext,
    compress: NonNullable<AppContext["compress"]>,
  ): Promise<Response> {
    headers["Vary"] =
      headers["Vary"] === undefined ? "Accept-Encoding" : `${headers["Vary"]}, Accept-Encoding`;
    const encoding = chooseEncoding(asked.get("accept-encoding"));
    if (encoding === null) return new Response(body as string, { status, headers });
    try {
      const small = await compress(encoding, body);
      headers["Content-Encoding"] = encoding;
      return new Response(small as Uint8Array<ArrayBuffer>, { status, headers });
    } catch (cause) {
      // The call is paid for, so its answer goes out as it is.
      app.logError("An answer could not be compressed", { requestId: context.requestId, cause });
      return new Response(body as string, { status, headers });
    }
  }

  /** Its length is told before, so that a client knows when an answer broke off. */
  function sendPieces(
    text: LargeText,
    headers: Record<string, string>,
    lease: MemoryLease | null,
  ): Response {
    const stream = streamPieces(text, lease?.toResponse() ?? UNCOUNTED);
    headers["Content-Length"] = String(text.bytes);
    return new Response(app.sendStream(stream, text.bytes), { headers });
  }

  return {
    response(body, asked, context, lease = null) {
      const headers = commonHeaders(context);
      headers["Content-Type"] = "application/json";
      if (context.replayed) headers["Idempotency-Replayed"] = "true";
      if (typeof body === "string" || !isLargeText(body)) {
        return send(200, body, headers, asked, context);
      }
      return sendPieces(body, headers, lease);
    },
    problem(fault, asked, context, bodyDropped) {
      context.code = fault.code;
      const body = problemBody(app.settings.publicUrl, fault, context.requestId);
      const headers = {
        ...commonHeaders(context),
        ...fault.details.headers,
        // More of the body is coming than anyone wants to read.
        ...(bodyDropped ? {} : { Connection: "close" }),
        "Content-Type": problemType(asked.get("accept")),
      };
      return send(ERRORS[fault.code].status, JSON.stringify(body), headers, asked, context);
    },
    plain(contentType, body, asked, context, more = {}) {
      const headers = { ...commonHeaders(context), "Content-Type": contentType, ...more.headers };
      return send(more.status ?? 200, body, headers, asked, context);
    },
    empty: (context, headers) =>
      new Response(null, { status: 204, headers: { ...commonHeaders(context), ...headers } }),
  };
}

/** RFC 9457, with the members that every refusal of this service has (`ok`, `code`, `requestId`). */
export function problemBody(
  publicUrl: string,
  fault: ApiError,
  requestId: string,
): Record<string, unknown> {
  const { status, title } = ERRORS[fault.code];
  return {
    ok: false,
    type: `${publicUrl}/docs/errors#${fault.code}`,
    title,
    status,
    code: fault.code,
    detail: fault.message,
    requestId,
    ...fault.details.members,
    ...(fault.details.errors === undefined ? {} : { errors: fault.details.errors }),
  };
}

/** `application/json` only for those who ask for that and not for problem details. */
function problemType(accept: string | null): string {
  const parts = accept?.toLowerCase().split(",") ?? [];
  const named = (type: string) =>
    parts.some((part) => {
      const [name, ...parameters] = part.split(";").map((text) => text.trim());
      return name === type && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    });
  return named("application/json") && !named("application/problem+json")
    ? "application/json"
    : "application/problem+json";
}

/** Brotli where it is liked at least as much as gzip (RFC 9110, section 12.5.3). */
export function chooseEncoding(accept: string | null): "br" | "gzip" | null {
  if (accept === null) return null;
  const weights = new Map<string, number>();
  for (const part of accept.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((text) => text.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    if (name) weights.set(name, quality === undefined ? 1 : Number(quality.slice(2)) || 0);
  }
  const weight = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  if (weight("br") > 0 && weight("br") >= weight("gzip")) return "br";
  return weight("gzip") > 0 ? "gzip" : null;
}

/** Two decimals are finer than the clock is steady. */
export const milliseconds = (ms: number) => Math.round(ms * 100) / 100;

/** The same as text, by whole numbers: writing out a fraction costs V8 several times as much. */
export function millisecondsText(ms: number): string {
  const hundredths = Math.round(ms * 100);
  const rest = hundredths % 100;
  return `${(hundredths - rest) / 100}.${rest < 10 ? "0" : ""}${rest}`;
}
