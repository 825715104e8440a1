import { type Billing, createBilling } from "#billing/billing.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { StripeSettings } from "#config/read-settings.ts";
import type { Ledger } from "#ledger/port.ts";
import { paymentMarks } from "./payment-marks.ts";

/** Opens billing for the dashboard thread and the command line. Loads Stripe's package only if payments are configured. */
export async function openBilling({
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
}): Promise<Billing> {
  const { createStripeProvider } = await import("#billing/stripe.ts");
  const { now } = rest;
  const services = paymentMarks(secrets);
  return createBilling({ provider: createStripeProvider({ ...stripe, services, now }), ...rest });
}
