import type { RecordOf } from "#ledger/transfer/records.ts";
import type { PaymentState } from "./payment-provider.ts";
import type { Offer } from "./price-list.ts";

/**
 * A stored purchase. Purchases count money and the ledger counts credits: a purchase names its grant in the ledger, and is
 * settled when the grant matches the state of the payment.
 */
export type Purchase = {
  id: string;
  account: string;
  createdAt: number;
  /** The offer at the time of the purchase: the price list may have changed since. */
  offer: Pick<Offer, "id" | "kind" | "name" | "credits" | "months">;
  /** Minor units of `currency`, taxes not included. */
  price: number;
  currency: string;
  session: string | null;
  payment: string | null;
  status: PaymentState["status"];
  paidAt: number | null;
  paid: number;
  refunded: number;
  /** When we first saw a refund or a dispute: usually within seconds, later where webhooks were missed. */
  refundedAt: number | null;
  dispute: PaymentState["dispute"];
  /** The checkout page, while the purchase is open. */
  payUrl: string | null;
  receiptUrl: string | null;
  invoiceUrl: string | null;
  /** The grant in the ledger; null before the purchase is paid, or where the grant failed (`trouble`). */
  grant: string | null;
  /** Refunded credits: those that were clawed back, and those that were already spent. */
  voided: number;
  spent: number;
  /** Why paid credits could not be granted, for the operator; null normally. */
  trouble: "account_closed" | "no_account" | null;
  updatedAt: number;
};

/** Stores purchases: the port. Stores implement it over the dashboard's database. */
export type PurchaseStore = {
  /** Adds a purchase; an id that is already stored changes nothing. */
  add(purchase: Purchase): Promise<{ added: boolean }>;
  /** Replaces the purchase, unless it was written since `seen` (its `updatedAt` when it was read). */
  update(order: { purchase: Purchase; seen: number }): Promise<{ updated: boolean }>;
  find(order: { id: string } | { session: string } | { payment: string }): Promise<Purchase | null>;
  /** An account's purchases, newest first, at most `max`; `after`: the last id of the page before. */
  list(order: { account: string; after: string | null; max: number }): Promise<Purchase[]>;
  /**
   * An account's purchases of a kind that have a checkout page and may still be granted, newest first: open, pending, or
   * paid without a grant.
   */
  listUnsettled(order: { account: string; kind: Purchase["offer"]["kind"] }): Promise<Purchase[]>;
  /** The purchases of all accounts by (createdAt, id), at most `max`, after the given one: for operators. */
  listAll(order: {
    after: { createdAt: number; id: string } | null;
    max: number;
  }): Promise<Purchase[]>;
  /** Money received and refunded by UTC day and currency, `from <= time < to`. */
  revenue(order: { from: number; to: number }): Promise<RevenueRow[]>;
};

/**
 * `day`: its midnight UTC. `refunds` counts purchases by the day on which we first saw a refund or dispute; `refunded` is the
 * sum that has gone back for them until now. An open or lost dispute counts with the whole amount.
 */
export type RevenueRow = {
  day: number;
  currency: string;
  purchases: number;
  paid: number;
  refunds: number;
  refunded: number;
};

/** Returns a purchase that has not been paid yet. */
export function newPurchase(
  id: string,
  account: string,
  offer: Offer,
  createdAt: number,
): Purchase {
  const { kind, name, credits, months, price, currency } = offer;
  return {
    id,
    account,
    createdAt,
    offer: { id: offer.id, kind, name, credits, months },
    price,
    currency,
    session: null,
    payment: null,
    status: "open",
    paidAt: null,
    paid: 0,
    refunded: 0,
    refundedAt: null,
    dispute: "none",
    payUrl: null,
    receiptUrl: null,
    invoiceUrl: null,
    grant: null,
    voided: 0,
    spent: 0,
    trouble: null,
    updatedAt: createdAt,
  };
}

/** Returns the purchase that a record of an export describes. */
export function recordToPurchase(exported: RecordOf<"purchase">): Purchase {
  const { record: _, offer: id, kind, name, credits, months, ...purchase } = exported;
  return { ...purchase, offer: { id, kind, name, credits, months } };
}
