import { type BeginOrder, type BeginOutcome, beginPurchase } from "./begin-purchase.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { type Comparison, comparePayments } from "./compare-payments.ts";
import { listAllPayments, type PaymentProvider } from "./payment-provider.ts";
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
  /** One page of the payments that the provider knows. */
  listPayments: PaymentProvider["list"];
  /** Settles every payment begun at or after `since`, known to the provider or to us, and reports the differences. */
  compare(order: { since: number }): Promise<Comparison>;
};

export function createBilling(deps: BillingDeps): Billing {
  const { provider, purchases } = deps;
  const settle = (ref: SettleRef) => settlePurchase(deps, ref);
  const listPayments: Billing["listPayments"] = (order) => provider.list(order);
  return {
    begin: (order) => beginPurchase(deps, order),
    settle,
    async receive(body, signature) {
      const ref = await provider.readWebhook(body, signature);
      return ref === null ? { outcome: "ignored" } : settle(ref);
    },
    listPayments,
    compare: (order) =>
      comparePayments(
        {
          payments: ({ since }) => listAllPayments(listPayments, since),
          listAll: purchases.listAll,
          settle,
        },
        order,
      ),
  };
}
