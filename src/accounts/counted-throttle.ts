import { bytesToHex } from "@noble/hashes/utils.js";
import type { CountRequest } from "./auth-options.ts";
import { keyedHash } from "./keyed-hash.ts";
import type { RequestRule, RequestVerdict } from "./request-count.ts";
import { type Asked, bucketOf, type SignInThrottle } from "./sign-in-throttle.ts";

/**
 * The throttle of the sign-in where no process's memory is one to rely on: what each counted for itself would give a stranger
 * every try once a process. Where the counts cannot be asked, nobody may try.
 */
export type CountedThrottle = { signIn: SignInThrottle; countRequest: CountRequest };

/** What is counted for all processes together. Whose counts they are is not known there: names are keyed hashes in hex. */
export type Counts = {
  /** For how long a try is refused; 0 where it is not. */
  takeTry(name: string, at: number): Promise<number>;
  takeTurn(name: string, at: number): Promise<Asked>;
  forget(name: string): Promise<void>;
  countRequest(name: string, rule: RequestRule, at: number): Promise<RequestVerdict>;
};

export function createCountedThrottle(wiring: {
  counts: Counts;
  /** Hides whose counts they are. */
  secret: string;
  now(): number;
  /** Takes work that the answer does not wait for, and hears of its faults. */
  inBackground(work: Promise<unknown>): void;
}): CountedThrottle {
  const { counts, secret, now, inBackground } = wiring;
  const hidden = (name: string) =>
    bytesToHex(keyedHash(secret, `toolbooth throttle ${name}`)).slice(0, 32);
  const mistakesOf = (email: string) => hidden(`mistakes ${email}`);
  return {
    signIn: {
      async ask(attempt, at) {
        const retryAfterMs = await counts.takeTry(hidden(bucketOf(attempt)), at);
        if (retryAfterMs > 0) return { retryAfterMs };
        if (attempt.isKnownBrowser) return { waitMs: 0 };
        return counts.takeTurn(mistakesOf(attempt.email), at);
      },
      succeeded: ({ email }) => inBackground(counts.forget(mistakesOf(email))),
    },
    countRequest: (name, rule) => counts.countRequest(hidden(`requests ${name}`), rule, now()),
  };
}
