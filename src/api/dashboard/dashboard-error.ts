import type { DashboardErrorCode, DashboardProblem } from "./shapes.ts";

/** Ends a request of the pages: thrown where it is found, answered in `people-app.ts` alone. */
export class DashboardError extends Error {
  readonly code: DashboardErrorCode;
  readonly retryAfterSeconds: number | null;

  constructor(code: DashboardErrorCode, detail: string, retryAfterSeconds: number | null = null) {
    super(detail);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Something is there, but not for this method. */
export class WrongMethod extends DashboardError {
  readonly allow: string;

  constructor(method: string, methods: readonly string[]) {
    const allow = methods.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : each)).join(", ");
    super("wrong_method", `This address does not answer ${method}, only ${allow}.`);
    this.allow = allow;
  }
}

export const DASHBOARD_ERROR_STATUS: Record<DashboardErrorCode, number> = {
  invalid_request: 400,
  wrong_password: 400,
  signed_out: 401,
  email_not_verified: 403,
  account_suspended: 403,
  not_payable: 403,
  cross_site: 403,
  not_found: 404,
  wrong_method: 405,
  too_many_requests: 429,
  internal: 500,
  unavailable: 503,
};

export function problemResponse(fault: DashboardError, requestId: string): Response {
  const body: DashboardProblem = { ok: false, code: fault.code, detail: fault.message, requestId };
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (fault.retryAfterSeconds !== null) headers["Retry-After"] = String(fault.retryAfterSeconds);
  if (fault instanceof WrongMethod) headers["Allow"] = fault.allow;
  return new Response(JSON.stringify(body), {
    status: DASHBOARD_ERROR_STATUS[fault.code],
    headers,
  });
}

export const tooFast = (forMs: number) =>
  new DashboardError(
    "too_many_requests",
    "That was too often in a short time. Wait a moment and try again.",
    Math.max(1, Math.ceil(forMs / 1_000)),
  );
