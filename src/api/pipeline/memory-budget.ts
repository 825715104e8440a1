import type { ApiError } from "#errors.ts";
import type { MemoryLimits } from "#limits.ts";
import { createMemoryQueue, type Excess, overBudget } from "./memory-queue.ts";

/**
 * Bounds the memory that large calls hold at once, in total and for each account. What counts is what has arrived, never
 * what a client announces. Small calls are not counted, because the rate limit bounds them.
 *
 * A call that needs more than is left waits a little (`memory-queue.ts`). When waiting cannot help, the newest call whose body is
 * incomplete gets 503 and is not charged. Older ones therefore always get to their end: the oldest incomplete call loses its memory
 * to no other, and calls whose bodies are complete end by themselves.
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
  /** The same, but waits for memory if there is none. Returns a promise only then; it also resolves if the call was evicted. */
  takeOrWait(bytes: number, evict: (error: ApiError) => void): Promise<void> | undefined;
  /** The body is complete, so the memory is not taken away any more. */
  complete(): void;
  /**
   * Sets what the call holds to `bytes`. A response can be many times larger than its body, so it may exceed the
   * budget, but the call fails with `unavailable` while other calls exceed it.
   */
  swap(bytes: number): void;
  /** The same, but waits while other calls exceed the budget. */
  swapOrWait(bytes: number): Promise<void> | undefined;
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
  let bytesHere = 0;
  const bytesInAll = () => bytesHere + (limits.others?.() ?? 0);

  function change(held: Held, calls: 0 | 1, bytes: number): void {
    const own = accounts.get(held.account) ?? { calls: 0, bytes: 0 };
    own.calls += calls - held.calls;
    own.bytes += bytes - held.bytes;
    bytesHere += bytes - held.bytes;
    limits.onChange?.(bytesHere);
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
    queue.leave(held);
    if (held.calls === 0) return;
    change(held, 0, 0);
    hasArrived(held);
  }

  /** A runtime may drop a call whose client disconnected, without running its `finally`. */
  function freeLost(): void {
    const before = elapsed() - limits.heldMsMax;
    for (const held of all) if (held.since < before) free(held);
  }

  /**
   * Finds out whether there is room for more bytes of a call: which newer calls, whose bodies are incomplete, it takes to evict, or
   * whose bound is in the way.
   */
  function findRoom(held: Held, bytes: number): { evicted: Set<Held> } | Excess {
    const own = accounts.get(held.account) ?? { calls: 0, bytes: 0 };
    if (held.calls === 0 && own.calls >= limits.callsPerAccount) {
      const why = `The account already has ${own.calls} large calls running.`;
      return { excessOf: "account", why };
    }
    const evicted = new Set<Held>();
    let ownExcess = own.bytes + bytes - limits.bytesPerAccount;
    let excess = bytesInAll() + bytes - limits.bytes;
    if (ownExcess <= 0 && excess <= 0) return { evicted };
    const newer = held.calls === 0 ? [] : arriving.slice(arriving.lastIndexOf(held) + 1).reverse();
    const evict = (each: Held) => {
      evicted.add(each);
      excess -= each.bytes;
      if (each.account === held.account) ownExcess -= each.bytes;
    };
    for (const each of newer) if (ownExcess > 0 && each.account === held.account) evict(each);
    for (const each of newer) if (excess > 0 && !evicted.has(each)) evict(each);
    if (ownExcess > 0) return { excessOf: "account", why: OF_ACCOUNT };
    if (excess > 0) return { excessOf: "all", why: OF_ALL };
    return { evicted };
  }

  /** Counts more bytes of a call if there is room for them. `isPatient`: rather not by evicting another call. */
  function tryTake(
    held: Held,
    bytes: number,
    evict: (error: ApiError) => void,
    isPatient: boolean,
  ): Excess | null {
    freeLost();
    const room = findRoom(held, bytes);
    if ("why" in room) return room;
    // Calls whose bodies are complete end soon, and then nobody has to be evicted.
    if (isPatient && room.evicted.size > 0 && all.size > arriving.length) {
      return { excessOf: "all", why: OF_ALL };
    }
    for (const each of room.evicted) {
      free(each);
      each.evict(overBudget(OF_ALL));
    }
    if (held.calls === 0) {
      held.since = elapsed();
      arriving.push(held);
    }
    held.evict = evict;
    change(held, 1, held.bytes + bytes);
    return null;
  }

  function trySwap(held: Held, bytes: number): Excess | null {
    if (held.calls === 0) held.since = elapsed();
    freeLost();
    if (bytesInAll() - held.bytes > limits.bytes) return { excessOf: "all", why: OF_ALL };
    change(held, 1, bytes);
    return null;
  }

  const queue = createMemoryQueue(limits, elapsed, {
    callsOf: (account) => accounts.get(account)?.calls ?? 0,
    ageOf: (held: Held) => arriving.indexOf(held),
  });

  const covered = new WeakMap<object, MemoryLease>();

  return {
    cover: (request, lease) => void covered.set(request, lease),
    isTight: () => bytesInAll() > limits.bytes / 2,
    covering: (request) => covered.get(request),
    of(account) {
      const held: Held = { account, calls: 0, bytes: 0, since: 0, evict: () => {} };
      let isOfResponse = false;
      return {
        take(bytes, evict) {
          if (bytes > 0) throwIf(tryTake(held, bytes, evict, false));
        },
        takeOrWait(bytes, evict) {
          if (bytes === 0) return undefined;
          return queue.enter(held, (isPatient) => tryTake(held, bytes, evict, isPatient));
        },
        complete: () => hasArrived(held),
        swap: (bytes) => throwIf(trySwap(held, bytes)),
        swapOrWait: (bytes) => queue.enter(held, () => trySwap(held, bytes)),
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

function throwIf(excess: Excess | null): void {
  if (excess !== null) throw overBudget(excess.why);
}
