import type { Ledger } from "#ledger/port.ts";
import { type BeginOrder, type BeginOutcome, beginPurchase } from "./begin-purchase.ts";
import { type Comparison, comparePayments } from "./compare-payments.ts";
import { everyPayment } from "./every-payment.ts";
import type { PaymentProvider } from "./payment-provider.ts";
import type { PriceList } from "./price-list.ts";
import type { PurchaseStore } from "./purchase-store.ts";
import { type SettleOutcome, type SettleRef, settlePurchase } from "./settle-purchase.ts";

/** What selling needs. */
export type BillingDeps = {
  provider: PaymentProvider;
  purchases: PurchaseStore;
  ledger: Pick<Ledger, "findAccount" | "grant" | "clawback">;
  prices: PriceList;
  now: () => number;
  /** An id that never repeats, with the prefix: `pur_…`. */
  newId: (prefix: string) => string;
};

/**
 * The billing room's door. Whatever is thrown: `ProviderUnavailable`, `NotCarriedOut` and unknown faults of a store mean that
 * nothing is lost, and that the same again is right; `ProviderRejected` is the operator's to mend.
 */
export type Billing = {
  /** Opens a purchase, and the provider's page at which it is paid. */
  begin(order: BeginOrder): Promise<BeginOutcome>;
  /** Asks the provider how a payment stands, and makes ledger and purchase so. */
  settle(ref: SettleRef): Promise<SettleOutcome>;
  /**
   * A message of the provider's, as it came: `ignored` where it is about nothing of ours. Throws `InvalidWebhook` where it
   * is not the provider's or too old.
   */
  receive(
    body: Uint8Array,
    signature: string | null,
  ): Promise<SettleOutcome | { outcome: "ignored" }>;
  /** Payments since that the provider tells of, page by page. */
  listPayments: PaymentProvider["list"];
  /** Every payment since, at the provider and in the book, settled and compared with the ledger. */
  compare(order: { since: number }): Promise<Comparison>;
};

export function createBilling(deps: BillingDeps): Billing {
  const { provider, purchases } = deps;
  const settle = (ref: SettleRef) => settlePurchase(deps, ref);
  const listPayments: Billing["listPayments"] = (order) => provider.list(order);
  const payments = ({ since }: { since: number }) => everyPayment(listPayments, since);
  return {
    ...{ settle, listPayments },
    begin: (order) => beginPurchase(deps, order),
    async receive(body, signature) {
      const ref = await provider.readMessage(body, signature);
      return ref === null ? { outcome: "ignored" } : settle(ref);
    },
    compare: (order) => comparePayments({ payments, settle, listAll: purchases.listAll }, order),
  };
}
