import type { Offer } from "./price-list.ts";
import type { Purchase } from "./purchase-store.ts";

/** A purchase that nobody has paid yet. */
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
