import type { KeyRate } from "./port.ts";
import { createThrottle, type Rate, type Throttle } from "./throttle.ts";

/**
 * Counts calls against the rate of their account and against that of their key, if it has one of its own. A key's rate is stored
 * with the key, so the node learns it from the outcomes of the key's calls: a change counts from the second call on.
 */
export type CallRates = {
  /** Counts a call. Null if there is no limit. A call that is rejected is not counted. */
  take(call: CountedCall, at: number): Rate | null;
  /** Undoes what `take` counted. */
  putBack(call: CountedCall): void;
  /** Undoes it for the account alone. */
  putBackAccount(account: string): void;
  /**
   * Learns the rate of the key from an outcome. Returns the rate after the call was counted against it, if `take` could not
   * count it because the key's rate was not known then (`knew` is false) or is another one now.
   */
  learn(call: CountedCall, keyRate: KeyRate | undefined, at: number, knew?: boolean): Rate | null;
  /** Whether the rate of the key is known, so that `take` counts the call against it. */
  knows(call: CountedCall): boolean;
  /** Whether the next call would be rejected; does not count a call. */
  isUsedUp(call: CountedCall, at: number): boolean;
};

type CountedCall = { account: string; keySha256: string };

/** Keys with a rate of their own that are remembered, about 200 bytes each. The oldest is dropped first. */
const KEY_RATES_MAX = 20_000;

export function createCallRates(callsPerSecond: number): CallRates {
  const accounts = createThrottle(callsPerSecond);
  /** By calls per second. */
  const throttles = new Map<number, Throttle>();
  /** By the SHA-256 of the secret. */
  const known = new Map<string, KeyRate>();

  function throttleOf({ callsPerSecond: rate }: KeyRate): Throttle {
    let throttle = throttles.get(rate);
    if (throttle === undefined) {
      throttle = createThrottle(rate, "key");
      throttles.set(rate, throttle);
    }
    return throttle;
  }

  const takeKey = (keyRate: KeyRate, at: number) =>
    throttleOf(keyRate).take(String(keyRate.keyNo), at);

  return {
    take({ account, keySha256 }, at) {
      const rate = accounts.take(account, at);
      const keyRate = known.size === 0 ? undefined : known.get(keySha256);
      if (keyRate === undefined) return accounts.policy === null ? null : rate;
      if (!rate.allowed) return rate;
      const ofKey = takeKey(keyRate, at);
      if (!ofKey.allowed) accounts.putBack(account);
      const isStricter = !ofKey.allowed || ofKey.remaining <= rate.remaining;
      return accounts.policy === null || isStricter ? ofKey : rate;
    },
    putBack({ account, keySha256 }) {
      accounts.putBack(account);
      const keyRate = known.get(keySha256);
      if (keyRate !== undefined) throttleOf(keyRate).putBack(String(keyRate.keyNo));
    },
    putBackAccount: accounts.putBack,
    knows: ({ keySha256 }) => known.size > 0 && known.has(keySha256),
    learn({ keySha256 }, keyRate, at, knew = true) {
      const before = known.size === 0 ? undefined : known.get(keySha256);
      if (keyRate === undefined) {
        if (before !== undefined) known.delete(keySha256);
        return null;
      }
      if (before?.callsPerSecond === keyRate.callsPerSecond)
        // Of calls that came together, the first one has made the rate known.
        return knew ? null : takeKey(keyRate, at);
      if (known.size >= KEY_RATES_MAX) known.delete(known.keys().next().value as string);
      known.set(keySha256, keyRate);
      return takeKey(keyRate, at);
    },
    isUsedUp({ account, keySha256 }, at) {
      const keyRate = known.get(keySha256);
      return (
        accounts.isUsedUp(account, at) ||
        (keyRate !== undefined && throttleOf(keyRate).isUsedUp(String(keyRate.keyNo), at))
      );
    },
  };
}
