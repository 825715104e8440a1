/**
 * Every refusal the service gives, in one table: the status is chosen nowhere else.
 * A `code` is a promise to callers and never changes its meaning; `detail` is for people and may change.
 * `cause` and `cure` are what the documentation says of the code (RFC 9457, section 3.1: `type` leads there).
 */
export const ERRORS = {
  invalid_json: {
    status: 400,
    title: "The body is not valid JSON",
    cause: "The body does not follow the JSON grammar (RFC 8259), or nests deeper than 512 levels.",
    cure: "`detail` names the line and column of the first fault. Send one complete JSON value.",
  },
  invalid_utf8: {
    status: 400,
    title: "The body is not UTF-8",
    cause: "The bytes of the body are not well-formed UTF-8.",
    cure: "Encode the body as UTF-8. A leading byte order mark is allowed and ignored.",
  },
  invalid_request: {
    status: 400,
    title: "The request is not valid",
    cause:
      "A field is missing, unknown, of the wrong type or out of its bounds, or a header is malformed.",
    cure: "`errors` lists every fault with a JSON pointer to the field. Mend them all and send again.",
  },
  text_too_long_for_level: {
    status: 400,
    title: "The text does not fit into a QR code at this level",
    cause: "A QR code holds fewer bytes at higher error correction levels; the text needs more.",
    cure: "Shorten the text, or ask for the level that `fits` names. The level is never lowered silently.",
  },
  idempotency_key_reused: {
    status: 400,
    title: "The idempotency key belongs to another request",
    cause:
      "This `Idempotency-Key` was used on the same path within 24 hours with a different body, or its first answer was made by an earlier version of the service and cannot be made again.",
    cure: "Use a new key for a new request, and repeat a request with exactly the bytes of the first.",
  },
  missing_key: {
    status: 401,
    title: "An API key is needed",
    cause: "The request has no `Authorization: Bearer <API key>` header, or uses another scheme.",
    cure: "Send `Authorization: Bearer tb_...` with a key of your account.",
  },
  invalid_key: {
    status: 401,
    title: "The API key is not valid",
    cause:
      "The key is misspelt, unknown or revoked, or its account is closed. The answer does not tell which.",
    cure: "Check that the whole key was copied. If it was revoked, use a new one.",
  },
  insufficient_credits: {
    status: 402,
    title: "Not enough credits",
    cause: "The account has fewer spendable credits than the call costs.",
    cure: "Add credits to the account, then send the call again. The refused call was not charged.",
  },
  account_suspended: {
    status: 403,
    title: "The account is suspended",
    cause: "The operator of this service has suspended the account. Its keys and credits are kept.",
    cure: "Ask the operator of this service.",
  },
  not_found: {
    status: 404,
    title: "There is nothing at this address",
    cause:
      "No endpoint has this path. Paths are exact: no trailing slash, and letters are lower-case.",
    cure: "The endpoints are listed in the documentation.",
  },
  method_not_allowed: {
    status: 405,
    title: "The method is not allowed here",
    cause: "Every tool is called with POST; the `Allow` header names the methods of this address.",
    cure: "Send the request with a method that `Allow` names.",
  },
  request_timeout: {
    status: 408,
    title: "The request did not arrive in time",
    cause: "The headers or the body took longer to arrive than the service waits.",
    cure: "Send the request again over a connection that is fast enough for its size.",
  },
  idempotency_in_progress: {
    status: 409,
    title: "The first request with this idempotency key is still running",
    cause:
      "Another request with the same `Idempotency-Key` on the same path has not been answered yet.",
    cure: "Wait as `Retry-After` says, then repeat: you will get the answer of the first.",
  },
  too_large: {
    status: 413,
    title: "The request is too large",
    cause: "The body, or one of its fields counted in UTF-8 bytes, is over its limit.",
    cure: "`detail` names the limit and the size. Send less at once.",
  },
  unsupported_media_type: {
    status: 415,
    title: "The body has a type or an encoding that is not supported",
    cause:
      "The body is not JSON and its `Content-Type` does not say so either, or its `Content-Encoding` is not gzip.",
    cure: "Send JSON with `Content-Type: application/json`, uncompressed or with `Content-Encoding: gzip`.",
  },
  rate_limited: {
    status: 429,
    title: "Too many calls",
    cause: "The account makes more calls a second than the service allows.",
    cure: "Wait as `Retry-After` says. `RateLimit` on every answer tells how many calls are left at once.",
  },
  headers_too_large: {
    status: 431,
    title: "The headers are too large",
    cause: "The request line and headers together are over 32 KB.",
    cure: "Send fewer or shorter headers.",
  },
  internal: {
    status: 500,
    title: "Something went wrong on our side",
    cause: "A fault of the service. It is logged under the answer's `requestId`.",
    cure: "Try again; if it stays, give the operator the `requestId`. The call was not charged.",
  },
  unavailable: {
    status: 503,
    title: "The service cannot answer at the moment",
    cause:
      "The ledger of credits is out of reach, or the service has more large calls to do than it can.",
    cure: "Try again as `Retry-After` says. The call was not charged.",
  },
} as const satisfies Record<string, ErrorEntry>;

type ErrorEntry = { status: number; title: string; cause: string; cure: string };

export type ErrorCode = keyof typeof ERRORS;

/** One of several errors in a request: in a field of the body (`pointer`, RFC 6901) or in a header. */
export type FieldError = { pointer?: string; header?: string; detail: string };

export type ProblemDetails = {
  errors?: FieldError[];
  /** Members that this error adds to the problem body (RFC 9457, section 3.2). */
  members?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
};

/**
 * An error that ends a request. It is thrown anywhere, and the app that received the request turns it into one response
 * with problem details (RFC 9457). Calls, the dashboard and the operator API each have a table of codes and a subclass.
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

/** An error of the API that tools are called through. */
export class ApiError extends ProblemError<ErrorCode> {
  constructor(code: ErrorCode, detail: string, details: ProblemDetails = {}) {
    super(code, ERRORS[code], detail, details);
    this.name = "ApiError";
  }
}
