import { ProblemDetails } from "../request.ts";

/** Why the service rejects the address. Undefined for other errors. */
export const emailProblemOf = (error: unknown): string | undefined =>
  error instanceof ProblemDetails && error.code === "INVALID_EMAIL" ? error.detail : undefined;

/** Why the service rejects a new password, which only it can tell: it knows the common ones. Undefined for other errors. */
export const passwordProblemOf = (error: unknown): string | undefined =>
  error instanceof ProblemDetails && error.code.startsWith("PASSWORD_") ? error.detail : undefined;
