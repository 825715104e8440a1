/**
 * What better-auth's codes mean, in this house's words. Those of our own handlers bring their sentence along.
 * The wording never tells whether an address has an account.
 */
const WORDS: Record<string, string> = {
  INVALID_EMAIL_OR_PASSWORD:
    "That e-mail address and password do not belong together. Check both and try again.",
  USER_NOT_FOUND:
    "That e-mail address and password do not belong together. Check both and try again.",
  EMAIL_NOT_VERIFIED:
    "Confirm your e-mail address first: open the link in the letter that we sent you.",
  INVALID_EMAIL: "This is not a complete e-mail address. Write it like name@example.com.",
  INVALID_PASSWORD: "The current password is not right. Check it and try again.",
  PASSWORD_TOO_SHORT: "The password is too short. Use at least 10 characters.",
  PASSWORD_TOO_LONG: "The password is too long. Use at most 128 characters.",
  USER_ALREADY_EXISTS: "Check your mail to go on.",
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: "Check your mail to go on.",
  INVALID_TOKEN: "This link has been used or has expired. Ask for a new one.",
  TOKEN_EXPIRED: "This link has expired. Ask for a new one.",
  SESSION_EXPIRED: "Your session has ended. Sign in again to go on.",
  SESSION_NOT_FRESH: "For your safety, sign in again before you change this.",
  FAILED_TO_CREATE_SESSION: "Signing in did not work this time. Try again.",
  EMAIL_PASSWORD_SIGN_UP_DISABLED:
    "Signing up is closed. Ask the operator of this service for an account.",
  PROVIDER_NOT_FOUND: "This way to sign in is not available here. Use your e-mail address.",
  EMAIL_IS_THE_SAME: "This is your address already. Enter another one.",
  CREDENTIAL_ACCOUNT_NOT_FOUND: "Your account has no password yet. Set one with “Forgot password”.",
  signed_out: "Your session has ended. Sign in again to go on.",
  too_many_requests: "That was too often in a short time. Wait a moment, then try again.",
};

export function wordsFor(code: string, status: number): string | undefined {
  if (Object.hasOwn(WORDS, code)) return WORDS[code];
  if (status >= 500 && code === "internal") {
    return "It is not your fault. Try again in a moment; if it stays, tell the operator of this service.";
  }
  return undefined;
}
