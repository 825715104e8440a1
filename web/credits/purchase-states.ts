import type { PurchaseView } from "#api/dashboard/shapes.ts";
import { counted } from "../parts/numbers.ts";
import type { Shape, Tone } from "../parts/tone.ts";

type State = PurchaseView["state"];

/** The state of a purchase in a word or two, for lists. */
export const STATE_LABELS: Record<State, { title: string; shape: Shape; tone: Tone }> = {
  open: { title: "Not paid", shape: "empty", tone: "soft" },
  pending: { title: "On its way", shape: "clock", tone: "warn" },
  settling: { title: "Being added", shape: "clock", tone: "warn" },
  paid: { title: "Paid", shape: "check", tone: "ok" },
  failed: { title: "Failed", shape: "cross", tone: "bad" },
  expired: { title: "Not paid in time", shape: "cross", tone: "soft" },
  refunded: { title: "Refunded", shape: "back", tone: "soft" },
  partly_refunded: { title: "Partly refunded", shape: "back", tone: "soft" },
  disputed: { title: "Disputed", shape: "minus", tone: "warn" },
  trouble: { title: "Needs the operator", shape: "cross", tone: "bad" },
};

export type Told = { tone: Tone; title: string; text: string };

/** What stands on top of the page after the provider has sent the buyer back. `cancelled`: they had not paid there. */
export function eventOf(purchase: PurchaseView, cancelled: boolean): Told {
  return purchase.state === "open" && cancelled
    ? {
        tone: "soft",
        title: "You have not paid.",
        text: `Nothing was charged. “${purchase.name}” can still be paid, or leave it: it ends by itself.`,
      }
    : EVENTS[purchase.state](purchase);
}

const EVENTS: Record<State, (purchase: PurchaseView) => Told> = {
  open: ({ name }) => ({
    tone: "soft",
    title: "Not paid yet.",
    text: `No payment for “${name}” has come. If you have just paid, it takes a moment: this page looks again by itself. If not, go on paying.`,
  }),
  pending: ({ credits }) => ({
    tone: "warn",
    title: "Your payment is on its way.",
    text: `The bank needs some days. Your ${counted(credits, "credit")} are added by themselves when the money is there; you need not do anything.`,
  }),
  settling: ({ credits }) => ({
    tone: "warn",
    title: "Paid.",
    text: `Your ${counted(credits, "credit")} are being added; this takes a moment.`,
  }),
  paid: ({ kind, credits }) => ({
    tone: "ok",
    title: "Thank you.",
    text:
      kind === "lifetime"
        ? `Your account is on the lifetime plan: ${counted(credits, "credit")} were added, and none of your credits expires any more.`
        : `${counted(credits, "credit")} were added to your balance.`,
  }),
  failed: ({ name }) => ({
    tone: "bad",
    title: "The payment did not work.",
    text: `“${name}” was not paid, and no credits were added. Buy it again below, perhaps with another way to pay.`,
  }),
  expired: ({ name }) => ({
    tone: "soft",
    title: "The time to pay is over.",
    text: `Nothing was charged for “${name}”. Buy it again below if you still want it.`,
  }),
  refunded: (purchase) => ({
    tone: "soft",
    title: "This purchase was refunded.",
    text: takenBack(purchase),
  }),
  partly_refunded: (purchase) => ({
    tone: "soft",
    title: "A part of this purchase was refunded.",
    text: takenBack(purchase),
  }),
  disputed: (purchase) => ({
    tone: "warn",
    title: "This payment is disputed.",
    text: `${takenBack(purchase)} What was taken back is given again if the bank decides that the payment stands.`,
  }),
  trouble: ({ id, credits }) => ({
    tone: "bad",
    title: "Paid, but your credits could not be added.",
    text: `Your payment is known, and your ${counted(credits, "credit")} are not lost. Write to the operator of this service and name the purchase ${id}.`,
  }),
};

function takenBack({ refundedText, voided, spent }: PurchaseView): string {
  const money = refundedText === null ? "" : `${refundedText} went back to you. `;
  const before = spent === 0 ? "" : `; ${counted(spent, "credit")} had been spent before`;
  const taken = voided === 0 ? "No credits" : counted(voided, "credit");
  return `${money}${taken} ${voided === 1 ? "was" : "were"} taken back${before}.`;
}
