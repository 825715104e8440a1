import type { RandomBytes } from "#ids.ts";
import { doubling, withJitter } from "./back-off.ts";

export type OutagePolicy = {
  /** So many failures in a row mean that nothing can be reached at all. */
  failures: number;
  /** The first pause; it doubles up to the second bound. */
  firstMs: number;
  maxMs: number;
};

/** The pause of a whole queue while what its jobs talk to is out of reach. */
export function createOutage({ failures, firstMs, maxMs }: OutagePolicy, random: RandomBytes) {
  let [inARow, pauses, until] = [0, 0, 0];
  return {
    until: () => until,
    /** How many of `atOnce` may be under way: while it is in doubt whether the outage is over, one finds out. */
    most(atOnce: number): number {
      if (pauses > 0) return 1;
      return inARow === 0 ? atOnce : Math.min(atOnce, failures - inARow);
    },
    /** Returns whether an outage begins with this failure. Jobs that fail together make one pause. */
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
