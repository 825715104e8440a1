import { Fault } from "#errors.ts";
import {
  LARGE_BYTES_MAX,
  LARGE_BYTES_PER_ACCOUNT_MAX,
  LARGE_CALLS_PER_ACCOUNT_MAX,
} from "#limits.ts";

/**
 * How much of large calls is held in memory at once, in all and for each account. Small calls are not counted: the rate
 * limit bounds them. What does not get in is refused at once and uncharged, so that nobody's memory is everybody's.
 */
export type Admission = {
  of(account: string): {
    /** Throws a Fault `unavailable` where there is no room for so many bytes. */
    take(bytes: number): void;
    /** Lets go of all that was taken. */
    leave(): void;
  };
};

type Share = { calls: number; bytes: number };

export function createAdmission(): Admission {
  const shares = new Map<string, Share>();
  let bytesInAll = 0;

  function enter(account: string, bytes: number): void {
    const share = shares.get(account) ?? { calls: 0, bytes: 0 };
    if (share.calls >= LARGE_CALLS_PER_ACCOUNT_MAX) {
      throw full(`The account has ${share.calls} large calls under way already.`);
    }
    if (share.bytes + bytes > LARGE_BYTES_PER_ACCOUNT_MAX || bytesInAll + bytes > LARGE_BYTES_MAX) {
      throw full("The service has more large calls under way than it can hold.");
    }
    share.calls += 1;
    share.bytes += bytes;
    bytesInAll += bytes;
    shares.set(account, share);
  }

  return {
    of(account) {
      const taken: number[] = [];
      return {
        take(bytes) {
          enter(account, bytes);
          taken.push(bytes);
        },
        leave() {
          const share = shares.get(account);
          if (share === undefined) return;
          for (const bytes of taken) {
            share.calls -= 1;
            share.bytes -= bytes;
            bytesInAll -= bytes;
          }
          if (share.calls === 0) shares.delete(account);
        },
      };
    },
  };
}

const full = (why: string) =>
  new Fault("unavailable", `${why} The call was not charged.`, { headers: { "Retry-After": "1" } });
