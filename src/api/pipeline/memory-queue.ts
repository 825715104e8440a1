import { ApiError } from "#errors.ts";
import type { MemoryLimits } from "#limits.ts";

/**
 * The calls that wait for memory, up to `waitMsMax` each. Calls that hold some come first, the oldest before the others, because they
 * free it again when they end. Then the accounts take turns: next is the call that waits longest of the account with the fewest
 * calls. No call overtakes one that waits for the same bound.
 *
 * A waiting call looks every few milliseconds whether it is its turn. Nothing wakes it, because at the edge a request must not
 * depend on another one to continue, and on Node other threads free memory too.
 */
export type MemoryQueue<Holder> = {
  /**
   * Calls `attempt` until it returns null, in turn with other calls. Returns a promise if the call has to wait; it rejects with
   * `unavailable` if it waited in vain, and resolves if `leave` was called.
   */
  enter(holder: Holder, attempt: Attempt): Promise<void> | undefined;
  /** The call no longer waits: it was evicted or has ended. */
  leave(holder: Holder): void;
};

/** Whose bound leaves no room. */
export type Excess = { excessOf: "account" | "all"; why: string };

/** Takes the memory. Returns what is in the way otherwise. `isPatient`: there is time to wait before others are evicted. */
type Attempt = (isPatient: boolean) => Excess | null;

type Waiting<Holder> = {
  holder: Holder;
  attempt: Attempt;
  state: "waiting" | "done";
  polls: number;
  why: string;
};

const POLL_MS = 20;

export function createMemoryQueue<Holder extends { account: string; calls: number }>(
  limits: MemoryLimits,
  elapsed: () => number,
  { callsOf, ageOf }: { callsOf(account: string): number; ageOf(holder: Holder): number },
): MemoryQueue<Holder> {
  /** In the order of arrival. */
  let waiting: Waiting<Holder>[] = [];
  /** How long calls have waited that may have to wait again, in milliseconds. */
  const waitedMs = new WeakMap<Holder, number>();

  function end(one: Waiting<Holder>): void {
    one.state = "done";
    waiting = waiting.filter((other) => other !== one);
  }

  /** Returns what is in the way, or null. */
  function attempt(one: Waiting<Holder>): Excess | null {
    const isPatient = one.polls * POLL_MS < limits.waitMsMax / 2;
    const excess = one.attempt(isPatient);
    if (excess === null) end(one);
    else one.why = excess.why;
    return excess;
  }

  /** Grants memory to the calls that can have it now. */
  function serve(): void {
    const holding = waiting.filter(({ holder }) => holder.calls > 0);
    holding.sort((one, other) => ageOf(one.holder) - ageOf(other.holder));
    for (const one of holding) {
      if (one.state === "waiting" && attempt(one)?.excessOf === "all") return;
    }
    const blocked = new Set<string>();
    for (;;) {
      const next = nextTurn(blocked);
      if (next === undefined) return;
      const excess = attempt(next);
      if (excess?.excessOf === "all") return;
      if (excess !== null) blocked.add(next.holder.account);
    }
  }

  function nextTurn(blocked: ReadonlySet<string>): Waiting<Holder> | undefined {
    let next: Waiting<Holder> | undefined;
    for (const one of waiting) {
      const { account, calls } = one.holder;
      if (calls > 0 || blocked.has(account)) continue;
      if (next === undefined || callsOf(account) < callsOf(next.holder.account)) next = one;
    }
    return next;
  }

  async function wait(one: Waiting<Holder>): Promise<void> {
    const since = elapsed();
    const before = waitedMs.get(one.holder) ?? 0;
    const isOver = () => {
      // The clock alone would not do, because it may stand still; the number of looks would not on a busy machine.
      const ms = Math.max(elapsed() - since, one.polls * POLL_MS);
      waitedMs.set(one.holder, before + ms);
      return before + ms >= limits.waitMsMax;
    };
    while (one.state === "waiting") {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      one.polls += 1;
      if (one.state === "waiting") serve();
      if (one.state !== "waiting") return;
      if (isOver()) {
        end(one);
        throw overBudget(one.why);
      }
    }
  }

  return {
    enter(holder, attemptOf) {
      const own = waiting.filter((other) => other.holder.account === holder.account).length;
      const isFull = waiting.length >= limits.waitingMax || own >= limits.waitingPerAccount;
      const one: Waiting<Holder> = {
        ...{ holder, attempt: attemptOf, state: "waiting", polls: 0, why: WAITING },
      };
      waiting.push(one);
      serve();
      if (one.state !== "waiting") return undefined;
      if (!isFull && (waitedMs.get(holder) ?? 0) < limits.waitMsMax) return wait(one);
      end(one);
      // A call that holds memory may evict newer ones, even while others wait.
      const excess = holder.calls > 0 ? attemptOf(false) : one;
      if (excess === null) return undefined;
      throw overBudget(excess.why);
    },
    leave(holder) {
      for (const one of waiting) if (one.holder === holder) end(one);
    },
  };
}

const WAITING = "Too many other large calls wait for memory.";

export const overBudget = (why: string) =>
  new ApiError("unavailable", `${why} The call was not charged. Try again in a moment.`, {
    headers: { "Retry-After": "1" },
  });
