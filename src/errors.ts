/**
 * Every error of the API, in one table that also chooses the status. A `code` never changes its meaning; `detail` is
 * for people and may change. The errors page and the OpenAPI description come from this table: `cause` says when the
 * error occurs, `cure` what the client can do.
 */
export const ERRORS = {
  invalid_json: {
    status: 400,
    title: "The body is not valid JSON",
    cause: "The body does not follow the JSON grammar (RFC 8259), or nests deeper than 512 levels.",
    cure: "`detail` gives the line and column of the first error. Correct the JSON and send it again.",
  },
  invalid_utf8: {
    status: 400,
    title: "The body is not UTF-8",
    cause: "The bytes of the body are not well-formed UTF-8.",
    cure: "Encode the body as UTF-8. A byte order mark at its start is allowed.",
  },
  invalid_request: {
    status: 400,
    title: "The request is not valid",
    cause:
      "A field is missing, unknown, of the wrong type or out of range, or a header is malformed.",
    cure: "`errors` lists every problem with a JSON pointer to its field. Correct all of them and send the request again.",
  },
  text_too_long_for_level: {
    status: 400,
    title: "The text does not fit in a QR code at this level",
    cause:
      "The text is too long for this error correction level. A higher level leaves less room for data.",
    cure: "Shorten the text, or request the level in `fits`. The service never lowers the level on its own.",
  },
  idempotency_key_reused: {
    status: 400,
    title: "The idempotency key was used for another request",
    cause:
      "You used this `Idempotency-Key` on the same path in the last 24 hours with a different body, or an earlier version of the service made the first response and the current version cannot reproduce it.",
    cure: "Use a new key for each new request. To repeat a request, send exactly the same bytes.",
  },
  missing_key: {
    status: 401,
    title: "An API key is required",
    cause: "The request has no `Authorization: Bearer <API key>` header, or uses another scheme.",
    cure: "Send `Authorization: Bearer tb_...` with a key of your account. If the request has a key in another place, `detail` says where.",
  },
  invalid_key: {
    status: 401,
    title: "The API key is not valid",
    cause:
      "The key is misspelled, unknown or revoked, or its account is closed. The response does not say which.",
    cure: "Check that you copied the whole key. If the key was revoked, use a new one.",
  },
  insufficient_credits: {
    status: 402,
    title: "Not enough credits",
    cause: "The call costs more credits than the account can spend.",
    cure: "Add credits to the account, then send the call again. The failed call was not charged.",
  },
  account_suspended: {
    status: 403,
    title: "The account is suspended",
    cause: "The operator of this service has suspended the account. Its keys and credits are kept.",
    cure: "Contact the operator of this service.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    cause: "No endpoint has this path. Paths are lowercase and have no trailing slash.",
    cure: "Check the path against the list of endpoints in the documentation.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    cause: "The path does not support this method. Tools are called with POST.",
    cure: "Send the request with one of the methods in the `Allow` header.",
  },
  not_acceptable: {
    status: 406,
    title: "No acceptable response type",
    cause:
      "`Accept` allows neither JSON nor another type in which the tool responds, or it contradicts the field `format`.",
    cure: "`detail` lists the types. Send one of them, or leave `Accept` out to get JSON.",
  },
  request_timeout: {
    status: 408,
    title: "The request did not arrive in time",
    cause: "The client took too long to send the headers or the body.",
    cure: "Send the request again, over a faster connection or with a smaller body.",
  },
  idempotency_in_progress: {
    status: 409,
    title: "The first request with this idempotency key is still running",
    cause: "Another request with the same `Idempotency-Key` on the same path has not finished yet.",
    cure: "Wait as long as `Retry-After` says, then repeat the request to get the first response.",
  },
  too_large: {
    status: 413,
    title: "The request is too large",
    cause: "The body, or the UTF-8 text of one of its fields, exceeds its limit.",
    cure: "`detail` gives the limit and the size. Send less data in each request.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type or encoding",
    cause:
      "The tool does not take a body of this `Content-Type`, or the `Content-Encoding` is not gzip.",
    cure: "Send JSON with `Content-Type: application/json`, or one of the types in `detail`; uncompressed or with `Content-Encoding: gzip`.",
  },
  rate_limited: {
    status: 429,
    title: "Too many calls",
    cause: "The account is making more calls per second than the service allows.",
    cure: "Wait as long as `Retry-After` says. The `RateLimit` header of every response says how many calls are left.",
  },
  headers_too_large: {
    status: 431,
    title: "The headers are too large",
    cause: "The request line and the headers together exceed 32 KB.",
    cure: "Send fewer or shorter headers.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    cause:
      "Something failed in the service. The failure is logged under the response's `requestId`.",
    cure: "Try again. If the error persists, send the `requestId` to the operator. The call was not charged.",
  },
  unavailable: {
    status: 503,
    title: "Temporarily unavailable",
    cause:
      "The service cannot reach the ledger, or is already handling as many large calls as it can.",
    cure: "Try again after the time in `Retry-After`. The call was not charged.",
  },
} as const satisfies Record<string, ErrorEntry>;

type ErrorEntry = { status: number; title: string; cause: string; cure: string };

export type ErrorCode = keyof typeof ERRORS;

/** One of several errors in a request: in a field of the body (`pointer`, RFC 6901), the query or a header. */
export type FieldError = {
  pointer?: string;
  parameter?: string;
  header?: string;
  detail: string;
};

/**
 * The members that errors add to the problem document (RFC 9457, section 3.2). `api/openapi/problems.ts` describes each
 * of them.
 */
export type ProblemMembers = {
  line?: number;
  column?: number;
  bytes?: number;
  capacities?: Record<string, number>;
  fits?: string | null;
  balance?: number;
  price?: number;
  topUpUrl?: string;
  limit?: number;
  size?: number;
};

export type ProblemDetails = {
  errors?: FieldError[];
  members?: ProblemMembers;
  headers?: Record<string, string>;
  cause?: unknown;
};

/**
 * An error that ends a request. Any code can throw it; the app that received the request turns it into a response with
 * problem details (RFC 9457). Calls, the dashboard and the operator API each have a table of codes and a subclass.
 */
export class ProblemError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly title: string;
  readonly details: ProblemDetails;

  /** `detail` is shown to people: it says what happened and what to do. */
  constructor(
    code: Code,
    kind: { status: number; title: string },
    detail: string,
    details: ProblemDetails = {},
  ) {
    super(detail, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "ProblemError";
    this.code = code;
    this.status = kind.status;
    this.title = kind.title;
    this.details = details;
  }
}

/** An error of the API through which clients call tools. */
export class ApiError extends ProblemError<ErrorCode> {
  constructor(code: ErrorCode, detail: string, details: ProblemDetails = {}) {
    super(code, ERRORS[code], detail, details);
    this.name = "ApiError";
  }
}
