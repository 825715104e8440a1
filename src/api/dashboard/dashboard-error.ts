import { allowedMethods } from "#calls/problem.ts";
import { ProblemError } from "#errors.ts";

/** The errors of the dashboard, with their statuses. Better Auth has codes of its own (`AuthError`). */
export const DASHBOARD_ERRORS = {
  invalid_request: { status: 400, title: "The request is not valid" },
  /** The URL of a webhook endpoint. */
  invalid_url: { status: 400, title: "The URL is not valid" },
  wrong_code: { status: 400, title: "Wrong code" },
  unknown_passkey: { status: 400, title: "The passkey could not be used" },
  /** The code or link of a sign-in has expired, was used, had five wrong tries, or belongs to another browser. */
  attempt_ended: { status: 400, title: "Ask for a new code" },
  /** The link that undoes a change of the email address. */
  link_expired: { status: 400, title: "The link has expired" },
  signed_out: { status: 401, title: "You are signed out" },
  /** Codes, links and providers do not sign in to this account. */
  passkey_required: { status: 403, title: "Use your passkey" },
  sign_up_closed: { status: 403, title: "Sign-up is closed" },
  account_suspended: { status: 403, title: "The account is suspended" },
  /** The old address can still undo a change of the address, so the account cannot be closed yet. */
  address_changed: { status: 403, title: "The email address was changed recently" },
  /** The dashboard sells nothing on this service; `detail` says whom to ask. */
  not_payable: { status: 403, title: "Credits are not sold here" },
  /** The action needs a sign-in within the last minutes: the page asks for one and repeats the request. */
  fresh_proof_required: { status: 403, title: "Confirm that it is you" },
  cross_site: { status: 403, title: "The request came from another site" },
  not_found: { status: 404, title: "Not found" },
  wrong_method: { status: 405, title: "Method not allowed" },
  /** Too many wrong codes for the address on this day. */
  too_many_codes: { status: 429, title: "Too many wrong codes" },
  /** Too many codes were sent to the address. */
  too_many_emails: { status: 429, title: "Too many emails" },
  too_many_requests: { status: 429, title: "Too many requests" },
  too_many_downloads: { status: 429, title: "Too many downloads" },
  emails_exhausted: { status: 503, title: "No more emails for now" },
  internal: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "Temporarily unavailable" },
} as const;

export type DashboardErrorCode = keyof typeof DASHBOARD_ERRORS;

export class DashboardError extends ProblemError<DashboardErrorCode> {
  constructor(code: DashboardErrorCode, detail: string, headers: Record<string, string> = {}) {
    super(code, DASHBOARD_ERRORS[code], detail, { headers });
    this.name = "DashboardError";
  }
}

/** An error of Better Auth, or one of ours that the sign-in pages recognize by a code in the same format. */
export class AuthError extends ProblemError {
  constructor(code: string, detail: string, status: number) {
    super(code, { status, title: "The sign-in request failed" }, detail);
    this.name = "AuthError";
  }
}

/** Tells the client how many seconds to wait; at least one. */
export const retryAfter = (ms: number): Record<string, string> => ({
  "Retry-After": String(Math.max(1, Math.ceil(ms / 1_000))),
});

export const busy = () =>
  new DashboardError(
    "unavailable",
    "The service is busy, and nothing was changed. Try again in a moment.",
    retryAfter(2_000),
  );

export const tooManyRequests = (waitMs: number) =>
  new DashboardError(
    "too_many_requests",
    "Too many requests in a short time. Wait a moment and try again.",
    retryAfter(waitMs),
  );

export function wrongMethod(method: string, path: string, methods: readonly string[]) {
  const allow = allowedMethods(methods);
  return new DashboardError(
    "wrong_method",
    `${method} is not allowed on ${path}; use ${allow.join(" or ")}.`,
    { Allow: allow.join(", ") },
  );
}
