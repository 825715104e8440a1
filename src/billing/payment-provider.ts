import type { Offer } from "./price-list.ts";

/**
 * Whoever takes the money: a port. Nothing that a provider tells us in passing is believed about a payment; it is asked
 * how the payment stands now (`look`), so neither the order nor the number of its messages matters.
 */
export type PaymentProvider = {
  /** `stripe`: the first part of the ids of the grants that are bought through it. */
  name: string;
  /** Opens a page at which the purchase can be paid. The same order again is the same page. */
  open(order: CheckoutOrder): Promise<{ session: string; url: string }>;
  /** How a payment stands now; null where the provider knows none by this name. */
  look(ref: PaymentRef): Promise<PaymentState | null>;
  /** What a message is about; null where that is nothing of ours. Throws `InvalidWebhook` where it is not the provider's. */
  readMessage(body: Uint8Array, signature: string | null): Promise<PaymentRef | null>;
  /**
   * The payments of ours that were begun since, oldest last, for the operator's comparison: at most 100, and fewer where
   * others have a share in the page. `after`: the `next` of the page before.
   */
  list(order: { since: number; after: string | null }): Promise<PaymentPage>;
};

export type CheckoutOrder = {
  purchase: string;
  account: string;
  offer: Offer;
  email: string;
  taxes: "none" | "automatic";
  /** Where the provider sends the buyer afterwards. */
  successUrl: string;
  cancelUrl: string;
  /** Until when the page can be paid at. */
  expiresAt: number;
};

/** `next`: the place from which the following page is asked for; null after the last one. */
export type PaymentPage = { payments: PaymentState[]; next: string | null };

export type PaymentRef = { session: string } | { payment: string };

export type PaymentState = {
  session: string;
  /** The purchase and the account as we told them to the provider; null where somebody else made the payment there. */
  purchase: string | null;
  account: string | null;
  /** The provider's name of the payment: the purchase's grant is named after it. Null before there is one. */
  payment: string | null;
  /** `pending`: a delayed method has been chosen, the money has not come. */
  status: "open" | "pending" | "paid" | "failed" | "expired";
  paidAt: number | null;
  /** In minor units of `currency`: what was paid, taxes included, and what was paid back. */
  paid: number;
  refunded: number;
  currency: string;
  /** `open` and `lost`: the money is not ours now. An inquiry that takes no money is `none`. */
  dispute: "none" | "open" | "won" | "lost";
  /** Pages of the provider's for the buyer: to pay at while it is open, and what was paid. */
  payUrl: string | null;
  receiptUrl: string | null;
  invoiceUrl: string | null;
  /** What was bought, as we told it to the provider: a purchase whose row was lost is made again from it. */
  bought: Pick<Offer, "id" | "kind" | "name" | "credits" | "months" | "price"> | null;
};

/** The message does not come from the provider, or is too old to believe. */
export class InvalidWebhook extends Error {
  /** It is the provider's, but too old. */
  readonly isLate: boolean;
  constructor(message: string, { isLate = false }: { isLate?: boolean } = {}) {
    super(message);
    this.isLate = isLate;
  }
}

/** The provider cannot be asked just now, or does not answer in time: nothing is known, and asking again is right. */
export class ProviderUnavailable extends Error {}

/**
 * The provider takes orders, but not this one: a wrong key, a right that the key has not, a setting of the operator's
 * account there. Asking again does not help; the message is for the operator and says what to do.
 */
export class ProviderRejected extends Error {}
