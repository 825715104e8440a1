import { createThrottle } from "#ledger/throttle.ts";
import { IDEMPOTENCY_KEPT_MS, IDEMPOTENCY_KEY_CHARS_MAX } from "#limits.ts";
import { EXPOSED_HEADERS } from "../pipeline/reply.ts";
import type { ApiOptions, Header, Parameter, Reference } from "./document.ts";

/** The headers of requests and responses in the OpenAPI description. */

export const REQUEST_HEADERS: Record<string, Parameter> = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: `Identifies this call, so that you can safely repeat it: a request with the same key, path and body within ${IDEMPOTENCY_KEPT_MS / 3_600_000} hours gets the first response again and is not charged. Each account and path has its own keys.`,
    schema: {
      type: "string",
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_CHARS_MAX,
      pattern: "^[!-~]+$",
    },
    example: "invoice-4711-qr",
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    description:
      "Your own id for this request: up to 128 letters, digits and `_ . : = + / -`. The service returns it unchanged, and replaces any other value with an id of its own.",
    schema: { type: "string" },
    example: "req_4711",
  },
  ContentEncoding: {
    name: "Content-Encoding",
    in: "header",
    description:
      "How the body is compressed. The limits apply to the size as sent and to the inflated size.",
    schema: { type: "string", enum: ["gzip", "identity"] },
    example: "gzip",
  },
};

const CREDITS = { type: "integer", minimum: 0 };

/** The response headers. A required one is on every response that lists it. */
export function responseHeaders(options: ApiOptions): Record<string, Header> {
  const mostCharged = Math.max(...options.tools.map(({ price }) => price));
  return {
    "X-Request-Id": {
      description: "The id of the request, in the response and in the service's log.",
      required: true,
      schema: { type: "string", pattern: "^[\\w.:=+/-]{1,128}$" },
      example: "req_4711",
    },
    "Cache-Control": {
      description: "Caches must not store responses.",
      required: true,
      schema: { type: "string", const: "no-store" },
    },
    "Server-Timing": {
      description: "How long each part of the request took, in milliseconds.",
      schema: { type: "string" },
      example: "total;dur=1.52",
    },
    "Credits-Charged": {
      description:
        "The credits that this call cost: the price of the tool, or 0 for the free first call, a replayed response and every error. Present once the account is known.",
      schema: { ...CREDITS, maximum: mostCharged },
      example: mostCharged,
    },
    "Credits-Remaining": {
      description:
        "The credits that the account can spend after this call. Present once the account is known.",
      schema: CREDITS,
      example: 99,
    },
    "Idempotency-Replayed": {
      description:
        "Present if this is the response to an earlier call with the same `Idempotency-Key`.",
      schema: { type: "string", const: "true" },
    },
    ...rateHeaders(options.rateLimit),
    "Retry-After": {
      description: "Seconds to wait before you send the request again.",
      required: true,
      schema: { type: "integer", minimum: 1 },
      example: 1,
    },
    "WWW-Authenticate": {
      description:
        'How to authenticate (RFC 6750), with `error="invalid_token"` if the request had a key.',
      required: true,
      schema: { type: "string" },
      example: 'Bearer realm="toolbooth"',
    },
    Accept: {
      description:
        "The types of bodies that the tool takes. Only on a 415 for the type of the body.",
      schema: { type: "string" },
      example: "application/json, text/plain, multipart/form-data",
    },
    "Content-Security-Policy": {
      description: "On HTML and SVG: opened as a page, the response runs and loads nothing.",
      schema: { type: "string" },
      example: "sandbox; default-src 'none'",
    },
    Allow: {
      description: "The methods of this path.",
      required: true,
      schema: { type: "string" },
      example: "POST, OPTIONS",
    },
    "Access-Control-Allow-Origin": {
      description: "Scripts of any origin may read the response.",
      required: true,
      schema: { type: "string", const: "*" },
    },
    "Access-Control-Expose-Headers": {
      description: "The headers that scripts of other origins may read.",
      schema: { type: "string" },
      example: EXPOSED_HEADERS,
    },
  };
}

function rateHeaders(rateLimit: number): Record<string, Header> {
  const { policy } = createThrottle(rateLimit);
  if (policy === null) return {};
  return {
    "RateLimit-Policy": {
      description:
        "The rate limit: `q` calls in `w` seconds (draft-ietf-httpapi-ratelimit-headers). Present once the account is known.",
      schema: { type: "string" },
      example: policy,
    },
    RateLimit: {
      description:
        "What is left of the limit: `r` calls now, and the whole burst again in `t` seconds. Present once the account is known.",
      schema: { type: "string" },
      example: `"account";r=${2 * rateLimit - 1};t=1`,
    },
  };
}

const EVERY_RESPONSE = [
  "X-Request-Id",
  "Cache-Control",
  "Server-Timing",
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
];

/** The headers of every response to a known account. */
const KNOWN_CALLER = ["Credits-Charged", "Credits-Remaining", "RateLimit-Policy", "RateLimit"];

const PROBLEMS_OF_KNOWN_CALLERS = [400, 402, 403, 406, 408, 409, 413, 415, 429, 500, 503];

const BY_STATUS: Record<number, string[]> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  409: ["Retry-After"],
  415: ["Accept"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

export const operatorResponseHeaders = () => references(EVERY_RESPONSE);

export const toolResponseHeaders = (options: ApiOptions) =>
  knownCallerHeaders(options, [
    ...EVERY_RESPONSE,
    "Idempotency-Replayed",
    "Content-Security-Policy",
  ]);

export const accountResponseHeaders = (options: ApiOptions) =>
  knownCallerHeaders(options, EVERY_RESPONSE);

/** The account is always known when a call responds with 200, so these headers are required there. */
function knownCallerHeaders(
  options: ApiOptions,
  others: string[],
): Record<string, Header | Reference> {
  const headers = responseHeaders(options);
  const always = knownCaller(options.rateLimit).map((name) => [
    name,
    { ...headers[name], required: true },
  ]);
  return {
    ...references(others),
    ...Object.fromEntries(always),
  };
}

export function problemHeaders(status: number, rateLimit: number): Record<string, Reference> {
  const known = PROBLEMS_OF_KNOWN_CALLERS.includes(status) ? knownCaller(rateLimit) : [];
  return references([...EVERY_RESPONSE, ...known, ...(BY_STATUS[status] ?? [])]);
}

const knownCaller = (rateLimit: number) =>
  KNOWN_CALLER.filter((name) => rateLimit > 0 || !name.startsWith("RateLimit"));

const references = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
