import type { Offer } from "./price-list.ts";

/**
 * A payment provider: the port. We never trust what a webhook says about a payment. It only tells us which payment to fetch
 * (`fetchPayment`), so neither the order nor the number of webhooks matters.
 */
export type PaymentProvider = {
  /** `stripe`: the prefix of the ids of grants that are bought through it. */
  name: string;
  /** Opens a checkout page for the purchase. The same order again returns the same page. */
  open(order: CheckoutOrder): Promise<{ session: string; url: string }>;
  /** Returns the current state of a payment; null where the provider does not know it. */
  fetchPayment(ref: PaymentRef): Promise<PaymentState | null>;
  /**
   * Returns the payment that a webhook is about; null where it is about none of ours. Throws `InvalidWebhook` where the
   * signature is wrong or too old.
   */
  readWebhook(body: Uint8Array, signature: string | null): Promise<PaymentRef | null>;
  /**
   * One page of our payments that were begun at or after `since`, newest first: at most 100, fewer where other services
   * share the account. `after`: the `next` of the page before.
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
  /** When the page closes, in milliseconds since 1970 UTC. */
  expiresAt: number;
};

/** `next`: the cursor of the following page; null after the last one. */
export type PaymentPage = { payments: PaymentState[]; next: string | null };

export type PaymentRef = { session: string } | { payment: string };

export type PaymentState = {
  session: string;
  /** The purchase and the account that we gave the provider; null where another service made the payment. */
  purchase: string | null;
  account: string | null;
  /** The provider's id of the payment, from which the grant's id is made; null before there is a payment. */
  payment: string | null;
  /** `pending`: the buyer chose a delayed payment method, and the money has not arrived. */
  status: "open" | "pending" | "paid" | "failed" | "expired";
  paidAt: number | null;
  /** In minor units of `currency`: the amount paid, taxes included, and the amount refunded. */
  paid: number;
  refunded: number;
  currency: string;
  /** While it is `open` or `lost`, we do not have the money. An inquiry that withholds no money counts as `none`. */
  dispute: "none" | "open" | "won" | "lost";
  /** The provider's pages for the buyer: the checkout while it is open, then the receipt and the invoice. */
  payUrl: string | null;
  receiptUrl: string | null;
  invoiceUrl: string | null;
  /** What was bought, as we told the provider: a lost row is rebuilt from it. */
  bought: Pick<Offer, "id" | "kind" | "name" | "credits" | "months" | "price"> | null;
};

/** The webhook is not signed by the provider, or its signature is too old to accept. */
export class InvalidWebhook extends Error {
  /** Whether it is correctly signed, but too old. */
  readonly isLate: boolean;
  constructor(message: string, { isLate = false }: { isLate?: boolean } = {}) {
    super(message);
    this.isLate = isLate;
  }
}

/** The provider cannot be reached or did not respond in time: the outcome is unknown, and the caller can repeat the order. */
export class ProviderUnavailable extends Error {}

/**
 * The provider works but rejected this order: a wrong key, a missing permission, a setting of the operator's account.
 * Repeating does not help. The message is for the operator and says what to do.
 */
export class ProviderRejected extends Error {}
