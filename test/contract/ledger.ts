/**
 * The specification of the ledger in sentences, which every store must hold. A rule opens an empty ledger of its own, and after
 * each the totals must reconcile. Random orders are tested in `ledger-model.ts`.
 */
import { describe } from "node:test";
import { describeAccounts } from "./ledger/accounts.ts";
import { describeBalanceEvents } from "./ledger/balance-events.ts";
import { describeClawback } from "./ledger/clawback.ts";
import { describeConcurrency } from "./ledger/concurrency.ts";
import { describeConcurrentHolds } from "./ledger/concurrent-holds.ts";
import { describeDebits } from "./ledger/debits.ts";
import { describeDurability } from "./ledger/durability.ts";
import { describeEntries } from "./ledger/entries.ts";
import { describeEvents } from "./ledger/events.ts";
import { describeExpiries } from "./ledger/expiries.ts";
import type { OpenLedger } from "./ledger/fixture.ts";
import { describeGrants } from "./ledger/grants.ts";
import { describeHolds } from "./ledger/holds.ts";
import { describeIdempotency } from "./ledger/idempotency.ts";
import { describeKeyLimits } from "./ledger/key-limits.ts";
import { describeKeys } from "./ledger/keys.ts";
import { describeLifetime } from "./ledger/lifetime.ts";
import { describeMaintenance } from "./ledger/maintenance.ts";
import { describeOwnPrices } from "./ledger/own-prices.ts";
import { describePartialReversals } from "./ledger/partial-reversals.ts";
import { describePrices } from "./ledger/prices.ts";
import { describeReversals } from "./ledger/reversals.ts";
import { describeTotals } from "./ledger/totals.ts";
import { describeUsage } from "./ledger/usage.ts";

const PARTS: Readonly<Record<string, (open: OpenLedger) => void>> = {
  accounts: describeAccounts,
  keys: describeKeys,
  "limits of keys": describeKeyLimits,
  grants: describeGrants,
  "the lifetime plan": describeLifetime,
  clawbacks: describeClawback,
  debits: describeDebits,
  prices: describePrices,
  "prices of accounts": describeOwnPrices,
  idempotency: describeIdempotency,
  holds: describeHolds,
  "concurrent holds": describeConcurrentHolds,
  reversals: describeReversals,
  "reversals of several grants": describePartialReversals,
  events: describeEvents,
  "events about the balance": describeBalanceEvents,
  "events about expiring grants": describeExpiries,
  usage: describeUsage,
  entries: describeEntries,
  maintenance: describeMaintenance,
  totals: describeTotals,
  concurrency: describeConcurrency,
};

/** `only`: the parts that an adapter of a store can break; by default all. */
export function ledgerContract(
  name: string,
  open: OpenLedger,
  only: readonly string[] = Object.keys(PARTS),
): void {
  describe(`the ledger, ${name}`, () => {
    for (const part of only) describe(part, () => PARTS[part]?.(open));
  });
}

/** What a store adds that outlives its process. */
export function ledgerDurability(name: string, open: OpenLedger): void {
  describe(`the ledger, ${name}, opened again`, () => describeDurability(open));
}
