import { HOUR_MS } from "#limits.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { ProviderRejected } from "./payment-provider.ts";
import { type Offer, offersOf } from "./price-list.ts";
import { newPurchase, type Purchase } from "./purchase-store.ts";
import { settlePurchase } from "./settle-purchase.ts";

export type BeginOrder = {
  account: string;
  /** Prefilled on the checkout page; the provider sends receipts there. */
  email: string;
  /** Id of an offer in the price list: a pack's id, or `lifetime`. */
  offer: string;
  /** Returns where the provider sends the buyer afterwards, given the purchase's id. */
  urlsOf: (purchase: string) => { successUrl: string; cancelUrl: string };
};

export type BeginOutcome =
  | { outcome: "begun"; purchase: Purchase; url: string }
  | { outcome: "no_such_offer" | "no_account" | "account_suspended" }
  /** An account can buy the plan once. `lifetime_pending`: a delayed payment for it has not arrived yet. */
  | { outcome: "already_lifetime" | "lifetime_pending" }
  /** The account began too many purchases within the last hour; `retryAfterMs` is at least 1. */
  | { outcome: "too_many"; retryAfterMs: number };

/** Purchases that an account may begin within an hour: a user who compares packs needs fewer. */
export const PURCHASES_PER_HOUR_MAX = 10;
/** The same limit, including attempts for which the checkout page could not be opened. */
export const TRIES_PER_HOUR_MAX = 30;
/** How long a checkout page stays open. Stripe allows 30 minutes to 24 hours. */
export const PAGE_OPEN_MS = 2 * HOUR_MS;

/**
 * Begins a purchase. The row is written before the provider's page is opened, so a payment always has a row. Every call
 * makes a new purchase, except for the lifetime plan while its page is open. Unpaid purchases expire.
 */
export async function beginPurchase(deps: BillingDeps, order: BeginOrder): Promise<BeginOutcome> {
  const offer = offersOf(deps.prices).find(({ id }) => id === order.offer);
  if (offer === undefined) return { outcome: "no_such_offer" };
  const { account } = order;
  const now = deps.now();
  const accountState = await deps.ledger.findAccount({ account, now });
  if (accountState === null || accountState.state === "closed") return { outcome: "no_account" };
  if (accountState.state === "suspended") return { outcome: "account_suspended" };
  if (offer.kind === "lifetime") {
    if (accountState.lifetime) return { outcome: "already_lifetime" };
    const begun = await findBegunLifetime(deps, account, now);
    if (begun !== null) return begun;
  }
  const retryAfterMs = await rateLimitWaitMs(deps, account, now);
  if (retryAfterMs > 0) return { outcome: "too_many", retryAfterMs };
  return openCheckout(deps, order, newPurchase(deps.newId("pur"), account, offer, now), offer);
}

async function openCheckout(
  { provider, purchases, prices }: BillingDeps,
  order: BeginOrder,
  purchase: Purchase,
  offer: Offer,
): Promise<BeginOutcome> {
  const { id, account, createdAt, updatedAt: seen } = purchase;
  const updatedAt = seen + 1;
  await purchases.add(purchase);
  let page: { session: string; url: string };
  try {
    page = await provider.open({
      purchase: id,
      account,
      offer,
      email: order.email,
      taxes: prices.taxes,
      ...order.urlsOf(id),
      expiresAt: createdAt + PAGE_OPEN_MS,
    });
  } catch (error) {
    // The provider opened no page, and the same order would be rejected again.
    if (error instanceof ProviderRejected) {
      await purchases.update({ purchase: { ...purchase, status: "expired", updatedAt }, seen });
    }
    throw error;
  }
  const opened = { ...purchase, session: page.session, payUrl: page.url, updatedAt };
  // This changes nothing where the buyer has already paid: the webhook came first and wrote the session.
  await purchases.update({ purchase: opened, seen });
  return { outcome: "begun", purchase: opened, url: page.url };
}

/**
 * Finds out whether the account has already begun to buy the plan; null where it may begin now. The provider is asked only
 * where the row cannot answer, and the answer is stored: repeating this does not cost the provider a request each time.
 */
async function findBegunLifetime(
  deps: BillingDeps,
  account: string,
  now: number,
): Promise<BeginOutcome | null> {
  const isPageClosed = ({ createdAt }: Purchase) => now >= createdAt + PAGE_OPEN_MS;
  for (const found of await deps.purchases.listUnsettled({ account, kind: "lifetime" })) {
    let purchase = found;
    if (found.status === "paid" || (found.status === "open" && isPageClosed(found))) {
      const settled = await settlePurchase(deps, { purchase: found.id });
      if (settled.outcome === "settled") purchase = settled.purchase;
    }
    const { status, payUrl } = purchase;
    if (status === "pending") return { outcome: "lifetime_pending" };
    if (status === "open" && payUrl !== null && !isPageClosed(purchase)) {
      return { outcome: "begun", purchase, url: payUrl };
    }
  }
  const accountState = await deps.ledger.findAccount({ account, now });
  return accountState?.lifetime ? { outcome: "already_lifetime" } : null;
}

/** How long the account must wait before it may begin another purchase, in milliseconds; 0: it may begin now. */
async function rateLimitWaitMs(
  { purchases }: BillingDeps,
  account: string,
  now: number,
): Promise<number> {
  const newest = await purchases.list({ account, after: null, max: TRIES_PER_HOUR_MAX });
  const opened = newest.filter(({ session }) => session !== null);
  const oldest = [newest[TRIES_PER_HOUR_MAX - 1], opened[PURCHASES_PER_HOUR_MAX - 1]];
  return Math.max(
    0,
    ...oldest.map((row) => (row === undefined ? 0 : row.createdAt + HOUR_MS - now)),
  );
}
