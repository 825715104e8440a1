import { challengeOf } from "#brand.ts";
import { EXPOSED_HEADERS } from "#calls/reply.ts";
import { BURST_SECONDS, createThrottle } from "#ledger/throttle.ts";
import {
  HOUR_MS,
  IDEMPOTENCY_KEPT_MS,
  IDEMPOTENCY_KEY_CHARS_MAX,
  PRICE_CREDITS_MAX,
} from "#limits.ts";
import type { ApiOptions, Header, Parameter, Reference } from "./document.ts";

/** The headers of requests and responses, for the OpenAPI description and the documentation. */

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  description: `Identifies this call, so that you can safely repeat it: 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters, new for each call. A request with the same key, path and body within ${IDEMPOTENCY_KEPT_MS / HOUR_MS} hours gets the first response again and is not charged. Each account and path has its own keys.`,
};

/** Of a tool that changes something: without it, every call of a generated client would be an error. */
export const REQUIRED_KEY: Parameter = {
  ...{ name: IDEMPOTENCY_KEY.name, in: "header", required: true },
  description: IDEMPOTENCY_KEY.description,
  schema: { type: "string", pattern: `^[!-~]{1,${IDEMPOTENCY_KEY_CHARS_MAX}}$` },
};

/**
 * Optional headers of calls. The OpenAPI description explains them in words: if they were parameters, importers such as Postman
 * would send each of them with a fixed value, and an idempotency key that never changes makes every other call an error.
 */
export const REQUEST_HEADERS: readonly { name: string; description: string }[] = [
  IDEMPOTENCY_KEY,
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

/** The calls a second in examples. The description is the same for every setting of `RATE_LIMIT`; this is its default. */
export const SAMPLE_RATE_LIMIT = 100;

/** A response, as far as its headers depend on it: the 200 of a tool or of the account, or an error of this status. */
type ResponseKind = "tool" | "account" | number;

/** Errors that may come before or after the account is known; all others come before. */
const ERRORS_OF_KNOWN_CALLERS = [
  ...[400, 402, 403, 406, 408, 409, 413, 415, 422, 429],
  ...[500, 502, 503, 504],
];

const always = () => true;
const onResults = (response: ResponseKind) => response === "tool";
const ofKnownCallers = (response: ResponseKind) =>
  typeof response === "string" || ERRORS_OF_KNOWN_CALLERS.includes(response);
const onErrors =
  (...statuses: number[]) =>
  (response: ResponseKind) =>
    statuses.includes(response as number);

/** A header, and which responses have it. A required one is on each of them. */
type Row = [
  name: string,
  isOn: (response: ResponseKind) => boolean,
  description: string,
  more: Omit<Header, "description">,
];

type Options = Pick<ApiOptions, "name">;

const TEXT = { schema: { type: "string" } };
const ALWAYS_CREDITS = ["Credits-Charged", "Credits-Remaining"];
/** Only a service with a rate limit has them. */
export const RATE_HEADERS = ["RateLimit-Policy", "RateLimit"];

const rowsOf = ({ name }: Options): Row[] => [
  [
    "X-Request-Id",
    always,
    "The id of the request, in the response and in the service's log.",
    {
      required: true,
      schema: { type: "string", pattern: "^[\\w.:=+/-]{1,128}$" },
      example: "req_4711",
    },
  ],
  [
    "Cache-Control",
    always,
    "Caches must not store responses.",
    { required: true, schema: { type: "string", const: "no-store" } },
  ],
  [
    "Server-Timing",
    always,
    "How long each part of the request took, in milliseconds: `key`, `body`, `queue` (waiting for a thread), `check` and `hold` (the input and the price, of tools that are paid before they run), `tool`, `ledger`, and `total`.",
    { ...TEXT, example: "total;dur=1.52" },
  ],
  [
    "Credits-Charged",
    ofKnownCallers,
    "The credits that this call cost: the price of the tool or of your account, or 0 for a free first call, a replayed response and every error. Present once the account is known, unless the error says that the call may have been charged (`charged`).",
    { schema: { type: "integer", minimum: 0, maximum: PRICE_CREDITS_MAX }, example: 0 },
  ],
  [
    "Credits-Remaining",
    ofKnownCallers,
    "The credits that the account can spend after this call. Present where `Credits-Charged` is.",
    { schema: { type: "integer", minimum: 0 }, example: 99 },
  ],
  [
    "Idempotency-Replayed",
    onResults,
    "Present if this is the response to an earlier call with the same `Idempotency-Key`.",
    { schema: { type: "string", const: "true" } },
  ],
  [
    "RateLimit-Policy",
    ofKnownCallers,
    "The rate limit: `q` calls in `w` seconds (draft-ietf-httpapi-ratelimit-headers). Present once the account is known, if the service has a rate limit.",
    { ...TEXT, example: createThrottle(SAMPLE_RATE_LIMIT).policy },
  ],
  [
    "RateLimit",
    ofKnownCallers,
    "What is left of the limit: `r` calls now, and the whole burst again in `t` seconds. Present if `RateLimit-Policy` is.",
    { ...TEXT, example: `"account";r=${BURST_SECONDS * SAMPLE_RATE_LIMIT - 1};t=1` },
  ],
  [
    "Retry-After",
    onErrors(409, 429, 503),
    "Seconds to wait before you send the request again. Always on a 429. Absent if a repeat would not help, or might do the work of the call twice.",
    { schema: { type: "integer", minimum: 1 }, example: 1 },
  ],
  [
    "WWW-Authenticate",
    onErrors(401),
    'How to authenticate (RFC 6750), with `error="invalid_token"` if the request had a key.',
    { required: true, ...TEXT, example: challengeOf({ name }) },
  ],
  [
    "Accept",
    onErrors(415),
    "The types of bodies that the tool takes. Only on a 415 for the type of the body.",
    { ...TEXT, example: "application/json, text/plain, multipart/form-data" },
  ],
  [
    "Accept-Encoding",
    onErrors(415),
    "The encoding that a body may have. Only on a 415 for the encoding of the body.",
    { ...TEXT, example: "gzip" },
  ],
  [
    "Content-Security-Policy",
    onResults,
    "On HTML and SVG: opened as a page, the response runs and loads nothing.",
    { ...TEXT, example: "sandbox; default-src 'none'" },
  ],
  [
    "Allow",
    onErrors(405),
    "The methods of this path.",
    { required: true, ...TEXT, example: "POST, OPTIONS" },
  ],
  [
    "Access-Control-Allow-Origin",
    always,
    "Scripts of any origin may read the response.",
    { required: true, schema: { type: "string", const: "*" } },
  ],
  [
    "Access-Control-Expose-Headers",
    always,
    "The headers that scripts of other origins may read. Present if the request has an `Origin`.",
    { ...TEXT, example: EXPOSED_HEADERS },
  ],
];

/** The response headers by name. */
export const responseHeaders = (options: Options): Record<string, Header> =>
  Object.fromEntries(
    rowsOf(options).map(([name, , description, more]) => [name, { description, ...more }]),
  );

/**
 * The headers of one kind of response. The account of a 200 is known, so there those about credits are required. `charged`: what a call
 * with this response costs, in the example.
 */
export const responseHeadersOf = (
  response: ResponseKind,
  options: Options,
  charged = 0,
): Record<string, Header | Reference> =>
  Object.fromEntries(
    rowsOf(options)
      .filter(([, isOn]) => isOn(response))
      .map(([name, , description, more]) => [
        name,
        typeof response === "string" && ALWAYS_CREDITS.includes(name)
          ? {
              ...{ description, ...more, required: true },
              ...(name === "Credits-Charged" && { example: charged }),
            }
          : { $ref: `#/components/headers/${name}` },
      ]),
  );
