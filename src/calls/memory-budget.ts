import { ApiError } from "#errors.ts";
import { MEMORY_WAIT_MS, type MemoryLimits } from "#limits.ts";

/**
 * A semaphore of bytes, one for the bodies and responses of large calls and another for the files of calls: so many in total, and at
 * most a quarter of them for one account. What counts is what has arrived, never what a client announces.
 *
 * A call for which too few bytes are left waits in line, up to 2 s in all. Then it gets 503, and what it holds is free for the
 * others: so bodies that have filled the memory together and are all incomplete do not keep each other waiting. A call that
 * waits only because of its own account does not delay other accounts.
 */
export type MemoryBudget = {
  of(account: string): MemoryLease;
  /** Half of the memory is taken: the rest is for accounts that can pay. */
  isTight(): boolean;
};

/** What one call holds. */
export type MemoryLease = {
  /**
   * Takes more bytes; with 0, waits until responses have left the memory that they had in excess. Returns a promise only if
   * the call has to wait. It rejects with an ApiError `unavailable`; the call holds nothing then.
   */
  take(bytes: number): Promise<void> | undefined;
  /**
   * Sets what the call holds when its response is known. A response can be many times larger than its body, so it may exceed the
   * budget, but the call fails with `unavailable` while other calls exceed it.
   */
  set(bytes: number): void;
  /** Ends the call: frees what it holds, unless the response took it over. */
  release(): void;
  /** Hands what the call holds to the response, which frees it once it has been sent. */
  toResponse(): ResponseLease;
};

export type ResponseLease = {
  release(): void;
  /** The lease was held for too long and no longer counts. */
  isOver(): boolean;
};

type Held = { account: string; bytes: number; since: number; waitedMs: number };
type Waiting = { held: Held; bytes: number; grant(): void };

export function createMemoryBudget(
  limits: MemoryLimits,
  elapsed: () => number,
  words: BudgetWords = OF_MEMORY,
): MemoryBudget {
  /** The calls that hold memory, the oldest first. */
  const holding = new Set<Held>();
  const bytesOfAccounts = new Map<string, number>();
  let bytesInAll = 0;
  /** In the order of their turns. */
  let line: Waiting[] = [];

  const bytesOf = (account: string) => bytesOfAccounts.get(account) ?? 0;

  function setBytes(held: Held, bytes: number): void {
    if (held.bytes === 0) held.since = elapsed();
    const ofAccount = bytesOf(held.account) + bytes - held.bytes;
    bytesInAll += bytes - held.bytes;
    held.bytes = bytes;
    if (bytes > 0) holding.add(held);
    else holding.delete(held);
    if (ofAccount > 0) bytesOfAccounts.set(held.account, ofAccount);
    else bytesOfAccounts.delete(held.account);
  }

  function tryTake(held: Held, bytes: number): boolean {
    const fits =
      bytesInAll + bytes <= limits.bytes && bytesOf(held.account) + bytes <= limits.bytesPerAccount;
    if (fits) setBytes(held, held.bytes + bytes);
    return fits;
  }

  function serveLine(): void {
    line = line.filter((one) => {
      const isNext = tryTake(one.held, one.bytes);
      if (isNext) one.grant();
      return !isNext;
    });
  }

  function free(held: Held): void {
    // Most calls are small.
    if (held.bytes === 0 && line.length === 0) return;
    line = line.filter((one) => one.held !== held);
    setBytes(held, 0);
    serveLine();
  }

  /** A runtime may drop a call whose client disconnected, without running its `finally`. */
  function freeLost(): void {
    const before = elapsed() - limits.heldMsMax;
    for (const held of holding) {
      if (held.since >= before) return;
      free(held);
    }
  }

  /** A call that holds memory comes before those that hold none, because it frees it again when it ends. */
  function enter(one: Waiting): void {
    const first = one.held.bytes === 0 ? -1 : line.findIndex(({ held }) => held.bytes === 0);
    line.splice(first === -1 ? line.length : first, 0, one);
  }

  async function wait(held: Held, bytes: number): Promise<void> {
    const since = elapsed();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one: Waiting = { held, bytes, grant: resolve };
    enter(one);
    const timer = setTimeout(() => {
      if (!line.includes(one)) return;
      const isOwn = bytesOf(held.account) + bytes > limits.bytesPerAccount;
      reject(overBudget(isOwn ? words.account : words.all));
      free(held);
    }, MEMORY_WAIT_MS - held.waitedMs);
    try {
      await promise;
      held.waitedMs += elapsed() - since;
    } finally {
      // Not when it is granted: that is part of another request, which cannot end the timers of this one at the edge.
      clearTimeout(timer);
    }
  }

  return {
    isTight: () => bytesInAll > limits.bytes / 2,
    of(account) {
      const held: Held = { account, bytes: 0, since: 0, waitedMs: 0 };
      let isOfResponse = false;
      return {
        take(bytes) {
          freeLost();
          return tryTake(held, bytes) ? undefined : wait(held, bytes);
        },
        set(bytes) {
          if (bytesInAll - held.bytes > limits.bytes) throw overBudget(words.all);
          setBytes(held, bytes);
          serveLine();
        },
        release() {
          if (!isOfResponse) free(held);
        },
        toResponse() {
          isOfResponse = true;
          // A small call holds nothing, and its response may be large.
          const isCounted = held.bytes > 0;
          return {
            release() {
              isOfResponse = false;
              free(held);
            },
            isOver: () => isCounted && held.bytes === 0,
          };
        },
      };
    },
  };
}

/** What is said when the bytes of all calls, or those of an account, are taken. */
type BudgetWords = { all: string; account: string };
const OF_MEMORY: BudgetWords = {
  all: "The service is already handling as many large calls as it can.",
  account: "The large calls of the account already hold as much memory as one account may.",
};
export const OF_FILES: BudgetWords = {
  all: "The service already stores as many files of running calls as it can.",
  account:
    "The running calls of the account already have as many bytes of files as one account may.",
};

const overBudget = (why: string) =>
  new ApiError("unavailable", `${why} The call was not charged. Try again in a moment.`, {
    headers: { "Retry-After": "1" },
  });
