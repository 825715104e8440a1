import { bytesToHex } from "@noble/hashes/utils.js";
import { CLOCK_SKEW_MAX_MS } from "#ledger/throttle.ts";
import { keyedHash } from "./keyed-hash.ts";
import {
  bucketOf,
  type SignInThrottle,
  storeBounded,
  type ThrottleDecision,
} from "./sign-in-throttle.ts";

/**
 * Limits on sign-in that several processes share. Counting in each process would give an attacker every attempt once for each
 * process. Where the shared counts are unavailable, sign-in fails.
 */
export type CountedThrottle = { signIn: SignInThrottle; countRequest: CountRequest };

/** Counts a request of this name under a rule, and returns whether it is allowed. */
export type CountRequest = (name: string, rule: RequestRule) => Promise<RequestVerdict>;

/** Limit on requests from one network address, as better-auth counts them: at most `max` within `window` seconds. */
export type RequestRule = { window: number; max: number };
export type RequestCount = { count: number; at: number };
/** `retryAfter` is in seconds. */
export type RequestVerdict = { allowed: boolean; retryAfter: number | null };

/** Decides on a request. Returns the new count to store as `next`, or without `next` where the count does not change. */
export function countRequest(
  before: RequestCount | undefined,
  { window, max }: RequestRule,
  at: number,
): RequestVerdict & { next?: RequestCount } {
  const endsAt = before === undefined ? at : before.at + window * 1_000;
  // A window that begins later than now was counted under a clock that was ahead.
  if (before === undefined || at >= endsAt || before.at - at > CLOCK_SKEW_MAX_MS) {
    return { next: { count: 1, at }, allowed: true, retryAfter: null };
  }
  if (before.count >= max) {
    return { allowed: false, retryAfter: Math.ceil((endsAt - at) / 1_000) };
  }
  return { next: { count: before.count + 1, at }, allowed: true, retryAfter: null };
}

/** Counts requests in memory, for one process and within bounds; a restart clears the counts. */
export function createRequestCounts() {
  const counts = new Map<string, RequestCount>();
  return (name: string, rule: RequestRule, at: number): RequestVerdict => {
    const { next, ...verdict } = countRequest(counts.get(name), rule, at);
    if (next !== undefined) storeBounded(counts, name, next);
    return verdict;
  };
}

/** The shared counts. Names are keyed hashes in hex, so the store does not learn addresses. */
export type Counts = {
  /** Returns how long the client must wait before another attempt, in milliseconds; 0: the attempt is allowed. */
  takeTry(name: string, at: number): Promise<number>;
  takeTurn(name: string, at: number): Promise<ThrottleDecision>;
  forget(name: string): Promise<void>;
  countRequest(name: string, rule: RequestRule, at: number): Promise<RequestVerdict>;
};

export function createCountedThrottle(deps: {
  counts: Counts;
  /** Key of the hashes that hide names. */
  secret: string;
  now(): number;
  /** Runs work that the response does not wait for, and logs its errors. */
  inBackground(work: Promise<unknown>): void;
}): CountedThrottle {
  const { counts, secret, now, inBackground } = deps;
  const hashName = (name: string) =>
    bytesToHex(keyedHash(secret, `toolbooth throttle ${name}`)).slice(0, 32);
  const mistakesOf = (email: string) => hashName(`mistakes ${email}`);
  return {
    signIn: {
      async ask(attempt, at) {
        const retryAfterMs = await counts.takeTry(hashName(bucketOf(attempt)), at);
        if (retryAfterMs > 0) return { retryAfterMs };
        if (attempt.isKnownBrowser) return { waitMs: 0 };
        return counts.takeTurn(mistakesOf(attempt.email), at);
      },
      succeeded: ({ email }) => inBackground(counts.forget(mistakesOf(email))),
    },
    countRequest: (name, rule) => counts.countRequest(hashName(`requests ${name}`), rule, now()),
  };
}
