import type { Audit, LedgerTotals } from "./port.ts";

/** The sums of an account that a store computes for an audit. */
export type AccountSums = LedgerTotals & {
  id: string;
  freeCall: string;
  freeCalls: number;
  /** The balance according to the account's row (`rules/balance.ts`); null if the row does not determine it at that time. */
  storedBalance: number | null;
  /** The number of lifetime grants in force according to the account's row. */
  storedLifetimeGrants: number;
  /** The same number, counted from the grants. */
  lifetimeGrants: number;
  /** The kept debits before `summedUntil` that are not reversed, counted from the debits. */
  keptCalls: number;
  keptCredits: number;
  /** The same numbers according to the stored sums. */
  summedCalls: number;
  summedCredits: number;
};

/**
 * Checks the totals of every account:
 *
 * - granted = debited - reversed + remaining + held + expired + voided
 * - at most one free call, made or running
 * - the account's row agrees with its grants
 * - the sums of kept debits agree with the debits
 *
 * `orphans`: the number of debit and usage rows that belong to no account.
 */
export function reconcile(rows: Iterable<AccountSums>, orphans: number): Audit {
  const totals = zeroTotals();
  const faults: string[] = [];
  let accounts = 0;
  for (const own of rows) {
    accounts += 1;
    addTotals(totals, own);
    const explained =
      own.debited - own.reversed + own.remaining + own.held + own.expired + own.voided;
    if (own.granted !== explained) {
      faults.push(
        `${own.id}: ${own.granted} credits were granted, but ${explained} are accounted for`,
      );
    }
    const expected = own.freeCall === "used" ? 1 : 0;
    if (own.freeCalls !== expected) {
      faults.push(`${own.id}: expected ${expected} free calls, but found ${own.freeCalls}`);
    }
    if (own.storedBalance !== null && own.storedBalance !== own.remaining)
      faults.push(
        `${own.id}: the account row says that the balance is ${own.storedBalance}, but its grants hold ${own.remaining}`,
      );
    if (own.storedLifetimeGrants !== own.lifetimeGrants)
      faults.push(
        `${own.id}: the account row counts ${own.storedLifetimeGrants} lifetime grants in force, but there are ${own.lifetimeGrants}`,
      );
    if (own.summedCalls !== own.keptCalls || own.summedCredits !== own.keptCredits)
      faults.push(
        `${own.id}: the sums of its calls say ${own.summedCalls} calls and ${own.summedCredits} credits, but its debits are ${own.keptCalls} calls and ${own.keptCredits} credits`,
      );
  }
  if (orphans > 0) faults.push(`${orphans} rows of usage belong to no account`);
  return { ok: faults.length === 0, accounts, totals, faults };
}

export const zeroTotals = (): LedgerTotals => ({
  granted: 0,
  debited: 0,
  reversed: 0,
  remaining: 0,
  held: 0,
  expired: 0,
  voided: 0,
});

const NAMES = Object.keys(zeroTotals()) as (keyof LedgerTotals)[];

/** Adds the totals of an account to a sum. */
export function addTotals(sum: LedgerTotals, own: LedgerTotals): void {
  for (const name of NAMES) sum[name] += own[name];
}
