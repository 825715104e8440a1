import { keyedHex } from "#accounts/keyed-hash.ts";
import { type Billing, createBilling } from "#billing/billing.ts";
import type { PaymentProvider } from "#billing/payment-provider.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { StripeSettings } from "#config/read-settings.ts";
import { type RandomBytes, randomBase62 } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";

/** Opens billing over Stripe. */
export function openBilling({
  stripe,
  secrets,
  random,
  fetchClient,
  ...rest
}: {
  stripe: StripeSettings;
  secrets: readonly string[];
  prices: PriceList;
  purchases: PurchaseStore;
  ledger: Ledger;
  now(): number;
  random: RandomBytes;
  /** Whether requests are sent with `fetch`, as Workers must. */
  fetchClient: boolean;
}): Billing {
  const { now } = rest;
  let made: PaymentProvider | undefined;
  // Stripe's package is 700 kB of code, so the first payment loads it. Each request has its own promise, because in a Worker one may not
  // wait for another's.
  async function provider(): Promise<PaymentProvider> {
    const { createStripeProvider } = await import("#billing/stripe.ts");
    made ??= createStripeProvider({ ...stripe, services: paymentMarks(secrets), fetchClient, now });
    return made;
  }
  return createBilling({
    ...rest,
    newId: (prefix) => `${prefix}_${randomBase62(24, random)}`,
    provider: {
      name: "stripe",
      open: async (order) => (await provider()).open(order),
      fetchPayment: async (ref) => (await provider()).fetchPayment(ref),
      readWebhook: async (body, signature) => (await provider()).readWebhook(body, signature),
      list: async (order) => (await provider()).list(order),
    },
  });
}

const MARK_CHARS = 16;

/**
 * Returns the marks that identify this service's payments when several services (staging, production) share one account at
 * the payment provider. A mark is derived from a secret without revealing it, so every process with that secret agrees.
 */
function paymentMarks(secrets: readonly string[]): readonly [string, ...string[]] {
  const [newest, ...older] = secrets.map((secret) =>
    keyedHex(secret, "toolbooth payments").slice(0, MARK_CHARS),
  );
  if (newest === undefined) throw new RangeError("A service needs at least one secret");
  return [newest, ...older];
}
