import { ApiError } from "#errors.ts";
import type { MemoryLimits } from "#limits.ts";

/**
 * Bounds the memory that large calls hold at once, in total and for each account. Small calls are not counted, because
 * the rate limit bounds them. A call over the budget is rejected immediately and not charged, so one account cannot use
 * up all the memory.
 */
export type MemoryBudget = { of(account: string): MemoryLease };

/** What one call holds. */
export type MemoryLease = {
  /** Throws an ApiError `unavailable` if fewer bytes are left. */
  take(bytes: number): void;
  /**
   * Sets what the call holds to `bytes`. A response can be many times larger than its body, so it may exceed the
   * budget, but the call fails with `unavailable` while other calls exceed it.
   */
  swap(bytes: number): void;
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
      throw overBudget("The service is already handling as many large calls as it can.");
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
            throw overBudget("The service is already handling as many large calls as it can.");
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
