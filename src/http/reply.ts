import { ERRORS, type ErrorCode, type Fault } from "#errors.ts";
import { COMPRESS_FROM_BYTES } from "#limits.ts";
import type { House } from "./house.ts";
import type { Rate } from "./throttle.ts";

/** What is known of a request while it is answered; the headers of the answer are made from it. */
export type Trace = {
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
  /** A 200 of a tool, compressed where it is worth it and wanted. */
  answer(body: string | Uint8Array, request: Request, trace: Trace): Promise<Response>;
  /** A refusal: RFC 9457 problem details. */
  problem(fault: Fault, request: Request, trace: Trace, bodyDropped: boolean): Response;
  /** Anything else of the service: a page, a description. */
  plain(
    status: number,
    contentType: string,
    body: string | null,
    trace: Trace,
    headers?: Record<string, string>,
  ): Response;
};

/** Read by scripts of other origins only when named here (Fetch standard, "CORS-exposed header-name list"). */
export const EXPOSED_HEADERS =
  "X-Request-Id, Credits-Charged, Credits-Remaining, Idempotency-Replayed, RateLimit-Policy, RateLimit, Retry-After, Server-Timing, WWW-Authenticate, Allow";

export function createReplier(house: House, ratePolicy: string | null): Replier {
  function commonHeaders(trace: Trace): Record<string, string> {
    const headers: Record<string, string> = {
      "X-Request-Id": trace.requestId,
      "Cache-Control": "no-store",
      "Server-Timing": `${trace.timing}total;dur=${millisecondsText(house.elapsed() - trace.startedAt)}`,
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": EXPOSED_HEADERS,
      "X-Content-Type-Options": "nosniff",
    };
    if (trace.balance !== null) {
      headers["Credits-Charged"] = String(trace.charged ?? 0);
      headers["Credits-Remaining"] = String(trace.balance);
    }
    if (trace.rate !== null && ratePolicy !== null) {
      headers["RateLimit-Policy"] = ratePolicy;
      headers["RateLimit"] = `"account";r=${trace.rate.remaining};t=${trace.rate.resetSeconds}`;
    }
    return headers;
  }

  async function answer(
    body: string | Uint8Array,
    request: Request,
    trace: Trace,
  ): Promise<Response> {
    const headers = commonHeaders(trace);
    headers["Content-Type"] = "application/json";
    if (trace.replayed) headers["Idempotency-Replayed"] = "true";
    if (house.compress === null || body.length < COMPRESS_FROM_BYTES) {
      return new Response(body as string, { status: 200, headers });
    }
    headers["Vary"] = "Accept-Encoding";
    const encoding = chooseEncoding(request.headers.get("accept-encoding"));
    if (encoding === null) return new Response(body as string, { status: 200, headers });
    try {
      const small = await house.compress(encoding, body);
      headers["Content-Encoding"] = encoding;
      return new Response(small as Uint8Array<ArrayBuffer>, { status: 200, headers });
    } catch (cause) {
      // The call is paid for, so its answer goes out as it is.
      house.complain("An answer could not be compressed", { requestId: trace.requestId, cause });
      return new Response(body as string, { status: 200, headers });
    }
  }

  function problem(fault: Fault, request: Request, trace: Trace, bodyDropped: boolean): Response {
    trace.code = fault.code;
    return new Response(
      JSON.stringify(problemBody(house.settings.publicUrl, fault, trace.requestId)),
      {
        status: ERRORS[fault.code].status,
        headers: {
          ...commonHeaders(trace),
          ...fault.details.headers,
          // More of the body is coming than anyone wants to read.
          ...(bodyDropped ? {} : { Connection: "close" }),
          "Content-Type": problemType(request.headers.get("accept")),
        },
      },
    );
  }

  function plain(
    status: number,
    contentType: string,
    body: string | null,
    trace: Trace,
    headers: Record<string, string> = {},
  ): Response {
    const type: Record<string, string> = body === null ? {} : { "Content-Type": contentType };
    return new Response(body, {
      status,
      headers: { ...commonHeaders(trace), ...type, ...headers },
    });
  }

  return { answer, problem, plain };
}

/** RFC 9457, with the members that every refusal of this service has (`ok`, `code`, `requestId`). */
export function problemBody(
  publicUrl: string,
  fault: Fault,
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
  const asksForJson = accept !== null && /\bapplication\/json\b/i.test(accept);
  return asksForJson && !/\bapplication\/problem\+json\b/i.test(accept)
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
