import type { Books } from "./port.ts";

export const noBooks = (): Books => ({
  granted: 0,
  debited: 0,
  reversed: 0,
  remaining: 0,
  expired: 0,
  voided: 0,
});

const NAMES = Object.keys(noBooks()) as (keyof Books)[];

/** Adds an account's books to a sum. */
export function addBooks(sum: Books, own: Books): void {
  for (const name of NAMES) sum[name] += own[name];
}

export const isSameBooks = (one: Books, other: Books): boolean =>
  NAMES.every((name) => one[name] === other[name]);
