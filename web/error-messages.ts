/**
 * Our sentences for better-auth's error codes. Errors of our own handlers carry their sentence in `detail`.
 * The wording never reveals whether an email address has an account.
 */
const MESSAGES: Record<string, string> = {
  INVALID_EMAIL_OR_PASSWORD: "Wrong email or password. Check both and try again.",
  USER_NOT_FOUND: "Wrong email or password. Check both and try again.",
  EMAIL_NOT_VERIFIED:
    "Confirm your email address first: open the link in the email that we sent you.",
  INVALID_EMAIL: "Enter a complete email address, such as name@example.com.",
  INVALID_PASSWORD: "Your current password is wrong. Check it and try again.",
  PASSWORD_TOO_SHORT: "The password is too short. Use at least 10 characters.",
  PASSWORD_TOO_LONG: "The password is too long. Use at most 128 characters.",
  USER_ALREADY_EXISTS: "Check your email to continue.",
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: "Check your email to continue.",
  INVALID_TOKEN: "This link has expired or has already been used. Request a new one.",
  TOKEN_EXPIRED: "This link has expired. Request a new one.",
  SESSION_EXPIRED: "Your session has ended. Sign in again to continue.",
  SESSION_NOT_FRESH: "For your security, sign in again before you change this.",
  FAILED_TO_CREATE_SESSION: "We could not sign you in. Try again.",
  EMAIL_PASSWORD_SIGN_UP_DISABLED:
    "Sign-up is closed. Ask the operator of this service for an account.",
  PROVIDER_NOT_FOUND: "This sign-in method is not available here. Use your email address.",
  EMAIL_IS_THE_SAME: "This is already your email address. Enter a different one.",
  CREDENTIAL_ACCOUNT_NOT_FOUND:
    "Your account has no password yet. Set one with “Forgot password?” on the sign-in page.",
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
