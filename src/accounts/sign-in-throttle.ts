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
 * Kept in memory, per process and bounded; a restart forgets it.
 */
export type SignInThrottle = {
  /** How long this try must wait, or for how long it is refused; milliseconds. */
  ask(attempt: Attempt, at: number): { waitMs: number } | { refusedForMs: number };
  /** The password was right, or a link of a letter was used: earlier mistakes count no more. */
  succeeded(person: Pick<Attempt, "email">): void;
};

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

type Bucket = { left: number; at: number };
type Mistakes = { count: number; at: number; freeAt: number };

export function createSignInThrottle(): SignInThrottle {
  const buckets = new Map<string, Bucket>();
  const mistakes = new Map<string, Mistakes>();

  function takeTry(name: string, at: number): number {
    const bucket = buckets.get(name) ?? { left: TRIES, at };
    const left = Math.min(TRIES, bucket.left + Math.max(0, at - bucket.at) / TRY_AGAIN_MS);
    const allowed = left >= 1;
    keep(buckets, name, { left: allowed ? left - 1 : left, at });
    return allowed ? 0 : Math.ceil((1 - left) * TRY_AGAIN_MS);
  }

  function mistakesOf(email: string, at: number): Mistakes | undefined {
    const found = mistakes.get(email);
    return found !== undefined && at - found.at < FORGET_MS ? found : undefined;
  }

  return {
    ask({ email, address, isKnownBrowser }, at) {
      const refusedForMs = takeTry(isKnownBrowser ? `known ${email}` : `from ${address}`, at);
      if (refusedForMs > 0) return { refusedForMs };
      if (isKnownBrowser) return { waitMs: 0 };
      const { count, freeAt } = mistakesOf(email, at) ?? { count: 0, freeAt: at };
      // Counted as wrong until it turns out right, so that many tries at once count too.
      const free = count < FREE_MISTAKES;
      const step = free ? 0 : Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** (count - FREE_MISTAKES));
      const until = free ? at : Math.max(at, freeAt) + step;
      if (until - at > QUEUE_MAX_MS) return { refusedForMs: freeAt - at };
      keep(mistakes, email, { count: count + 1, at, freeAt: until });
      return { waitMs: until - at };
    },
    succeeded: ({ email }) => void mistakes.delete(email),
  };
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
