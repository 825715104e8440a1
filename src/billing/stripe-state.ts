import type Stripe from "stripe";
import { isAccountId } from "#ids.ts";
import type { PaymentState } from "./payment-provider.ts";

/** Parts that Stripe expands in a session, so that one request returns everything about the payment. */
export const STATE_PARTS = ["payment_intent.latest_charge.balance_transaction", "invoice"] as const;

type SessionMetadata = Pick<PaymentState, "bought"> & { purchase: string; account: string };

/** Derives the state of a payment from Stripe's objects. */
export function stateOf(
  session: Stripe.Checkout.Session,
  disputes: readonly Stripe.Dispute[],
  services: readonly string[],
): PaymentState {
  const metadata = readMetadata(session, services);
  const intent = typeof session.payment_intent === "object" ? session.payment_intent : null;
  const charge = typeof intent?.latest_charge === "object" ? intent.latest_charge : null;
  const invoice = typeof session.invoice === "object" ? session.invoice : null;
  const status = statusOf(session, intent);
  const isPaid = status === "paid";
  return {
    session: session.id,
    purchase: metadata?.purchase ?? null,
    account: metadata?.account ?? null,
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
    bought: metadata?.bought ?? null,
  };
}

function statusOf(
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
): PaymentState["status"] {
  if (session.status === "open") return "open";
  if (session.status === "expired") return "expired";
  if (session.payment_status !== "unpaid" || intent?.status === "succeeded") return "paid";
  // The buyer chose a delayed method. If it failed, Stripe waits for another method, but the page that offers one is closed.
  const isFailed = intent?.status === "requires_payment_method" || intent?.status === "canceled";
  return isFailed ? "failed" : "pending";
}

/** With a delayed method the charge is older than the payment, so the balance transaction decides. */
function paidAtOf(session: Stripe.Checkout.Session, charge: Stripe.Charge | null): number {
  const transaction = charge?.balance_transaction;
  const bookedAt = typeof transaction === "object" ? transaction?.created : undefined;
  return (bookedAt ?? charge?.created ?? session.created) * 1000;
}

/** While one of these disputes is undecided, Stripe withholds the money. */
const OPEN_DISPUTES: readonly string[] = [
  "needs_response",
  "under_review",
  "appeal_needs_response",
  "appeal_under_review",
];

/** Ignores `warning_…`, which are inquiries that withhold no money, and `prevented`, which counts as a refund. */
function disputeOf(disputes: readonly Stripe.Dispute[]): PaymentState["dispute"] {
  const hasStatus = (...statuses: readonly string[]) =>
    disputes.some(({ status }) => statuses.includes(status));
  if (hasStatus(...OPEN_DISPUTES)) return "open";
  if (hasStatus("lost")) return "lost";
  return hasStatus("won") ? "won" : "none";
}

/**
 * Reads the metadata that we attached when we opened the page; null where another service opened it, even another
 * Toolbooth.
 */
export function readMetadata(
  session: Stripe.Checkout.Session,
  services: readonly string[],
): SessionMetadata | null {
  const { service, purchase, account, ...rest } = session.metadata ?? {};
  if (service === undefined || !services.includes(service)) return null;
  if (purchase === undefined || !/^pur_[0-9A-Za-z]{1,60}$/.test(purchase)) return null;
  if (account === undefined || !isAccountId(account)) return null;
  return { purchase, account, bought: readOffer(rest) };
}

function readOffer(metadata: Record<string, string>): PaymentState["bought"] {
  const { offer, kind, name } = metadata;
  const isKind = kind === "pack" || kind === "lifetime";
  const credits = readWholeNumber(metadata["credits"]);
  const price = readWholeNumber(metadata["price"]);
  const months = metadata["months"] === "never" ? null : readWholeNumber(metadata["months"]);
  if (!isKind || !offer || !name || !credits || price === undefined || months === undefined) {
    return null;
  }
  return { id: offer, kind, name, credits, months, price };
}

const readWholeNumber = (text: string | undefined) =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
