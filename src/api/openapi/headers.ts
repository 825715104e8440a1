import { createThrottle } from "#ledger/throttle.ts";
import { IDEMPOTENCY_KEPT_MS, IDEMPOTENCY_KEY_CHARS_MAX } from "#limits.ts";
import { EXPOSED_HEADERS } from "../pipeline/reply.ts";
import type { ApiOptions, Header, Parameter, Reference } from "./document.ts";

/** The headers of requests and answers, as the description names them. */

export const REQUEST_HEADERS: Record<string, Parameter> = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: `Names this call, so that it can be repeated safely: a repeat with the same body on the same path within ${IDEMPOTENCY_KEPT_MS / 3_600_000} hours gets the first answer again and is not charged. Scoped to the account and the path.`,
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
      "A name of your own for this request. Up to 128 letters, digits and `_ . : = + / -` come back in the answer as they are; instead of anything else the service makes one.",
    schema: { type: "string" },
    example: "req_4711",
  },
  ContentEncoding: {
    name: "Content-Encoding",
    in: "header",
    description:
      "How the body is compressed. The limits hold for the inflated size as well as for the size as sent.",
    schema: { type: "string", enum: ["gzip", "identity"] },
    example: "gzip",
  },
};

const CREDITS = { type: "integer", minimum: 0 };

/** As on any answer that has them; `required` says that every answer on which they are listed does. */
export function responseHeaders(options: ApiOptions): Record<string, Header> {
  const mostCharged = Math.max(...options.tools.map(({ price }) => price));
  return {
    "X-Request-Id": {
      description: "Names the request, in the answer and in the service's log.",
      required: true,
      schema: { type: "string", pattern: "^[\\w.:=+/-]{1,128}$" },
      example: "req_4711",
    },
    "Cache-Control": {
      description: "Answers are not to be stored by caches.",
      required: true,
      schema: { type: "string", const: "no-store" },
    },
    "Server-Timing": {
      description: "The parts of the time that the service took, in milliseconds.",
      schema: { type: "string" },
      example: "total;dur=1.52",
    },
    "Credits-Charged": {
      description:
        "Credits that this call cost: the price of the tool; 0 for an account's free first call, for a replayed answer and for every refusal. Present once the caller is known.",
      schema: { ...CREDITS, maximum: mostCharged },
      example: mostCharged,
    },
    "Credits-Remaining": {
      description:
        "Credits that the account can spend after this call. Present once the caller is known.",
      schema: CREDITS,
      example: 99,
    },
    "Idempotency-Replayed": {
      description:
        "Present when the answer is that of an earlier call with the same `Idempotency-Key`.",
      schema: { type: "string", const: "true" },
    },
    ...rateHeaders(options.rateLimit),
    "Retry-After": {
      description: "Seconds to wait before the request is sent again.",
      required: true,
      schema: { type: "integer", minimum: 1 },
      example: 1,
    },
    "WWW-Authenticate": {
      description:
        'How to authenticate (RFC 6750). Has `error="invalid_token"` where a key was sent.',
      required: true,
      schema: { type: "string" },
      example: 'Bearer realm="toolbooth"',
    },
    Allow: {
      description: "The methods of this address.",
      required: true,
      schema: { type: "string" },
      example: "POST, OPTIONS",
    },
    "Access-Control-Allow-Origin": {
      description: "Scripts of any origin may read the answer.",
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
        "The rate limit: `q` calls in `w` seconds (draft-ietf-httpapi-ratelimit-headers). Present once the caller is known.",
      schema: { type: "string" },
      example: policy,
    },
    RateLimit: {
      description:
        "What is left of it: `r` calls at once now, all of them in `t` seconds. Present once the caller is known.",
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

/** Headers that any answer to a known caller has. */
const KNOWN_CALLER = ["Credits-Charged", "Credits-Remaining", "RateLimit-Policy", "RateLimit"];

const PROBLEMS_OF_KNOWN_CALLERS = [400, 402, 403, 408, 409, 413, 415, 429, 500, 503];

const BY_STATUS: Record<number, string[]> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  409: ["Retry-After"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

export const operatorResponseHeaders = () => references(EVERY_RESPONSE);

/** A 200 of a tool goes to a known caller, so here the headers of a known caller are never missing. */
export function toolResponseHeaders(options: ApiOptions): Record<string, Header | Reference> {
  const headers = responseHeaders(options);
  const always = knownCaller(options.rateLimit).map((name) => [
    name,
    { ...headers[name], required: true },
  ]);
  return {
    ...references([...EVERY_RESPONSE, "Idempotency-Replayed"]),
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
