import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from "./auth-options.ts";
import { type IsCommonPassword, normalizePassword } from "./weak-passwords.ts";

/**
 * Which passwords may be chosen, besides their length: those that guessers try first are rejected (NIST SP 800-63B, 3.1.1.2).
 * There are no rules about kinds of characters. Passwords that exist already stay valid.
 */
export type PasswordProblem = { code: string; message: string };

const COMMON = {
  code: "PASSWORD_TOO_COMMON",
  message:
    "This password is among the most common ones, which attackers try first. Choose another one.",
};
export const REPEATED = {
  code: "PASSWORD_REPEATS",
  message:
    "This password repeats the same few characters, so it is easy to guess. Choose another one.",
};
const OWN_ADDRESS = {
  code: "PASSWORD_IS_ADDRESS",
  message:
    "This password is little more than your email address, so it is easy to guess. Choose another one.",
};

/** Returns why the password is rejected for this address (null: unknown), or null if it may be chosen. */
export async function problemOfPassword(
  password: string,
  email: string | null,
  isCommonPassword: IsCommonPassword,
): Promise<PasswordProblem | null> {
  const text = normalizePassword(password);
  if (isRepetition(text)) return REPEATED;
  if (await isCommonPassword(text)) return COMMON;
  return email !== null && isOwnAddress(text, normalizePassword(email)) ? OWN_ADDRESS : null;
}

/** `aaaaaaaaaa`, ten blanks, `abababababab` or `abcabcabcabc`. */
const isRepetition = (text: string) => /^(.{1,3}?)\1+.{0,2}$/su.test(text);

/** Shorter parts of an address occur in good passwords by chance. */
const PART_CHARS_MIN = 3;
/** What people add to reach the minimum length: a year, a date, punctuation. */
const SUFFIX_CHARS_MAX = 4;
const DIGITS_MAX = 8;

/** Whether hardly anything is left of the password without the parts of the address. */
function isOwnAddress(text: string, email: string): boolean {
  const [local = "", domain = ""] = email.split("@");
  const names = [...local.split(/[^\p{L}\p{N}]+/u), ...domain.split(".").slice(0, -1)];
  const parts = [email, local, local.replace(/\+.*/, ""), domain, ...names]
    .filter((part) => part.length >= PART_CHARS_MIN)
    .sort((a, b) => b.length - a.length);
  let rest = text;
  for (const part of parts) rest = rest.replaceAll(part, "");
  if (rest === text) return false;
  if (rest.length <= SUFFIX_CHARS_MAX) return true;
  return !/\p{L}/u.test(rest) && rest.length <= DIGITS_MAX;
}

/** The paths of better-auth that set a password, and the field that contains it. */
const FIELDS: Record<string, string> = {
  "/sign-up/email": "password",
  "/reset-password": "newPassword",
  "/change-password": "newPassword",
};

/** A hook of better-auth that runs before a password is set, and before a reset link is used up. */
export const createPasswordCheck = (isCommonPassword: IsCommonPassword) =>
  createAuthMiddleware(async (context) => {
    const field = FIELDS[context.path];
    const password = field === undefined ? undefined : textIn(context.body, field);
    // better-auth itself rejects other lengths, and says how long a password must be.
    if (password === undefined || password.length < PASSWORD_CHARS_MIN) return;
    if (password.length > PASSWORD_CHARS_MAX) return;
    const problem = await problemOfPassword(password, await findEmail(context), isCommonPassword);
    if (problem !== null) throw new APIError("BAD_REQUEST", problem);
  });

type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

/** The address of the user whose password is set; null where the session or the link is not valid. */
async function findEmail(context: Context): Promise<string | null> {
  if (context.path === "/sign-up/email") return textIn(context.body, "email") ?? null;
  if (context.path === "/change-password") {
    return (await getSessionFromCtx(context))?.user.email ?? null;
  }
  const { internalAdapter } = context.context;
  const link = `reset-password:${textIn(context.body, "token") ?? ""}`;
  const found = await internalAdapter.findVerificationValue(link);
  return found === null ? null : ((await internalAdapter.findUserById(found.value))?.email ?? null);
}

function textIn(body: unknown, field: string): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const value: unknown = Reflect.get(body, field);
  return typeof value === "string" ? value : undefined;
}
