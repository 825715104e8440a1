import { createRecentNames } from "#ledger/recent-names.ts";
import { CLOCK_SKEW_MAX_MS } from "#ledger/throttle.ts";
import { keyedHex } from "./keyed-hash.ts";

/**
 * Counts requests by name, such as a network or an address, to bound how many there are in a window. One process counts in memory,
 * within bounds, and a restart clears the counts. Several processes share the counts (`Counts`): counting in each would
 * allow everything once for each process. Where the shared counts are unavailable, sign-in fails.
 */
export type RequestCounts = {
  /** Counts a request of this name under a rule, and returns whether it is allowed. */
  count(name: string, rule: RequestRule): Promise<RequestVerdict> | RequestVerdict;
  /** Takes back one request that was counted. */
  giveBack(name: string): Promise<void> | void;
};

/** At most `max` requests within `window` seconds. */
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
  return { next: { count: before.count + 1, at: before.at }, allowed: true, retryAfter: null };
}

/** The shared counts. Names are keyed hashes in hex, so the store does not learn addresses. */
export type Counts = {
  countRequest(name: string, rule: RequestRule, at: number): Promise<RequestVerdict>;
  giveBack(name: string): Promise<void>;
};

export function createSharedCounts(deps: {
  counts: Counts;
  /** Key of the hashes that hide names. */
  secret: string;
  now(): number;
}): RequestCounts {
  const { counts, secret, now } = deps;
  const hashName = (name: string) => keyedHex(secret, `toolbooth throttle ${name}`).slice(0, 32);
  return {
    count: (name, rule) => counts.countRequest(hashName(name), rule, now()),
    giveBack: (name) => counts.giveBack(hashName(name)),
  };
}

export function createRequestCounts(now: () => number) {
  const counts = createRecentNames<RequestCount>(NAMES_MAX);
  return {
    count(name: string, rule: RequestRule): RequestVerdict {
      const { next, ...verdict } = countRequest(counts.get(name), rule, now());
      if (next !== undefined) counts.set(name, next);
      return verdict;
    },
    giveBack(name: string): void {
      const before = counts.get(name);
      if (before !== undefined && before.count > 0) before.count -= 1;
    },
  } satisfies RequestCounts;
}

/** Names that one process counts. The older half is dropped beyond that. */
const NAMES_MAX = 40_000;
