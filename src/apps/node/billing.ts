import { type Billing, createBilling } from "#billing/billing.ts";
import type { PaymentProvider } from "#billing/payment-provider.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { StripeSettings } from "#config/read-settings.ts";
import type { Ledger } from "#ledger/port.ts";
import { paymentMarks } from "./payment-marks.ts";

/**
 * Opens billing for the dashboard thread and the command line. Stripe's package is loaded by the first payment, because it is
 * 700 kB of code.
 */
export function openBilling({
  stripe,
  secrets,
  ...rest
}: {
  stripe: StripeSettings;
  secrets: readonly string[];
  prices: PriceList;
  purchases: PurchaseStore;
  ledger: Ledger;
  now: () => number;
  newId: (prefix: string) => string;
}): Billing {
  const { now } = rest;
  const services = paymentMarks(secrets);
  let loading: Promise<PaymentProvider> | undefined;
  const load = () => {
    loading ??= import("#billing/stripe.ts").then(({ createStripeProvider }) =>
      createStripeProvider({ ...stripe, services, now }),
    );
    return loading;
  };
  const provider: PaymentProvider = {
    name: "stripe",
    open: async (order) => (await load()).open(order),
    fetchPayment: async (ref) => (await load()).fetchPayment(ref),
    readWebhook: async (body, signature) => (await load()).readWebhook(body, signature),
    list: async (order) => (await load()).list(order),
  };
  return createBilling({ provider, ...rest });
}
