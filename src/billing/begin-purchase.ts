import { HOUR_MS } from "#limits.ts";
import type { BillingDeps } from "./billing.ts";
import { newPurchase } from "./new-purchase.ts";
import { ProviderRejected } from "./payment-provider.ts";
import type { Offer } from "./price-list.ts";
import type { Purchase } from "./purchase-store.ts";
import { settlePurchase } from "./settle-purchase.ts";

export type BeginOrder = {
  account: string;
  /** Filled in on the provider's page; receipts go there. */
  email: string;
  /** Of the price list: a pack's id, or `lifetime`. */
  offer: string;
  /** Where the provider sends the buyer afterwards, given the purchase's id. */
  urlsOf: (purchase: string) => { successUrl: string; cancelUrl: string };
};

export type BeginOutcome =
  | { outcome: "begun"; purchase: Purchase; url: string }
  | { outcome: "no_such_offer" | "no_account" | "account_suspended" }
  /** The plan is sold once to an account; `lifetime_pending`: its money is on the way. */
  | { outcome: "already_lifetime" | "lifetime_pending" }
  /** Many were begun within the last hour; `retryAfterMs` is at least 1. */
  | { outcome: "too_many"; retryAfterMs: number };

/** Purchases that an account may begin within an hour: a person who compares packs needs fewer. */
export const PURCHASES_PER_HOUR_MAX = 10;
/** With those whose page could not be opened. */
export const TRIES_PER_HOUR_MAX = 30;
/** How long a page can be paid at. Stripe takes from 30 minutes to 24 hours. */
export const PAGE_OPEN_MS = 2 * HOUR_MS;

/**
 * The row first, then the provider's page: whoever pays, pays for a purchase that is written down. Each is a new purchase,
 * but for the lifetime plan while its page is open; those that are not paid expire.
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
    const begun = await lifetimeOf(deps, account, now);
    if (begun !== null) return begun;
  }
  const retryAfterMs = await pauseOf(deps, account, now);
  if (retryAfterMs > 0) return { outcome: "too_many", retryAfterMs };
  return open(deps, order, newPurchase(deps.newId("pur"), account, offer, now), offer);
}

async function open(
  { provider, purchases, prices }: BillingDeps,
  order: BeginOrder,
  purchase: Purchase,
  offer: Offer,
): Promise<BeginOutcome> {
  const { id, account, createdAt, updatedAt: seen } = purchase;
  const updatedAt = seen + 1;
  await purchases.add(purchase);
  const asked = provider.open({
    ...{ purchase: id, account, offer, email: order.email, taxes: prices.taxes },
    ...order.urlsOf(id),
    expiresAt: createdAt + PAGE_OPEN_MS,
  });
  const page = await asked.catch(async (error: unknown) => {
    // There is no page, and there will be none.
    if (error instanceof ProviderRejected) {
      await purchases.update({ purchase: { ...purchase, status: "expired", updatedAt }, seen });
    }
    throw error;
  });
  const opened = { ...purchase, session: page.session, payUrl: page.url, updatedAt };
  // Where somebody has paid already, their message was first and has written the session.
  await purchases.update({ purchase: opened, seen });
  return { outcome: "begun", purchase: opened, url: page.url };
}

export const offersOf = ({ packs, lifetime }: BillingDeps["prices"]): readonly Offer[] =>
  lifetime === null ? packs : [...packs, lifetime];

/**
 * Whether the plan was begun before; null where it may be begun. Only what cannot be told from the book is looked at, and is
 * settled by that: so asking often costs the provider nothing.
 */
async function lifetimeOf(
  deps: BillingDeps,
  account: string,
  now: number,
): Promise<BeginOutcome | null> {
  const isOver = ({ createdAt }: Purchase) => now >= createdAt + PAGE_OPEN_MS;
  for (const found of await deps.purchases.listUnsettled({ account, kind: "lifetime" })) {
    let purchase = found;
    if (found.status === "paid" || (found.status === "open" && isOver(found))) {
      const settled = await settlePurchase(deps, { purchase: found.id });
      if (settled.outcome === "settled") purchase = settled.purchase;
    }
    const { status, payUrl } = purchase;
    if (status === "pending") return { outcome: "lifetime_pending" };
    if (status === "open" && payUrl !== null && !isOver(purchase)) {
      return { outcome: "begun", purchase, url: payUrl };
    }
  }
  const accountState = await deps.ledger.findAccount({ account, now });
  return accountState?.lifetime ? { outcome: "already_lifetime" } : null;
}

/** How long an account has to wait until it may begin another purchase. */
async function pauseOf({ purchases }: BillingDeps, account: string, now: number): Promise<number> {
  const newest = await purchases.list({ account, after: null, max: TRIES_PER_HOUR_MAX });
  const opened = newest.filter(({ session }) => session !== null);
  const oldest = [newest[TRIES_PER_HOUR_MAX - 1], opened[PURCHASES_PER_HOUR_MAX - 1]];
  return Math.max(
    0,
    ...oldest.map((row) => (row === undefined ? 0 : row.createdAt + HOUR_MS - now)),
  );
}
