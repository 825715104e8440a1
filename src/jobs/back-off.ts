import type { RandomBytes } from "#ids.ts";

/** Returns `firstMs`, doubled with each failure up to `maxMs`. `times` counts the failures from 1. */
export const doubling = (times: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** (times - 1));

/** Shortens a wait by up to a quarter at random, so that jobs that failed together are not retried together. */
export function withJitter(ms: number, random: RandomBytes): number {
  const chance = (random(1)[0] ?? 0) / 256;
  return Math.ceil(ms * (1 - chance / 4));
}

export type OutagePolicy = {
  /** After this many failures in a row, the target of all jobs counts as unreachable. */
  failures: number;
  /** The length of the first pause. It doubles up to `maxMs`. */
  firstMs: number;
  maxMs: number;
};

/** Pauses a whole queue while the target of its jobs is unreachable. */
export function createOutage({ failures, firstMs, maxMs }: OutagePolicy, random: RandomBytes) {
  let [inARow, pauses, until] = [0, 0, 0];
  return {
    until: () => until,
    /** Whether a single job is to find out whether the outage is over. */
    isInDoubt: () => pauses > 0,
    /** How many of `atOnce` jobs may run. After a pause, a single job tests whether the outage is over. */
    most(atOnce: number): number {
      if (pauses > 0) return 1;
      return inARow === 0 ? atOnce : Math.min(atOnce, failures - inARow);
    },
    /** Returns whether this failure starts an outage. Jobs that fail together cause one pause. */
    failed(now: number): boolean {
      inARow += 1;
      if (inARow < failures || until > now) return false;
      pauses += 1;
      until = now + withJitter(doubling(pauses, firstMs, maxMs), random);
      return pauses === 1;
    },
    succeeded(): void {
      [inARow, pauses, until] = [0, 0, 0];
    },
  };
}

export type Outage = ReturnType<typeof createOutage>;
