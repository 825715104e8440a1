import { BURST_SECONDS, createThrottle } from "#ledger/throttle.ts";
import { HOUR_MS, IDEMPOTENCY_KEPT_MS, IDEMPOTENCY_KEY_CHARS_MAX } from "#limits.ts";
import { EXPOSED_HEADERS } from "../pipeline/reply.ts";
import type { ApiOptions, Header, Reference } from "./document.ts";

/** The headers of requests and responses, for the OpenAPI description and the documentation. */

/**
 * Optional headers of calls. The OpenAPI description explains them in words: if they were parameters, importers such as Postman
 * would send each of them with a fixed value, and an idempotency key that never changes makes every other call an error.
 */
export const REQUEST_HEADERS: readonly { name: string; description: string }[] = [
  {
    name: "Idempotency-Key",
    description: `Identifies this call, so that you can safely repeat it: 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters, new for each call. A request with the same key, path and body within ${IDEMPOTENCY_KEPT_MS / HOUR_MS} hours gets the first response again and is not charged. Each account and path has its own keys.`,
  },
  {
    name: "X-Request-Id",
    description:
      "Your own id for this request: up to 128 letters, digits and `_ . : = + / -`. The service returns it unchanged, and replaces any other value with an id of its own.",
  },
  {
    name: "Content-Encoding",
    description:
      "`gzip` if the body is compressed. The limits apply to the size as sent and to the inflated size.",
  },
];

const CREDITS = { type: "integer", minimum: 0 };

/** The calls a second in examples. The description is the same for every setting of `RATE_LIMIT`; this is its default. */
export const SAMPLE_RATE_LIMIT = 100;

/** The response headers. A required one is on every response that lists it. */
export function responseHeaders({ tools }: Pick<ApiOptions, "tools">): Record<string, Header> {
  const mostCharged = Math.max(...tools.map(({ price }) => price));
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
        "The credits that this call cost: the price of the tool, or 0 for a free first call, a replayed response and every error. Present once the account is known, unless the error says that the call may have been charged (`charged`).",
      schema: { ...CREDITS, maximum: mostCharged },
      example: mostCharged,
    },
    "Credits-Remaining": {
      description:
        "The credits that the account can spend after this call. Present where `Credits-Charged` is.",
      schema: CREDITS,
      example: 99,
    },
    "Idempotency-Replayed": {
      description:
        "Present if this is the response to an earlier call with the same `Idempotency-Key`.",
      schema: { type: "string", const: "true" },
    },
    ...rateHeaders(),
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
      description:
        "The headers that scripts of other origins may read. Present if the request has an `Origin`.",
      schema: { type: "string" },
      example: EXPOSED_HEADERS,
    },
  };
}

function rateHeaders(): Record<string, Header> {
  return {
    "RateLimit-Policy": {
      description:
        "The rate limit: `q` calls in `w` seconds (draft-ietf-httpapi-ratelimit-headers). Present once the account is known, if the service has a rate limit.",
      schema: { type: "string" },
      example: createThrottle(SAMPLE_RATE_LIMIT).policy,
    },
    RateLimit: {
      description:
        "What is left of the limit: `r` calls now, and the whole burst again in `t` seconds. Present if `RateLimit-Policy` is.",
      schema: { type: "string" },
      example: `"account";r=${BURST_SECONDS * SAMPLE_RATE_LIMIT - 1};t=1`,
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
const CREDIT_HEADERS = ["Credits-Charged", "Credits-Remaining"];
/** The same, if the service has a rate limit. */
export const RATE_HEADERS = ["RateLimit-Policy", "RateLimit"];

const PROBLEMS_OF_KNOWN_CALLERS = [400, 402, 403, 406, 408, 409, 413, 415, 429, 500, 503];

const BY_STATUS: Record<number, string[]> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  409: ["Retry-After"],
  415: ["Accept"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

export const toolResponseHeaders = (options: ApiOptions) =>
  knownCallerHeaders(options, [
    ...EVERY_RESPONSE,
    "Idempotency-Replayed",
    "Content-Security-Policy",
  ]);

export const accountResponseHeaders = (options: ApiOptions) =>
  knownCallerHeaders(options, EVERY_RESPONSE);

/** The account is always known when a call responds with 200, so the headers about credits are required there. */
function knownCallerHeaders(
  options: ApiOptions,
  others: string[],
): Record<string, Header | Reference> {
  const headers = responseHeaders(options);
  const always = CREDIT_HEADERS.map((name) => [name, { ...headers[name], required: true }]);
  return { ...references([...others, ...RATE_HEADERS]), ...Object.fromEntries(always) };
}

/** The headers of an error of this status. */
export function problemHeaders(status: number): Record<string, Reference> {
  const mayKnowCaller = PROBLEMS_OF_KNOWN_CALLERS.includes(status);
  const known = mayKnowCaller ? [...CREDIT_HEADERS, ...RATE_HEADERS] : [];
  return references([...EVERY_RESPONSE, ...known, ...(BY_STATUS[status] ?? [])]);
}

const references = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
