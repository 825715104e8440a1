import type { BetterAuthOptions } from "better-auth";
import type { Mail } from "#email/mail.ts";
import type { Journal } from "./journal.ts";
import type { AccountDeps } from "./people.ts";
import type { RequestRule, RequestVerdict } from "./request-count.ts";
import type { Starter } from "./welcome.ts";

export const AUTH_PATH = "/dashboard/auth";
export const PASSWORD_CHARS_MIN = 10;
export const PASSWORD_CHARS_MAX = 128;
/** A letter may lie over a night; a link that changes a password should not. */
export const VERIFY_LINK_SECONDS = 24 * 3_600;
export const RESET_LINK_SECONDS = 3_600;

/** Where the service is published below a path, other services live beside it: cookies stay below. */
export const cookiePath = (publicUrl: string) =>
  new URL(publicUrl).pathname.replace(/\/+$/, "") || "/";

/** How names of cookies begin: as strict as PUBLIC_URL allows, so that no neighbouring host can set one of ours. */
export function cookieStart(publicUrl: string): "" | "__Secure-" | "__Host-" {
  if (!publicUrl.startsWith("https:")) return "";
  return cookiePath(publicUrl) === "/" ? "__Host-" : "__Secure-";
}

/** So many passwords wait to be hashed that one more would only be an attack's. */
export class TooManyPasswords extends Error {}

/** What a door hands to the sign-in. */
export type AuthOptions = {
  publicUrl: string;
  /** Origins of the pages beside PUBLIC_URL's own: on one's own machine `localhost` and `127.0.0.1` are the same. */
  trustedOrigins: readonly string[];
  /** Signs sessions and links; of its own, derived from the service's. */
  secret: string;
  signUp: "open" | "closed";
  starter: Starter;
  providers: NonNullable<BetterAuthOptions["socialProviders"]>;
  /** A database, or a dialect of Kysely, as better-auth takes it. */
  database: NonNullable<BetterAuthOptions["database"]>;
  accountDeps: AccountDeps;
  journal: Journal;
  mail: Mail;
  now(): number;
  newId(): string;
  hashPassword(password: string): Promise<string>;
  verifyPassword(hash: string, password: string): Promise<boolean>;
  /**
   * Counts requests by network address where a process is none to rely on: whether one more may come within `window`
   * seconds, and else in how many. Left out: counted in memory.
   */
  countRequest?: CountRequest | undefined;
  /** Where it is made anew for each request, it must not look each time whether the tables are as it wants them. */
  isForOneRequest?: boolean | undefined;
  /** Takes work that the answer does not wait for, so that its duration tells nothing. */
  inBackground(work: Promise<unknown>): void;
  logError(message: string, cause?: unknown): void;
  /**
   * Does it, and throws what the database failed by meanwhile, even where better-auth made another answer of it. Left out:
   * such answers stand.
   */
  rethrowDatabaseErrors?: RethrowDatabaseErrors | undefined;
};

export type RethrowDatabaseErrors = <Result>(act: () => Promise<Result>) => Promise<Result>;

export type CountRequest = (name: string, rule: RequestRule) => Promise<RequestVerdict>;

export type Person = {
  id: string;
  email: string;
  verified: boolean;
  createdAt: number;
  /** Null until the address is verified. */
  account: string | null;
};

export type SignedIn = { person: Person; session: { id: string } };
