import { ApiError } from "#errors.ts";
import type { MemoryLimits } from "#limits.ts";

/**
 * Bounds the memory that large calls hold at once, in all and for each account. Small calls are not counted: the rate
 * limit bounds them. A call over the budget is rejected at once and not charged, so one account cannot use up the
 * memory of all.
 */
export type MemoryBudget = { of(account: string): MemoryLease };

/** What one call holds. */
export type MemoryLease = {
  /** Throws an ApiError `unavailable` where fewer bytes are left. */
  take(bytes: number): void;
  /**
   * Replaces everything that was taken by `bytes`. A response can be many times larger than its body, so it may exceed the
   * budget; but the call fails with `unavailable` while other calls hold more than the budget.
   */
  swap(bytes: number): void;
  /** Ends the call: frees what is held, unless the response took it over. */
  release(): void;
  /** Hands what is held to the response, which frees it when it has been sent. */
  toResponse(): ResponseLease;
};

export type ResponseLease = {
  release(): void;
  /** The lease was held for too long and counts no more. */
  isOver(): boolean;
};

type Held = { account: string; calls: number; bytes: number; since: number };

export function createMemoryBudget(limits: MemoryLimits, elapsed: () => number): MemoryBudget {
  const all = new Set<Held>();
  const accounts = new Map<string, { calls: number; bytes: number }>();
  let bytesInAll = 0;

  function change(held: Held, calls: number, bytes: number): void {
    const own = accounts.get(held.account) ?? { calls: 0, bytes: 0 };
    own.calls += calls - held.calls;
    own.bytes += bytes - held.bytes;
    bytesInAll += bytes - held.bytes;
    held.calls = calls;
    held.bytes = bytes;
    if (calls > 0) all.add(held);
    else all.delete(held);
    if (own.calls > 0) accounts.set(held.account, own);
    else accounts.delete(held.account);
  }

  /** A runtime may drop a call whose client disconnected, without running its `finally`. */
  function freeLost(): void {
    const before = elapsed() - limits.heldMsMax;
    for (const held of all) if (held.since < before) change(held, 0, 0);
  }

  function add(held: Held, bytes: number): void {
    const own = accounts.get(held.account) ?? { calls: 0, bytes: 0 };
    if (own.calls >= limits.callsPerAccount) {
      throw overBudget(`The account already has ${own.calls} large calls running.`);
    }
    if (own.bytes + bytes > limits.bytesPerAccount || bytesInAll + bytes > limits.bytes) {
      throw overBudget("The service has as many large calls running as it can take.");
    }
    change(held, held.calls + 1, held.bytes + bytes);
  }

  return {
    of(account) {
      const held: Held = { account, calls: 0, bytes: 0, since: 0 };
      let isOfResponse = false;
      let isOver = false;
      const release = () => {
        if (held.calls > 0) change(held, 0, 0);
        isOver = true;
      };
      return {
        take(bytes) {
          if (held.calls === 0) held.since = elapsed();
          freeLost();
          add(held, bytes);
        },
        swap(bytes) {
          if (held.calls === 0) held.since = elapsed();
          freeLost();
          if (bytesInAll - held.bytes > limits.bytes) {
            throw overBudget("The service has as many large calls running as it can take.");
          }
          change(held, Math.max(held.calls, 1), bytes);
        },
        release() {
          if (!isOfResponse) release();
        },
        toResponse() {
          isOfResponse = true;
          return { release, isOver: () => isOver || held.calls === 0 };
        },
      };
    },
  };
}

const overBudget = (why: string) =>
  new ApiError("unavailable", `${why} The call was not charged. Try again in a moment.`, {
    headers: { "Retry-After": "1" },
  });
