import { bytesToHex } from "@noble/hashes/utils.js";
import { CLOCK_SKEW_MAX_MS } from "#ledger/throttle.ts";
import { keyedHash } from "./keyed-hash.ts";

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
  const hashName = (name: string) =>
    bytesToHex(keyedHash(secret, `toolbooth throttle ${name}`)).slice(0, 32);
  return {
    count: (name, rule) => counts.countRequest(hashName(name), rule, now()),
    giveBack: (name) => counts.giveBack(hashName(name)),
  };
}

export function createRequestCounts(now: () => number) {
  const counts = new Map<string, RequestCount>();
  return {
    count(name: string, rule: RequestRule): RequestVerdict {
      const { next, ...verdict } = countRequest(counts.get(name), rule, now());
      if (next !== undefined) storeBounded(counts, name, next);
      return verdict;
    },
    giveBack(name: string): void {
      const before = counts.get(name);
      if (before !== undefined && before.count > 0) before.count -= 1;
    },
  } satisfies RequestCounts;
}

const ENTRIES_MAX = 20_000;
const EVICTED_AT_ONCE = 2_000;

/** Stores an entry and evicts the oldest ones. It evicts many at once, because iteration skips over deleted entries. */
function storeBounded<Value>(map: Map<string, Value>, name: string, value: Value): void {
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
