import { ProblemDetails } from "../request.ts";

export const PASSWORD_MIN = 10;
export const PASSWORD_MAX = 128;

export const NEW_PASSWORD_HINT = `At least ${PASSWORD_MIN} characters, such as 3 words.`;

/** Returns a sentence about what is wrong with the value of a field, or undefined if it is valid. */
export type Check = (value: string) => string | undefined;

/** Rejects only what cannot be an address. The confirmation email shows whether it exists. */
export const checkEmail: Check = (value) => {
  const email = value.trim();
  if (email === "") return "Enter your email address.";
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
    return "Enter a complete email address, such as name@example.com.";
  }
  return undefined;
};

/** Accepts any existing password, which may be older than the current rules. */
export const checkPassword: Check = (value) => (value === "" ? "Enter your password." : undefined);

/** Why the service rejects a new password, which only it can tell: it knows the common ones. Undefined for other errors. */
export const passwordProblemOf = (error: unknown): string | undefined =>
  error instanceof ProblemDetails && error.code.startsWith("PASSWORD_") ? error.detail : undefined;

export const checkNewPassword: Check = (value) => {
  if (value === "") return "Enter a password.";
  if (value.length < PASSWORD_MIN) {
    return `The password is too short. Use at least ${PASSWORD_MIN} characters.`;
  }
  if (value.length > PASSWORD_MAX) {
    return `The password is too long. Use at most ${PASSWORD_MAX} characters.`;
  }
  return undefined;
};
