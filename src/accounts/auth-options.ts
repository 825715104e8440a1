import type { BetterAuthOptions } from "better-auth";
import type { QueuedMail } from "#email/enqueue-emails.ts";
import type { AccountDeps } from "./accounts.ts";
import type { ActivityLog } from "./activity-log.ts";
import type { CountRequest } from "./counted-throttle.ts";
import type { IsCommonPassword } from "./weak-passwords.ts";
import type { Starter, StarterPolicy } from "./welcome.ts";

export const AUTH_PATH = "/dashboard/auth";
export const PASSWORD_CHARS_MIN = 10;
export const PASSWORD_CHARS_MAX = 128;
/** An email may be read the next day, but a link that changes a password should not stay valid that long. */
export const VERIFY_LINK_SECONDS = 24 * 3_600;
export const RESET_LINK_SECONDS = 3_600;
/** How long a sign-in, or a confirmation of who is signed in, counts as a fresh proof. */
export const FRESH_PROOF_MS = 10 * 60_000;

/** Returns the path of PUBLIC_URL: other services may share its host, so cookies are restricted to the path. */
export const cookiePath = (publicUrl: string) =>
  new URL(publicUrl).pathname.replace(/\/+$/, "") || "/";

/** Returns the strictest cookie name prefix that PUBLIC_URL allows, so that neighbouring hosts cannot set our cookies. */
export function cookiePrefix(publicUrl: string): "" | "__Secure-" | "__Host-" {
  if (!publicUrl.startsWith("https:")) return "";
  return cookiePath(publicUrl) === "/" ? "__Host-" : "__Secure-";
}

/**
 * Queues for the work on passwords: sign-ins from known browsers (and requests of signed-in users), other sign-ins, and
 * sign-ups and resets. A flood in one of them does not delay the others.
 */
export type PasswordLane = "known" | "sign-in" | "sign-up";

/** Too many passwords are waiting to be hashed: more can only come from an attack. */
export class TooManyPasswords extends Error {}

/** Dependencies and settings of sign-in. */
export type AuthOptions = {
  publicUrl: string;
  /** Other origins of the pages besides PUBLIC_URL's: on the operator's own machine, `localhost` and `127.0.0.1`. */
  trustedOrigins: readonly string[];
  /** Those among which the origin of passkeys is chosen. Omitted: all trusted origins. */
  passkeyOrigins?: readonly string[] | undefined;
  /** Signs sessions and links; derived from the service's secret for this purpose alone. */
  secret: string;
  /** Derived in the same way from secrets that were replaced: what was encrypted under them is still decrypted. */
  earlierSecrets?: readonly string[] | undefined;
  signUp: "open" | "closed";
  starter: Starter;
  starterPolicy: StarterPolicy;
  providers: NonNullable<BetterAuthOptions["socialProviders"]>;
  /** A database or a Kysely dialect, as better-auth expects it. */
  database: NonNullable<BetterAuthOptions["database"]>;
  accountDeps: AccountDeps;
  activityLog: ActivityLog;
  mail: QueuedMail;
  /** Whether someone with this address has signed in or opened a link from an email in the browser of these headers. */
  isKnownBrowser(headers: Headers, email: string): boolean;
  now(): number;
  newId(): string;
  hashPassword(password: string): Promise<string>;
  verifyPassword(hash: string, password: string): Promise<boolean>;
  isCommonPassword: IsCommonPassword;
  /** Counts requests by network address across processes. Omitted: each process counts in memory. */
  countRequest?: CountRequest | undefined;
  /** Whether this instance serves one request only. It then skips the check of the tables. */
  isForOneRequest?: boolean | undefined;
  /** Runs work that the response does not wait for, so that its duration reveals nothing. */
  inBackground(work: Promise<unknown>): void;
  logError(message: string, cause?: unknown): void;
  /**
   * Runs `act`, then throws the database error that occurred in it, even where better-auth turned that into a response.
   * Omitted: such responses are returned.
   */
  rethrowDatabaseErrors?: RethrowDatabaseErrors | undefined;
};

export type RethrowDatabaseErrors = <Result>(act: () => Promise<Result>) => Promise<Result>;

export type User = {
  id: string;
  email: string;
  verified: boolean;
  createdAt: number;
  /** Null until the address is verified. */
  account: string | null;
  /** Whether signing in asks for a second factor: a passkey or an authenticator app. */
  hasSecondFactor: boolean;
};

/** `provedAt`: when the user signed in, or last confirmed their identity in this session. */
export type SignedIn = { user: User; session: { id: string; provedAt: number } };
