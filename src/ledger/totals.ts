import type { LedgerTotals } from "./port.ts";

export const zeroTotals = (): LedgerTotals => ({
  granted: 0,
  debited: 0,
  reversed: 0,
  remaining: 0,
  expired: 0,
  voided: 0,
});

const NAMES = Object.keys(zeroTotals()) as (keyof LedgerTotals)[];

/** Adds the totals of an account to a sum. */
export function addTotals(sum: LedgerTotals, own: LedgerTotals): void {
  for (const name of NAMES) sum[name] += own[name];
}

export const isSameTotals = (one: LedgerTotals, other: LedgerTotals): boolean =>
  NAMES.every((name) => one[name] === other[name]);
