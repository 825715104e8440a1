import { ProblemError } from "#errors.ts";

/** The errors of the operator API, with their statuses. */
const OPERATOR_ERRORS = {
  invalid_request: { status: 400, title: "The request is not valid" },
  wrong_token: { status: 401, title: "Wrong operator token" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  refused: { status: 409, title: "The operation is not possible" },
  too_large: { status: 413, title: "The body is too large" },
  too_many_tries: { status: 429, title: "Too many wrong tokens" },
  internal: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "Temporarily unavailable" },
} as const;

export type OperatorErrorCode = keyof typeof OPERATOR_ERRORS;

export class OperatorError extends ProblemError<OperatorErrorCode> {
  constructor(code: OperatorErrorCode, detail: string, headers: Record<string, string> = {}) {
    super(code, OPERATOR_ERRORS[code], detail, { headers });
    this.name = "OperatorError";
  }
}
