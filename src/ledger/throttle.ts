/**
 * The rate limit of an account or of a key: a token bucket that holds the calls of two seconds and refills evenly. It is kept in the memory
 * of one node. A full bucket is deleted, so idle accounts cost nothing. Responses report it in the fields of
 * draft-ietf-httpapi-ratelimit-headers (draft 10: `q` and `w`, `r` and `t`).
 */
export type Rate = {
  /** Whose limit it is. */
  source: RateSource;
  callsPerSecond: number;
  allowed: boolean;
  remaining: number;
  retryAfterSeconds: number;
  resetSeconds: number;
  /** Of a rejected call: the time from which the next one is allowed, if no other call takes it. */
  availableAt?: number;
};

export type RateSource = "account" | "key";

/** A name identifies an account, or a key. */
export type Throttle = {
  /** Takes one call from the bucket. */
  take(name: string, nowMs: number): Rate;
  /** Puts one call back, for example because its key does not belong to the account. */
  putBack(name: string): void;
  /** Whether the next call would be rejected; does not count a call. */
  isUsedUp(name: string, nowMs: number): boolean;
  /** The value of the `RateLimit-Policy` field; null if there is no limit. */
  policy: string | null;
};

/** A full bucket holds the calls of this many seconds. */
export const BURST_SECONDS = 2;
/** Full buckets are deleted when there are this many; a bucket takes about 100 bytes. */
const BUCKETS_BEFORE_SWEEP = 10_000;

/** A larger step back in time means that a clock was set back, not that two clocks differ. */
export const CLOCK_SKEW_MAX_MS = 10_000;

/** In thousandths of a call, which are whole numbers: sums of fractions would depend on how often a bucket is looked at. */
type Bucket = { milliCalls: number; at: number };
const CALL = 1_000;

export function createThrottle(callsPerSecond: number, source: RateSource = "account"): Throttle {
  if (callsPerSecond === 0) return NO_LIMIT;
  const capacity = callsPerSecond * BURST_SECONDS * CALL;
  const buckets = new Map<string, Bucket>();
  let sweepAt = BUCKETS_BEFORE_SWEEP;

  /** Times come from different clocks and may be out of order. A small step back and forth must not refill the bucket. */
  const fill = (bucket: Bucket, nowMs: number) => {
    const ms = nowMs - bucket.at;
    if (ms > 0) bucket.milliCalls = Math.min(capacity, bucket.milliCalls + ms * callsPerSecond);
    if (ms > 0 || ms < -CLOCK_SKEW_MAX_MS) bucket.at = nowMs;
  };

  function sweep(nowMs: number): void {
    for (const [name, bucket] of buckets) {
      fill(bucket, nowMs);
      if (bucket.milliCalls >= capacity) buckets.delete(name);
    }
    // Twice the busy buckets, so that the cost of a sweep is spread over as many new ones.
    sweepAt = Math.max(BUCKETS_BEFORE_SWEEP, buckets.size * 2);
  }

  function take(name: string, nowMs: number): Rate {
    let bucket = buckets.get(name);
    if (bucket === undefined) {
      if (buckets.size >= sweepAt) sweep(nowMs);
      bucket = { milliCalls: capacity, at: nowMs };
      buckets.set(name, bucket);
    } else {
      fill(bucket, nowMs);
    }
    const allowed = bucket.milliCalls >= CALL;
    if (allowed) bucket.milliCalls -= CALL;
    const waitMs = (CALL - bucket.milliCalls) / callsPerSecond;
    return {
      source,
      callsPerSecond,
      allowed,
      remaining: Math.floor(bucket.milliCalls / CALL),
      ...waits(callsPerSecond, waitMs),
      ...(!allowed && { availableAt: bucket.at + waitMs }),
    };
  }

  function putBack(name: string): void {
    const bucket = buckets.get(name);
    if (bucket !== undefined) bucket.milliCalls = Math.min(capacity, bucket.milliCalls + CALL);
  }

  function isUsedUp(name: string, nowMs: number): boolean {
    const bucket = buckets.get(name);
    if (bucket === undefined) return false;
    fill(bucket, nowMs);
    return bucket.milliCalls < CALL;
  }

  return { take, putBack, isUsedUp, policy: ratePolicy(source, callsPerSecond) };
}

/** `waitMs`: until a call is allowed; negative if more are allowed already. */
function waits(callsPerSecond: number, waitMs: number) {
  const othersMs = ((callsPerSecond * BURST_SECONDS - 1) / callsPerSecond) * 1_000;
  // Sums of fractions may end just above a whole number.
  const seconds = (ms: number) => Math.ceil(Math.round(ms * 1_000) / 1_000_000);
  return {
    retryAfterSeconds: Math.max(1, seconds(waitMs)),
    resetSeconds: seconds(othersMs + waitMs),
  };
}

/** The rate of a call that is rejected like an earlier one, because it comes before the time at which the next one is allowed. */
export const rejectedAt = (earlier: Rate, nowMs: number): Rate => ({
  ...earlier,
  ...waits(earlier.callsPerSecond, (earlier.availableAt ?? nowMs) - nowMs),
});

/** The value of the `RateLimit-Policy` field. */
export const ratePolicy = (source: RateSource, callsPerSecond: number): string =>
  `"${source}";q=${callsPerSecond * BURST_SECONDS};w=${BURST_SECONDS}`;

const UNLIMITED: Rate = {
  source: "account",
  callsPerSecond: 0,
  allowed: true,
  remaining: 0,
  retryAfterSeconds: 0,
  resetSeconds: 0,
};

const NO_LIMIT: Throttle = {
  take: () => UNLIMITED,
  putBack() {},
  isUsedUp: () => false,
  policy: null,
};
