import { type Billing, createBilling } from "#billing/billing.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { StripeSettings } from "#config/read-settings.ts";
import type { Ledger } from "#ledger/port.ts";
import { paymentMarks } from "./payment-marks.ts";

/** Selling on Node: by the people's thread, and by the command line. Stripe's package is loaded where it is used. */
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
