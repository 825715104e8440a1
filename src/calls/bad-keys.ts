import { createRecentNames } from "#ledger/recent-names.ts";
import { ownNetworkOf } from "#networks.ts";
import { tooManyBadKeys } from "./call-errors.ts";

/**
 * Throttles keys that were never issued. A forged key with a right account part costs a question to the ledger, so after a
 * burst of them from one network, keys from there that this node does not know are rejected without a question.
 *
 * Keys that the node knows are never affected. For a good key that it does not know yet, behind the same address as an
 * attacker, an account has questions of its own as long as no bad key of that account came from there. A bad key that is
 * sent again and again, as by a deployment whose key was revoked, is counted for itself, so that the new key of the same
 * deployment gets through. Counts are kept by each process, in bounded memory.
 */
export type BadKeys = {
  /** Throws an ApiError `rate_limited` if the ledger must not be asked about a key that this node does not know. */
  check(key: UnknownKey): void;
  /** Counts a key that the ledger has rejected. */
  add(key: UnknownKey): void;
};

/** `address`: of the client; null if it is not known, and then nothing is counted. */
export type UnknownKey = { address: string | null; account: string; keySha256: string };

/** Bad keys of one network, and questions about one bad key. */
export const BAD_KEYS_BURST = 40;
export const BAD_KEY_REPEATS = 10;
/** After this time one more is allowed. */
export const BAD_KEY_MS = 3_000;

/** `left` may be below zero: questions that were under way together all count. */
type Bucket = { left: number; at: number };

/** `onThrottled` is called for each key that is rejected without a question. */
export function createBadKeys(elapsed: () => number, onThrottled: () => void): BadKeys {
  const networks = createRecentNames<Bucket>();
  const keys = createRecentNames<Bucket>();
  /** When the last bad key of an account came from a network. */
  const accounts = createRecentNames<number>();

  function leftIn({ left, at }: Bucket, burst: number): number {
    return Math.min(burst, left + (elapsed() - at) / BAD_KEY_MS);
  }

  function take(bucket: Bucket | undefined, burst: number): Bucket {
    const left = bucket === undefined ? burst : leftIn(bucket, burst);
    return { left: Math.max(-burst, left - 1), at: elapsed() };
  }

  function throttle(left: number): void {
    if (left >= 1) return;
    onThrottled();
    throw tooManyBadKeys(Math.ceil(((1 - left) * BAD_KEY_MS) / 1_000));
  }

  return {
    check({ address, account, keySha256 }) {
      if (address === null) return;
      const repeated = keys.get(keySha256);
      if (repeated !== undefined) return throttle(leftIn(repeated, BAD_KEY_REPEATS));
      const network = ownNetworkOf(address);
      const bucket = networks.get(network);
      if (bucket === undefined) return;
      const badAt = accounts.get(`${network} ${account}`);
      if (badAt === undefined || elapsed() - badAt > BAD_KEYS_BURST * BAD_KEY_MS) return;
      throttle(leftIn(bucket, BAD_KEYS_BURST));
    },
    add({ address, account, keySha256 }) {
      if (address === null) return;
      const repeated = keys.get(keySha256);
      keys.set(keySha256, take(repeated, BAD_KEY_REPEATS));
      if (repeated !== undefined) return;
      const network = ownNetworkOf(address);
      networks.set(network, take(networks.get(network), BAD_KEYS_BURST));
      accounts.set(`${network} ${account}`, elapsed());
    },
  };
}
