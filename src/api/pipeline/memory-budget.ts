import { ApiError } from "#errors.ts";
import type { MemoryLimits } from "#limits.ts";

/**
 * Bounds the memory that large calls hold at once, in total and for each account. What counts is what has arrived, never
 * what a client announces. Small calls are not counted, because the rate limit bounds them.
 *
 * When a body needs more than is left, the newest call whose body is incomplete gets 503 and is not charged. Older ones
 * therefore always get to their end: the oldest incomplete call loses its memory to no other, and calls whose bodies are
 * complete end by themselves.
 */
export type MemoryBudget = {
  of(account: string): MemoryLease;
  /** Half of the memory is taken: the rest is for accounts that can pay. */
  isTight(): boolean;
  /** Says that a request is made of another one, whose lease counts its bytes. */
  cover(request: object, lease: MemoryLease): void;
  covering(request: object): MemoryLease | undefined;
};

/** What one call holds. */
export type MemoryLease = {
  /**
   * Counts bytes of the body that have arrived. Throws an ApiError `unavailable` if they are too many. `evict` is called
   * with that error if an older call needs the memory before the body is complete; the call then holds nothing.
   */
  take(bytes: number, evict: (error: ApiError) => void): void;
  /** The body is complete, so the memory is not taken away any more. */
  complete(): void;
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

type Held = {
  account: string;
  calls: 0 | 1;
  bytes: number;
  since: number;
  evict: (error: ApiError) => void;
};

export function createMemoryBudget(limits: MemoryLimits, elapsed: () => number): MemoryBudget {
  const all = new Set<Held>();
  const accounts = new Map<string, { calls: number; bytes: number }>();
  /** The calls whose bodies are incomplete, the oldest first. */
  const arriving: Held[] = [];
  let bytesInAll = 0;

  function change(held: Held, calls: 0 | 1, bytes: number): void {
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

  function hasArrived(held: Held): void {
    const at = arriving.lastIndexOf(held);
    if (at !== -1) arriving.splice(at, 1);
  }

  function free(held: Held): void {
    if (held.calls === 0) return;
    change(held, 0, 0);
    hasArrived(held);
  }

  /** A runtime may drop a call whose client disconnected, without running its `finally`. */
  function freeLost(): void {
    const before = elapsed() - limits.heldMsMax;
    for (const held of all) if (held.since < before) free(held);
  }

  /** Evicts newer calls whose bodies are incomplete, as far as more bytes of a call need it. Throws if that is not enough. */
  function evictFor(held: Held, bytes: number): void {
    const own = accounts.get(held.account) ?? { calls: 0, bytes: 0 };
    if (held.calls === 0 && own.calls >= limits.callsPerAccount) {
      throw overBudget(`The account already has ${own.calls} large calls running.`);
    }
    let ownExcess = own.bytes + bytes - limits.bytesPerAccount;
    let excess = bytesInAll + bytes - limits.bytes;
    if (ownExcess <= 0 && excess <= 0) return;
    const newer = held.calls === 0 ? [] : arriving.slice(arriving.lastIndexOf(held) + 1).reverse();
    const evicted = new Set<Held>();
    const evict = (each: Held) => {
      evicted.add(each);
      excess -= each.bytes;
      if (each.account === held.account) ownExcess -= each.bytes;
    };
    for (const each of newer) if (ownExcess > 0 && each.account === held.account) evict(each);
    for (const each of newer) if (excess > 0 && !evicted.has(each)) evict(each);
    if (ownExcess > 0) throw overBudget(OF_ACCOUNT);
    if (excess > 0) throw overBudget(OF_ALL);
    for (const each of evicted) {
      free(each);
      each.evict(overBudget(OF_ALL));
    }
  }

  const covered = new WeakMap<object, MemoryLease>();

  return {
    cover: (request, lease) => void covered.set(request, lease),
    isTight: () => bytesInAll > limits.bytes / 2,
    covering: (request) => covered.get(request),
    of(account) {
      const held: Held = { account, calls: 0, bytes: 0, since: 0, evict: () => {} };
      let isOfResponse = false;
      return {
        take(bytes, evict) {
          if (bytes === 0) return;
          freeLost();
          evictFor(held, bytes);
          if (held.calls === 0) {
            held.since = elapsed();
            arriving.push(held);
          }
          held.evict = evict;
          change(held, 1, held.bytes + bytes);
        },
        complete: () => hasArrived(held),
        swap(bytes) {
          if (held.calls === 0) held.since = elapsed();
          freeLost();
          if (bytesInAll - held.bytes > limits.bytes) throw overBudget(OF_ALL);
          change(held, 1, bytes);
        },
        release() {
          if (!isOfResponse) free(held);
        },
        toResponse() {
          isOfResponse = true;
          return {
            release() {
              isOfResponse = false;
              free(held);
            },
            isOver: () => held.calls === 0,
          };
        },
      };
    },
  };
}

const OF_ALL = "The service is already handling as many large calls as it can.";
const OF_ACCOUNT = "The large calls of the account already hold as much memory as one account may.";

const overBudget = (why: string) =>
  new ApiError("unavailable", `${why} The call was not charged. Try again in a moment.`, {
    headers: { "Retry-After": "1" },
  });
