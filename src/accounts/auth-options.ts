import type { BetterAuthOptions } from "better-auth";
import type { EmailSender } from "#email/email-layout.ts";
import type { QueuedMail } from "#email/email-queue.ts";
import type { AccountDeps } from "./accounts.ts";
import type { ActivityLog } from "./activity-log.ts";
import type { RequestCounts } from "./request-counts.ts";
import type { Starter, StarterPolicy } from "./welcome.ts";

export const AUTH_PATH = "/dashboard/auth";
/** How long a sign-in counts as a fresh proof of who is signed in. */
export const FRESH_PROOF_MS = 10 * 60_000;

/** Returns the path of PUBLIC_URL: other services may share its host, so cookies are restricted to the path. */
export const cookiePath = (publicUrl: string) =>
  new URL(publicUrl).pathname.replace(/\/+$/, "") || "/";

/** Returns the strictest cookie name prefix that PUBLIC_URL allows, so that neighbouring hosts cannot set our cookies. */
export function cookiePrefix(publicUrl: string): "" | "__Secure-" | "__Host-" {
  if (!publicUrl.startsWith("https:")) return "";
  return cookiePath(publicUrl) === "/" ? "__Host-" : "__Secure-";
}

/** Dependencies and settings of sign-in. */
export type AuthOptions = EmailSender & {
  /** Other origins of the pages besides PUBLIC_URL's: on the operator's own machine, `localhost` and `127.0.0.1`. */
  trustedOrigins: readonly string[];
  /** Those among which the origin of passkeys is chosen. Omitted: all trusted origins. */
  passkeyOrigins?: readonly string[] | undefined;
  /** Signs sessions and hashes codes; derived from the service's secret for this purpose alone. */
  secret: string;
  /** Derived in the same way from secrets that were replaced: what was encrypted under them is still decrypted. */
  earlierSecrets?: readonly string[] | undefined;
  signUp: "open" | "closed";
  starter: Starter;
  starterPolicy: StarterPolicy;
  providers: NonNullable<BetterAuthOptions["socialProviders"]>;
  /** A Kysely dialect, as better-auth expects it. */
  database: NonNullable<BetterAuthOptions["database"]>;
  accountDeps: AccountDeps;
  activityLog: ActivityLog;
  mail: QueuedMail;
  /** Whether someone with this address has signed in before in the browser of these headers. */
  isKnownBrowser(headers: Headers, email: string): boolean;
  now(): number;
  newId(): string;
  /** Counts requests by network address, across processes where there are several. */
  counts: RequestCounts;
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
  /** Verified: every way to sign in shows that the user reads its emails. */
  email: string;
  createdAt: number;
  /** Null until the account is opened, where that was interrupted. */
  account: string | null;
  /** Whether only a passkey signs in. */
  requiresPasskey: boolean;
};

/** `provedAt`: when the user signed in, which is a proof of who they are. */
export type SignedIn = { user: User; session: { id: string; provedAt: number } };
