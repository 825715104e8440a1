import { type Billing, createBilling } from "#billing/billing.ts";
import type { PaymentProvider } from "#billing/payment-provider.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { StripeSettings } from "#config/read-settings.ts";
import { type RandomBytes, randomBase62 } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { paymentMarks } from "../node/payment-marks.ts";

type Wiring = {
  config: {
    prices: PriceList | null;
    stripe: StripeSettings | null;
    secrets: readonly string[];
  };
  purchases: PurchaseStore;
  ledger: Ledger;
  now: () => number;
  random: RandomBytes;
};

/** Creates billing on Cloudflare; null without a payment provider. */
export function openEdgeBilling({
  config,
  purchases,
  ledger,
  now,
  random,
}: Wiring): Billing | null {
  const { prices, stripe, secrets } = config;
  if (prices === null || stripe === null) return null;
  const newId = (prefix: string) => `${prefix}_${randomBase62(24, random)}`;
  const provider = lateStripe(stripe, secrets, now);
  return createBilling({ provider, purchases, ledger, prices, now, newId });
}

/** Loads Stripe's package with the first request that needs it, so that pages do not pay for it. */
function lateStripe(
  stripe: StripeSettings,
  secrets: readonly string[],
  now: () => number,
): PaymentProvider {
  let made: PaymentProvider | undefined;
  // Each request has its own promise, because one request may not wait for another's.
  async function provider(): Promise<PaymentProvider> {
    const { createStripeProvider } = await import("#billing/stripe.ts");
    const services = paymentMarks(secrets);
    made ??= createStripeProvider({ ...stripe, services, fetchClient: true, now });
    return made;
  }
  return {
    name: "stripe",
    open: async (order) => (await provider()).open(order),
    fetchPayment: async (ref) => (await provider()).fetchPayment(ref),
    readWebhook: async (body, signature) => (await provider()).readWebhook(body, signature),
    list: async (order) => (await provider()).list(order),
  };
}
