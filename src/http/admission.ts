import { Fault } from "#errors.ts";
import type { LargeRoom } from "#limits.ts";

/**
 * How much of large calls is held in memory at once, in all and for each account. Small calls are not counted: the rate
 * limit bounds them. What does not get in is refused at once and uncharged, so that nobody's memory is everybody's.
 */
export type Admission = { of(account: string): Share };

export type Share = {
  /** Throws a Fault `unavailable` where there is no room for so many bytes. */
  take(bytes: number): void;
  /**
   * What is held from now on, in place of all that was taken. An answer can be many times its body, so it may take more
   * than the room has; but nothing large goes on (a Fault `unavailable`) while others hold more than that.
   */
  swap(bytes: number): void;
  /** The call has ended: lets go of what is held, unless its answer took it over. */
  release(): void;
  /** What is held is the answer's from now on, which lets go of it when it has left. */
  toAnswer(): AnswerShare;
};

export type AnswerShare = {
  release(): void;
  /** It was held for too long and counts no more. */
  isOver(): boolean;
};

type Counted = { account: string; calls: number; bytes: number; since: number };

export function createAdmission(room: LargeRoom, elapsed: () => number): Admission {
  const all = new Set<Counted>();
  const accounts = new Map<string, { calls: number; bytes: number }>();
  let bytesInAll = 0;

  function change(counted: Counted, calls: number, bytes: number): void {
    const own = accounts.get(counted.account) ?? { calls: 0, bytes: 0 };
    own.calls += calls - counted.calls;
    own.bytes += bytes - counted.bytes;
    bytesInAll += bytes - counted.bytes;
    counted.calls = calls;
    counted.bytes = bytes;
    if (calls > 0) all.add(counted);
    else all.delete(counted);
    if (own.calls > 0) accounts.set(counted.account, own);
    else accounts.delete(counted.account);
  }

  /** A runtime may drop a call whose client went away without a word. */
  function forgetLost(): void {
    const before = elapsed() - room.heldMsMax;
    for (const counted of all) if (counted.since < before) change(counted, 0, 0);
  }

  function enter(counted: Counted, bytes: number): void {
    const own = accounts.get(counted.account) ?? { calls: 0, bytes: 0 };
    if (own.calls >= room.callsPerAccount) {
      throw full(`The account has ${own.calls} large calls under way already.`);
    }
    if (own.bytes + bytes > room.bytesPerAccount || bytesInAll + bytes > room.bytes) {
      throw full("The service has more large calls under way than it can hold.");
    }
    change(counted, counted.calls + 1, counted.bytes + bytes);
  }

  return {
    of(account) {
      const counted: Counted = { account, calls: 0, bytes: 0, since: 0 };
      let isAnswers = false;
      let isOver = false;
      const release = () => {
        if (counted.calls > 0) change(counted, 0, 0);
        isOver = true;
      };
      return {
        take(bytes) {
          if (counted.calls === 0) counted.since = elapsed();
          forgetLost();
          enter(counted, bytes);
        },
        swap(bytes) {
          if (counted.calls === 0) counted.since = elapsed();
          forgetLost();
          if (bytesInAll - counted.bytes > room.bytes) {
            throw full("The service has more large calls under way than it can hold.");
          }
          change(counted, Math.max(counted.calls, 1), bytes);
        },
        release() {
          if (!isAnswers) release();
        },
        toAnswer() {
          isAnswers = true;
          return { release, isOver: () => isOver || counted.calls === 0 };
        },
      };
    },
  };
}

const full = (why: string) =>
  new Fault("unavailable", `${why} The call was not charged.`, { headers: { "Retry-After": "1" } });
