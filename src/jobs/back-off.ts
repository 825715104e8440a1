import type { RandomBytes } from "#ids.ts";

/** Doubles from `firstMs` up to `maxMs`; `times` counts from 1. */
export const doubling = (times: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** (times - 1));

/** Up to a quarter sooner, so that jobs that failed together part. */
export function withJitter(ms: number, random: RandomBytes): number {
  const chance = (random(1)[0] ?? 0) / 256;
  return Math.ceil(ms * (1 - chance / 4));
}
