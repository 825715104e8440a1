/**
 * How fast passwords can be tried.
 *
 * - From one network address: a bucket of tries that fills up again. Beyond it: refused, try later.
 * - For one person: after some wrong passwords in a row every further try waits, one behind the other, and where too
 *   many wait, the next one is refused.
 * - A browser that signed this person in before, or in which they used the link of a letter, has a bucket of its own and
 *   waits for neither: strangers who guess never get it refused. In another browser a person who is refused asks for a
 *   link to a new password; that makes the browser a known one and the count starts anew.
 *
 * `createSignInThrottle` keeps it in memory, per process and bounded; a restart forgets it. Where a process is none to rely
 * on, each of the two counts is kept elsewhere (`takeTry`, `takeTurn`).
 */
export type SignInThrottle = {
  /** How long this try must wait, or for how long it is refused; milliseconds. */
  ask(attempt: Attempt, at: number): Asked | Promise<Asked>;
  /** The password was right, or a link of a letter was used: earlier mistakes count no more. */
  succeeded(person: Pick<Attempt, "email">): void;
};

export type Asked = { waitMs: number } | { retryAfterMs: number };

export type Attempt = {
  /** The e-mail address, in lower case, whether anybody has it or not. */
  email: string;
  /** The network address it comes from; all that have none share one. */
  address: string;
  /** Whether this browser signed this person in before, or used a link out of their letters. */
  isKnownBrowser: boolean;
};

/** Tries at once, and how long until one comes back. */
const TRIES = 10;
const TRY_AGAIN_MS = 6_000;
/** Wrong passwords in a row that cost no waiting: people mistype. */
const FREE_MISTAKES = 4;
const WAIT_FIRST_MS = 500;
const WAIT_MAX_MS = 4_000;
/** So many may wait one behind the other for one person; whoever comes later is refused, unless the browser is known. */
const QUEUE_MAX_MS = 20_000;
/** After so long without a wrong password the count starts anew. */
const FORGET_MS = 15 * 60_000;
const KEPT_MAX = 20_000;
const FORGOTTEN_AT_ONCE = 2_000;

/** The tries that are left to one network, or to one known browser's person. */
export type Bucket = { left: number; at: number };
/** What one person's wrong passwords have come to. */
export type Mistakes = { count: number; at: number; freeAt: number };

/** Whose bucket a try comes out of. */
export const bucketOf = ({ email, address, isKnownBrowser }: Attempt): string =>
  isKnownBrowser ? `known ${email}` : `from ${address}`;

/** After this a bucket is full again, and is like one that never was. */
export const BUCKET_KEPT_MS = TRIES * TRY_AGAIN_MS;
export const MISTAKES_KEPT_MS = FORGET_MS;

/** `retryAfterMs` is 0 where there was a try left. */
export function takeTry(
  kept: Bucket | undefined,
  at: number,
): { bucket: Bucket; retryAfterMs: number } {
  const { left: had, at: since } = kept ?? { left: TRIES, at };
  const left = Math.min(TRIES, had + Math.max(0, at - since) / TRY_AGAIN_MS);
  const allowed = left >= 1;
  return {
    bucket: { left: allowed ? left - 1 : left, at },
    retryAfterMs: allowed ? 0 : Math.ceil((1 - left) * TRY_AGAIN_MS),
  };
}

/** Counted as wrong until it turns out right, so that many tries at once count too. No `mistakes`: they stay as they are. */
export function takeTurn(
  kept: Mistakes | undefined,
  at: number,
): { mistakes?: Mistakes; asked: Asked } {
  const isFresh = kept !== undefined && at - kept.at < FORGET_MS;
  const { count, freeAt } = isFresh ? kept : { count: 0, freeAt: at };
  const free = count < FREE_MISTAKES;
  const step = free ? 0 : Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** (count - FREE_MISTAKES));
  const until = free ? at : Math.max(at, freeAt) + step;
  if (until - at > QUEUE_MAX_MS) return { asked: { retryAfterMs: freeAt - at } };
  return { mistakes: { count: count + 1, at, freeAt: until }, asked: { waitMs: until - at } };
}

export function createSignInThrottle() {
  const buckets = new Map<string, Bucket>();
  const mistakesOf = new Map<string, Mistakes>();
  return {
    ask(attempt: Attempt, at: number): Asked {
      const name = bucketOf(attempt);
      const { bucket, retryAfterMs } = takeTry(buckets.get(name), at);
      keep(buckets, name, bucket);
      if (retryAfterMs > 0) return { retryAfterMs };
      if (attempt.isKnownBrowser) return { waitMs: 0 };
      const { mistakes, asked } = takeTurn(mistakesOf.get(attempt.email), at);
      if (mistakes !== undefined) keep(mistakesOf, attempt.email, mistakes);
      return asked;
    },
    succeeded: ({ email }: Pick<Attempt, "email">): void => void mistakesOf.delete(email),
  } satisfies SignInThrottle;
}

/** Those touched longest ago make room: many at once, because a map finds its first entry behind all that were deleted. */
function keep<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= KEPT_MAX) return;
  let left = FORGOTTEN_AT_ONCE;
  for (const oldest of map.keys()) {
    if (left === 0) break;
    map.delete(oldest);
    left -= 1;
  }
}
