import { type BeginOrder, type BeginOutcome, beginPurchase } from "./begin-purchase.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { type Comparison, comparePayments } from "./compare-payments.ts";
import { type SettleOutcome, type SettleRef, settlePurchase } from "./settle-purchase.ts";

/**
 * Sells credits: the entry point of `src/billing`.
 *
 * After `ProviderUnavailable`, `NotCarriedOut` or an unexpected store error nothing is lost, and the caller can repeat the
 * same order. `ProviderRejected` needs the operator: repeating does not help.
 */
export type Billing = {
  /** Opens a purchase and the provider's checkout page where it is paid. */
  begin(order: BeginOrder): Promise<BeginOutcome>;
  /** Asks the provider for the state of a payment, and updates ledger and purchase to match. */
  settle(ref: SettleRef): Promise<SettleOutcome>;
  /**
   * Handles a webhook of the provider, given its raw body and signature. Returns `ignored` where it does not concern a
   * purchase. Throws `InvalidWebhook` where the signature is wrong or too old.
   */
  receive(
    body: Uint8Array,
    signature: string | null,
  ): Promise<SettleOutcome | { outcome: "ignored" }>;
  /**
   * Settles the next payments begun at or after `since`, known to the provider or to us, and reports the differences. `after`: the
   * `next` of the comparison before.
   */
  compare(order: { since: number; after?: string | null }): Promise<Comparison>;
};

export function createBilling(deps: BillingDeps): Billing {
  const { provider, purchases } = deps;
  const settle = (ref: SettleRef) => settlePurchase(deps, ref);
  return {
    begin: (order) => beginPurchase(deps, order),
    settle,
    async receive(body, signature) {
      const ref = await provider.readWebhook(body, signature);
      return ref === null ? { outcome: "ignored" } : settle(ref);
    },
    compare: ({ since, after = null }) =>
      comparePayments(
        { purchases, settle, listPayments: (order) => provider.list(order) },
        { since, after },
      ),
  };
}
