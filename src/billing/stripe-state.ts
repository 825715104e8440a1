import type Stripe from "stripe";
import { isAccountId } from "#ids.ts";
import type { PaymentState } from "./payment-provider.ts";

/** What a session is asked for with, so that it tells all of the payment at once. */
export const STATE_PARTS = ["payment_intent.latest_charge.balance_transaction", "invoice"] as const;

type Told = Pick<PaymentState, "bought"> & { purchase: string; account: string };

/** How a payment stands, out of Stripe's objects. */
export function stateOf(
  session: Stripe.Checkout.Session,
  disputes: readonly Stripe.Dispute[],
  services: readonly string[],
): PaymentState {
  const told = toldOf(session, services);
  const intent = typeof session.payment_intent === "object" ? session.payment_intent : null;
  const charge = typeof intent?.latest_charge === "object" ? intent.latest_charge : null;
  const invoice = typeof session.invoice === "object" ? session.invoice : null;
  const status = statusOf(session, intent);
  const isPaid = status === "paid";
  return {
    session: session.id,
    purchase: told?.purchase ?? null,
    account: told?.account ?? null,
    payment: intent?.id ?? null,
    status,
    paidAt: isPaid ? paidAtOf(session, charge) : null,
    paid: isPaid ? (intent?.amount_received ?? session.amount_total ?? 0) : 0,
    refunded: isPaid ? (charge?.amount_refunded ?? 0) : 0,
    currency: session.currency ?? "",
    dispute: disputeOf(disputes),
    payUrl: status === "open" ? session.url : null,
    receiptUrl: isPaid ? (charge?.receipt_url ?? null) : null,
    invoiceUrl: invoice?.hosted_invoice_url ?? null,
    bought: told?.bought ?? null,
  };
}

function statusOf(
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
): PaymentState["status"] {
  if (session.status === "open") return "open";
  if (session.status === "expired") return "expired";
  if (session.payment_status !== "unpaid" || intent?.status === "succeeded") return "paid";
  // A delayed method was chosen: where the money did not come, the payment waits for another method that nobody can choose.
  const isOver = intent?.status === "requires_payment_method" || intent?.status === "canceled";
  return isOver ? "failed" : "pending";
}

/** Of a delayed method the charge is older than the money; its booking is not. */
function paidAtOf(session: Stripe.Checkout.Session, charge: Stripe.Charge | null): number {
  const booking = charge?.balance_transaction;
  const bookedAt = typeof booking === "object" ? booking?.created : undefined;
  return (bookedAt ?? charge?.created ?? session.created) * 1000;
}

/** While its outcome is open the money is not ours. */
const OPEN_DISPUTES: readonly string[] = [
  "needs_response",
  "under_review",
  "appeal_needs_response",
  "appeal_under_review",
];

/** Warnings are inquiries, which take no money; what was prevented was paid back, and counts as a refund. */
function disputeOf(disputes: readonly Stripe.Dispute[]): PaymentState["dispute"] {
  const stands = (...statuses: readonly string[]) =>
    disputes.some(({ status }) => statuses.includes(status));
  if (stands(...OPEN_DISPUTES)) return "open";
  if (stands("lost")) return "lost";
  return stands("won") ? "won" : "none";
}

/**
 * What we told of a purchase when its page was opened; null where somebody else has opened the page, be it another service
 * of our kind.
 */
export function toldOf(session: Stripe.Checkout.Session, services: readonly string[]): Told | null {
  const { service, purchase, account, ...rest } = session.metadata ?? {};
  if (service === undefined || !services.includes(service)) return null;
  if (purchase === undefined || !/^pur_[0-9A-Za-z]{1,60}$/.test(purchase)) return null;
  if (account === undefined || !isAccountId(account)) return null;
  return { purchase, account, bought: boughtOf(rest) };
}

function boughtOf(metadata: Record<string, string>): PaymentState["bought"] {
  const { offer, kind, name } = metadata;
  const isKind = kind === "pack" || kind === "lifetime";
  const credits = wholeOf(metadata["credits"]);
  const price = wholeOf(metadata["price"]);
  const months = metadata["months"] === "never" ? null : wholeOf(metadata["months"]);
  if (!isKind || !offer || !name || !credits || price === undefined || months === undefined) {
    return null;
  }
  return { id: offer, kind, name, credits, months, price };
}

const wholeOf = (text: string | undefined) =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
