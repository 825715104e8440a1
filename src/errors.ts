/**
 * Every error of the API, in one table that also chooses the status. A `code` never changes its meaning; `detail` is
 * for people and may change. `site/docs/error-texts.ts` has the cause and the cure of each, for the documentation.
 */
export const ERRORS = {
  invalid_json: { status: 400, title: "The body is not valid JSON" },
  invalid_utf8: { status: 400, title: "The body is not UTF-8" },
  invalid_request: { status: 400, title: "The request is not valid" },
  text_too_long_for_level: {
    status: 400,
    title: "The text does not fit in a QR code at this level",
  },
  idempotency_key_reused: {
    status: 400,
    title: "The idempotency key was used for another request",
  },
  missing_key: { status: 401, title: "An API key is required" },
  invalid_key: { status: 401, title: "The API key is not valid" },
  insufficient_credits: { status: 402, title: "Not enough credits" },
  key_budget_exhausted: { status: 402, title: "The budget of the API key does not cover the call" },
  account_suspended: { status: 403, title: "The account is suspended" },
  key_not_allowed: { status: 403, title: "The API key may not be used for this call" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  not_acceptable: { status: 406, title: "No acceptable response type" },
  request_timeout: { status: 408, title: "The request did not arrive in time" },
  idempotency_in_progress: {
    status: 409,
    title: "The first request with this idempotency key is still running",
  },
  outcome_unknown: {
    status: 409,
    title: "The outcome of the first request with this idempotency key is unknown",
  },
  too_large: { status: 413, title: "The request is too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type or encoding" },
  upstream_rejected: {
    status: 422,
    title: "The service behind the tool rejected the request",
  },
  rate_limited: { status: 429, title: "Too many calls" },
  headers_too_large: { status: 431, title: "The headers are too large" },
  internal: { status: 500, title: "Internal error" },
  tool_failed: { status: 500, title: "The tool failed" },
  upstream_failed: { status: 502, title: "The service behind the tool failed" },
  unavailable: { status: 503, title: "Temporarily unavailable" },
  tool_timeout: { status: 504, title: "The tool took too long" },
} as const satisfies Record<string, ErrorEntry>;

type ErrorEntry = { status: number; title: string };

export type ErrorCode = keyof typeof ERRORS;

/** One of several errors in a request: in a field of the body (`pointer`, RFC 6901), the query or a header. */
export type FieldError = {
  pointer?: string;
  parameter?: string;
  header?: string;
  detail: string;
};

/** The limit that rejected a call: of the account, of the key, or of the service. Each error has some of them. */
export const LIMIT_SOURCES = [
  "account",
  "key",
  "key_tools",
  "key_networks",
  "key_day",
  "key_month",
  "key_total",
  "idempotency_key",
  "kept_responses",
  "network",
] as const;
export type LimitSource = (typeof LIMIT_SOURCES)[number];

/**
 * What an error says of the charge of its call, if the debit may have been made. `unknown`: it is not known yet. `reversed`: the
 * call was charged, and the charge is being given back. An error without it was not charged.
 */
export const CHARGES_IN_DOUBT = ["unknown", "reversed"] as const;
export type ChargeInDoubt = (typeof CHARGES_IN_DOUBT)[number];

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
  heldCredits?: number;
  price?: number;
  topUpUrl?: string;
  limitSource?: LimitSource;
  budget?: { credits: number; remaining: number } | undefined;
  resetsAt?: string | null;
  expiredAt?: string;
  allowedTools?: string[];
  limit?: number;
  size?: number;
  upstream?: { status: number; problem?: unknown };
  callId?: string;
  charged?: ChargeInDoubt;
};

export type ProblemDetails = {
  errors?: FieldError[];
  members?: ProblemMembers;
  headers?: Record<string, string>;
  cause?: unknown;
  /** The text without its advice, in place of which a call that may have done its work has another. */
  happened?: string;
  /** The tool has certainly done nothing outside of the service. */
  didNothing?: boolean;
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
