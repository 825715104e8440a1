import { CLOCK_SKEW_MAX_MS } from "#ledger/throttle.ts";

/**
 * Limits how fast passwords can be tried.
 *
 * - From one network address: a token bucket of attempts. Without a token the attempt is rejected until one comes back.
 * - For one user: after a few wrong passwords in a row, every further attempt waits in a queue, and where the queue is too
 *   long, it is rejected.
 * - A known browser has a bucket of its own and does not queue, so strangers who guess cannot lock the user out. A browser
 *   is known after the user signed in with it or used a link from an email in it. A user who is rejected in another
 *   browser can reset the password, which makes that browser known and clears the count.
 *
 * `createSignInThrottle` counts in memory, for one process and within bounds; a restart clears it. Where several processes
 * share the counts, they use `takeTry` and `takeTurn` on stored state (`counted-throttle.ts`).
 */
export type SignInThrottle = {
  /** Decides how long this attempt must wait, or after how long another one may be made; in milliseconds. */
  ask(attempt: Attempt, at: number): ThrottleDecision | Promise<ThrottleDecision>;
  /** Clears the user's count, after a right password or a link from an email. */
  succeeded(user: Pick<Attempt, "email">): void;
};

/** `waitMs`: the attempt may proceed after this time; `retryAfterMs`: it is rejected. */
export type ThrottleDecision = { waitMs: number } | { retryAfterMs: number };

export type Attempt = {
  /** The email address in lower case, whether or not it has an account. */
  email: string;
  /** The network address of the client; clients without a known address share one. */
  address: string;
  /** Whether this user has signed in with this browser before, or used a link from an email in it. */
  isKnownBrowser: boolean;
};

/** The size of the bucket, and how long it takes until one attempt comes back. */
const TRIES = 10;
const TRY_AGAIN_MS = 6_000;
/** Wrong passwords in a row without a wait, because people mistype. */
const FREE_MISTAKES = 4;
const WAIT_FIRST_MS = 500;
const WAIT_MAX_MS = 4_000;
/** The longest queue for one user; later attempts are rejected, except from known browsers. */
const QUEUE_MAX_MS = 20_000;
/** The count starts again after this time without a wrong password. */
const FORGET_MS = 15 * 60_000;
const ENTRIES_MAX = 20_000;
const EVICTED_AT_ONCE = 2_000;

/** The attempts left for one network address, or for one user in known browsers. */
export type Bucket = { left: number; at: number };
/** Wrong passwords for one user. `freeAt`: when the queue is empty. */
export type Mistakes = { count: number; at: number; freeAt: number };

/** The name of the bucket that an attempt uses. */
export const bucketOf = ({ email, address, isKnownBrowser }: Attempt): string =>
  isKnownBrowser ? `known ${email}` : `from ${address}`;

/** After this time a bucket is full again and need not be stored. */
export const BUCKET_KEPT_MS = TRIES * TRY_AGAIN_MS;
export const MISTAKES_KEPT_MS = FORGET_MS;

/** Takes an attempt from a bucket, which is new if undefined. `retryAfterMs`: 0 where an attempt was left. */
export function takeTry(
  stored: Bucket | undefined,
  at: number,
): { bucket: Bucket; retryAfterMs: number } {
  const { left: leftBefore, at: since } = stored ?? { left: TRIES, at };
  const left = Math.min(TRIES, leftBefore + Math.max(0, at - since) / TRY_AGAIN_MS);
  const allowed = left >= 1;
  return {
    bucket: { left: allowed ? left - 1 : left, at },
    retryAfterMs: allowed ? 0 : Math.ceil((1 - left) * TRY_AGAIN_MS),
  };
}

/**
 * Queues an attempt for one user. It counts as wrong until it succeeds, so that concurrent attempts count too. Returns
 * without `mistakes` where the stored state does not change.
 */
export function takeTurn(
  stored: Mistakes | undefined,
  at: number,
): { mistakes?: Mistakes; decision: ThrottleDecision } {
  // Mistakes later than now were counted under a clock that was ahead.
  const isRecent =
    stored !== undefined && at - stored.at < FORGET_MS && stored.at - at <= CLOCK_SKEW_MAX_MS;
  const { count, freeAt } = isRecent ? stored : { count: 0, freeAt: at };
  const isFree = count < FREE_MISTAKES;
  const stepMs = isFree ? 0 : Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** (count - FREE_MISTAKES));
  const until = isFree ? at : Math.max(at, freeAt) + stepMs;
  if (until - at > QUEUE_MAX_MS) return { decision: { retryAfterMs: freeAt - at } };
  return { mistakes: { count: count + 1, at, freeAt: until }, decision: { waitMs: until - at } };
}

export function createSignInThrottle() {
  const buckets = new Map<string, Bucket>();
  const mistakesOf = new Map<string, Mistakes>();
  return {
    ask(attempt: Attempt, at: number): ThrottleDecision {
      const name = bucketOf(attempt);
      const { bucket, retryAfterMs } = takeTry(buckets.get(name), at);
      storeBounded(buckets, name, bucket);
      if (retryAfterMs > 0) return { retryAfterMs };
      if (attempt.isKnownBrowser) return { waitMs: 0 };
      const { mistakes, decision } = takeTurn(mistakesOf.get(attempt.email), at);
      if (mistakes !== undefined) storeBounded(mistakesOf, attempt.email, mistakes);
      return decision;
    },
    succeeded: ({ email }: Pick<Attempt, "email">): void => void mistakesOf.delete(email),
  } satisfies SignInThrottle;
}

/** Stores an entry and evicts the oldest ones. It evicts many at once, because iteration skips over deleted entries. */
export function storeBounded<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= ENTRIES_MAX) return;
  let left = EVICTED_AT_ONCE;
  for (const oldest of map.keys()) {
    if (left === 0) break;
    map.delete(oldest);
    left -= 1;
  }
}
