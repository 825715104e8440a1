/**
 * Our sentences for better-auth's error codes. Errors of our own handlers carry their sentence in `detail`.
 * The wording never reveals whether an email address has an account.
 */
const MESSAGES: Record<string, string> = {
  INVALID_EMAIL: "Enter a complete email address, such as name@example.com.",
  SESSION_EXPIRED: "Your session has ended. Sign in again to continue.",
  FAILED_TO_CREATE_SESSION: "We could not sign you in. Try again.",
  PROVIDER_NOT_FOUND: "This sign-in method is not available here. Use your email address.",
  signed_out: "Your session has ended. Sign in again to continue.",
  too_many_requests: "Too many attempts. Wait a moment, then try again.",
};

/** The message for an error code, or undefined if the server's own `detail` should be shown. */
export function errorMessageFor(code: string, status: number): string | undefined {
  if (Object.hasOwn(MESSAGES, code)) return MESSAGES[code];
  if (status >= 500 && code === "internal") {
    return "Try again in a moment. If the problem persists, contact the operator of this service.";
  }
  return undefined;
}
