/** What the operator's door refuses; the status is chosen here and nowhere else. */
export const OPERATOR_PROBLEMS = {
  invalid_request: { status: 400, title: "The request is not valid" },
  unknown_operation: { status: 400, title: "This service does not know the operation" },
  wrong_clock: { status: 400, title: "The order's time is not now" },
  wrong_token: { status: 401, title: "The token is not the operator's" },
  not_found: { status: 404, title: "There is nothing at this address" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  refused: { status: 409, title: "It cannot be done" },
  /** Its import has not come to its end: asking again is of no use before. */
  being_moved: { status: 409, title: "The account is being moved" },
  too_large: { status: 413, title: "The body is too large" },
  too_many_tries: { status: 429, title: "Too many wrong tokens" },
  internal: { status: 500, title: "Something went wrong on the service's side" },
  unavailable: { status: 503, title: "It cannot be done at the moment" },
} as const;

export type OperatorCode = keyof typeof OPERATOR_PROBLEMS;

/** Ends a request of an operator: thrown where it is found, answered in `operator-app.ts` alone. */
export class OperatorError extends Error {
  readonly code: OperatorCode;
  readonly headers: Record<string, string>;

  constructor(code: OperatorCode, detail: string, headers: Record<string, string> = {}) {
    super(detail);
    this.code = code;
    this.headers = headers;
  }
}

/** Problem details (RFC 9457). */
export function faultResponse(fault: OperatorError, requestId: string): Response {
  const { status, title } = OPERATOR_PROBLEMS[fault.code];
  const body = { ok: false, title, status, code: fault.code, detail: fault.message, requestId };
  const headers = { "Content-Type": "application/problem+json", ...fault.headers };
  return new Response(JSON.stringify(body), { status, headers });
}
