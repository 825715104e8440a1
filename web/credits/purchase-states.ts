import type { PurchaseView } from "#api/dashboard/shapes.ts";
import { counted } from "#counted.ts";
import { nextPollMs } from "../parts/poll-pace.ts";
import type { StateLabel, Tone } from "../parts/tone.ts";

type State = PurchaseView["state"];

/** The state of a purchase in a word or two, for lists. */
export const STATE_LABELS: Record<State, StateLabel> = {
  open: { title: "Not paid", shape: "empty", tone: "soft" },
  pending: { title: "Payment pending", shape: "clock", tone: "warn" },
  settling: { title: "Adding credits", shape: "clock", tone: "warn" },
  paid: { title: "Paid", shape: "check", tone: "ok" },
  failed: { title: "Failed", shape: "cross", tone: "bad" },
  expired: { title: "Expired", shape: "cross", tone: "soft" },
  refunded: { title: "Refunded", shape: "back", tone: "soft" },
  partly_refunded: { title: "Partly refunded", shape: "back", tone: "soft" },
  disputed: { title: "Disputed", shape: "minus", tone: "warn" },
  charged_back: { title: "Charged back", shape: "back", tone: "soft" },
  trouble: { title: "Contact the operator", shape: "cross", tone: "bad" },
};

export type PurchaseMessage = { tone: Tone; title: string; text: string };

/**
 * The message at the top of the page after the payment provider has redirected the user back. `cancelled` means that the
 * user left the payment page without paying.
 */
export function purchaseMessage(purchase: PurchaseView, cancelled: boolean): PurchaseMessage {
  return purchase.state === "open" && cancelled
    ? {
        tone: "soft",
        title: "You have not paid.",
        text: `Nothing was charged. You can still pay for “${purchase.name}”. Otherwise it expires automatically.`,
      }
    : MESSAGES[purchase.state](purchase);
}

/** `1 credit was`, `20 credits were`. */
const creditsWere = (count: number): string =>
  `${counted(count, "credit")} ${count === 1 ? "was" : "were"}`;

const MESSAGES: Record<State, (purchase: PurchaseView) => PurchaseMessage> = {
  open: ({ name }) => ({
    tone: "soft",
    title: "Not paid yet.",
    text: `We have not received a payment for “${name}”. If you have just paid, this page updates in a moment. If not, continue to payment.`,
  }),
  pending: ({ credits }) => ({
    tone: "warn",
    title: "Your payment is being processed.",
    text: `This can take a few days. Your ${counted(credits, "credit")} will be added automatically when the payment arrives.`,
  }),
  settling: ({ credits }) => ({
    tone: "warn",
    title: "Payment received.",
    text: `We are adding your ${counted(credits, "credit")}. This takes a moment.`,
  }),
  paid: ({ kind, credits }) => ({
    tone: "ok",
    title: "Thank you.",
    text:
      kind === "lifetime"
        ? `Your account is now on the lifetime plan. ${creditsWere(credits)} added. Your credits never expire, including any you already had.`
        : `${creditsWere(credits)} added to your balance.`,
  }),
  failed: ({ name }) => ({
    tone: "bad",
    title: "The payment failed.",
    text: `You were not charged for “${name}”, and no credits were added. Try again below, or use a different payment method.`,
  }),
  expired: ({ name }) => ({
    tone: "soft",
    title: "The payment page has expired.",
    text: `Nothing was charged for “${name}”. You can buy it again below.`,
  }),
  refunded: (purchase) => ({
    tone: "soft",
    title: "This purchase was refunded.",
    text: refundText(purchase),
  }),
  partly_refunded: (purchase) => ({
    tone: "soft",
    title: "This purchase was partly refunded.",
    text: refundText(purchase),
  }),
  disputed: (purchase) => ({
    tone: "warn",
    title: "This payment is disputed.",
    text: `${refundText(purchase)} If the bank decides that the payment stands, the removed credits are added again.`,
  }),
  charged_back: (purchase) => ({
    tone: "soft",
    title: "This payment was charged back.",
    text: `The bank decided the dispute in your favor. ${refundText(purchase)}`,
  }),
  trouble: ({ id, credits }) => ({
    tone: "bad",
    title: "We received your payment but could not add your credits.",
    text: `Nothing is lost: you paid for ${counted(credits, "credit")}. Contact the operator of this service and mention purchase ${id}.`,
  }),
};

function refundText({ refundedText, voided, spent }: PurchaseView): string {
  const money = refundedText === null ? "" : `${refundedText} was refunded to you. `;
  const removed = voided === 0 ? "No credits were" : creditsWere(voided);
  const alreadySpent = spent === 0 ? "" : ` You had already spent ${counted(spent, "credit")}.`;
  return `${money}${removed} removed from your balance.${alreadySpent}`;
}

/** Whether the state may still change without an action of the user, soon or within days. */
export const isUnsettled = ({ state }: PurchaseView): boolean =>
  state === "open" || state === "pending" || state === "settling";

/** About four and a half minutes in total. */
const POLLS_MAX = 24;

/** How long to wait after this many polls of an unsettled purchase, in milliseconds; false ends the polling. */
export const pollDelayMs = (polls: number): number | false =>
  polls > POLLS_MAX ? false : nextPollMs(polls, 1);
