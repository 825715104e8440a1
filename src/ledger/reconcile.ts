import type { Audit, LedgerTotals } from "./port.ts";
import { addTotals, zeroTotals } from "./totals.ts";

/** What a store sums up for an account, for its audit. */
export type AccountSums = LedgerTotals & {
  id: string;
  freeCall: string;
  freeCalls: number;
  /** The balance that its row tells without a sum (`rules/balance.ts`); null where it tells none at that time. */
  keptBalance: number | null;
  /** How many grants of the lifetime plan are in force by its row, and by the grants. */
  keptPlans: number;
  plans: number;
};

/**
 * Reconciles the books: for every account the sum of its grants must equal
 * debits - reversals + remaining + expired + voided, one free call at the most may have been made, and what its row
 * says of its grants must be so.
 * `lost`: rows of usage that belong to no account.
 */
export function reconcile(rows: Iterable<AccountSums>, lost: number): Audit {
  const totals = zeroTotals();
  const faults: string[] = [];
  let accounts = 0;
  for (const own of rows) {
    accounts += 1;
    addTotals(totals, own);
    const explained = own.debited - own.reversed + own.remaining + own.expired + own.voided;
    if (own.granted !== explained) {
      faults.push(
        `${own.id}: ${own.granted} credits were granted, but ${explained} are accounted for`,
      );
    }
    const expected = own.freeCall === "used" ? 1 : 0;
    if (own.freeCalls !== expected) {
      faults.push(`${own.id}: ${own.freeCalls} free calls were made; ${expected} is right`);
    }
    if (own.keptBalance !== null && own.keptBalance !== own.remaining)
      faults.push(
        `${own.id}: its balance is kept as ${own.keptBalance}; its grants hold ${own.remaining}`,
      );
    if (own.keptPlans !== own.plans)
      faults.push(
        `${own.id}: ${own.keptPlans} lifetime grants are kept as in force; ${own.plans} are`,
      );
  }
  if (lost > 0) faults.push(`${lost} rows of usage belong to no account`);
  return { ok: faults.length === 0, accounts, totals, faults };
}
