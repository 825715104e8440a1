import type { PaymentState } from "./payment-provider.ts";

/**
 * Purchases as they are kept: a port; stores implement it over the people's database. Money is counted here, credits in
 * the ledger: a purchase names its grants there, and is settled when those are as its payment stands.
 */
export type Purchase = {
  id: string;
  account: string;
  createdAt: number;
  /** As it was offered then: the price list may have changed since. */
  offer: {
    id: string;
    kind: "pack" | "lifetime";
    name: string;
    credits: number;
    months: number | null;
  };
  /** Minor units of `currency`, taxes not included. */
  price: number;
  currency: string;
  session: string | null;
  payment: string | null;
  status: PaymentState["status"];
  paidAt: number | null;
  paid: number;
  refunded: number;
  /** When we first saw that money was paid back or disputed: mostly within seconds, after missed messages later. */
  refundedAt: number | null;
  dispute: PaymentState["dispute"];
  /** Where it can be paid while it is open. */
  payUrl: string | null;
  receiptUrl: string | null;
  invoiceUrl: string | null;
  /** The grant in the ledger; null before it is paid, or where it could not be made (`trouble`). */
  grant: string | null;
  /** Of credits whose price was paid back: taken back, and spent already. */
  voided: number;
  spent: number;
  /** Why paid credits could not be granted, for the operator; null mostly. */
  trouble: "account_closed" | "no_account" | null;
  updatedAt: number;
};

export type PurchaseStore = {
  /** Kept once; again it is the first one. */
  add(purchase: Purchase): Promise<{ added: boolean }>;
  /** Writes the purchase as it is now, unless somebody has written it since `seen` (its `updatedAt`). */
  update(order: { purchase: Purchase; seen: number }): Promise<{ updated: boolean }>;
  find(order: { id: string } | { session: string } | { payment: string }): Promise<Purchase | null>;
  /** An account's, newest first, at most `max`; `after`: the id of the last one of the page before. */
  list(order: { account: string; after: string | null; max: number }): Promise<Purchase[]>;
  /**
   * An account's of a kind that have a page and may yet come to be granted, newest first: open or pending, or paid with
   * nothing granted.
   */
  listUnsettled(order: { account: string; kind: Purchase["offer"]["kind"] }): Promise<Purchase[]>;
  /** Every account's by (createdAt, id), at most `max`, after the given one: for operators. */
  listAll(order: {
    after: { createdAt: number; id: string } | null;
    max: number;
  }): Promise<Purchase[]>;
  /** What came in and was paid back by UTC day and currency, `from <= time < to`. */
  revenue(order: { from: number; to: number }): Promise<RevenueRow[]>;
};

/**
 * `day`: its midnight UTC. `refunds`: purchases by the day on which money was first seen to be paid back or disputed, and all that has
 * gone back of them by now; of a dispute that is open or lost that is the whole.
 */
export type RevenueRow = {
  day: number;
  currency: string;
  purchases: number;
  paid: number;
  refunds: number;
  refunded: number;
};
