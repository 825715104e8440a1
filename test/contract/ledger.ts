/**
 * The specification of the ledger in sentences, to be held by every store. A rule opens an empty ledger
 * of its own, and after each the totals must reconcile. Random orders are tested in `ledger-model.ts`.
 */
import { describe } from "node:test";
import { describeAccounts } from "./ledger/accounts.ts";
import { describeBalanceEvents } from "./ledger/balance-events.ts";
import { describeClawback } from "./ledger/clawback.ts";
import { describeConcurrency } from "./ledger/concurrency.ts";
import { describeDebits } from "./ledger/debits.ts";
import { describeDurability } from "./ledger/durability.ts";
import { describeEntries } from "./ledger/entries.ts";
import { describeEvents } from "./ledger/events.ts";
import { describeExpiries } from "./ledger/expiries.ts";
import type { OpenLedger } from "./ledger/fixture.ts";
import { describeGrants } from "./ledger/grants.ts";
import { describeIdempotency } from "./ledger/idempotency.ts";
import { describeKeys } from "./ledger/keys.ts";
import { describeLifetime } from "./ledger/lifetime.ts";
import { describeMaintenance } from "./ledger/maintenance.ts";
import { describePartialReversals } from "./ledger/partial-reversals.ts";
import { describePrices } from "./ledger/prices.ts";
import { describeReversals } from "./ledger/reversals.ts";
import { describeTotals } from "./ledger/totals.ts";
import { describeUsage } from "./ledger/usage.ts";

export function ledgerContract(name: string, open: OpenLedger): void {
  describe(`the ledger, ${name}`, () => {
    describe("accounts", () => describeAccounts(open));
    describe("keys", () => describeKeys(open));
    describe("grants", () => describeGrants(open));
    describe("the lifetime plan", () => describeLifetime(open));
    describe("clawbacks", () => describeClawback(open));
    describe("debits", () => describeDebits(open));
    describe("prices", () => describePrices(open));
    describe("idempotency", () => describeIdempotency(open));
    describe("reversals", () => describeReversals(open));
    describe("reversals of several grants", () => describePartialReversals(open));
    describe("events", () => describeEvents(open));
    describe("events about the balance", () => describeBalanceEvents(open));
    describe("events about expiring grants", () => describeExpiries(open));
    describe("usage", () => describeUsage(open));
    describe("entries", () => describeEntries(open));
    describe("maintenance", () => describeMaintenance(open));
    describe("totals", () => describeTotals(open));
    describe("concurrency", () => describeConcurrency(open));
  });
}

/** What a store adds that outlives its process. */
export function ledgerDurability(name: string, open: OpenLedger): void {
  describe(`the ledger, ${name}, opened again`, () => describeDurability(open));
}
