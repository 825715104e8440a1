/** Emails about credits: what happened, what is left and what to do. Each has a link to unsubscribe. */

import type { TopUp } from "#top-up.ts";
import { type EmailDraft, formatTime } from "./email-layout.ts";
import type { Email } from "./mail.ts";

/** `post`: the URL at which a single POST unsubscribes from emails on this topic; `page`: the page for people. */
export type Unsubscribe = { page: string; post: string };

/** Times in milliseconds since 1970 UTC; `at`: when the event happened. */
type CreditEmail = { to: string; at: number; unsubscribe: Unsubscribe };
type LowBalanceEmail = CreditEmail & { balance: number; lowBalance: number };
type ExpiringEmail = CreditEmail & { remaining: number; expiresAt: number };

type Button = { link: string; label: string };
type Write = (draft: EmailDraft) => Email;

export function creditEmails(site: string, topUp: TopUp, write: Write) {
  const viewCredits = { link: `${site}/credits`, label: "View credits" };
  const addCredits = howToAdd(topUp, viewCredits);
  const why = "You received this email because you have alerts about your credits turned on.";
  return {
    creditsLow: ({ to, at, balance, lowBalance, unsubscribe }: LowBalanceEmail) =>
      write({
        to,
        kind: "credits_low",
        subject: "Your Toolbooth credits are running low",
        heading: "Your credits are running low",
        blocks: [
          `Your balance dropped below ${credits(lowBalance)}, your alert level.`,
          {
            facts: [
              ["Balance", credits(balance)],
              ["Date", formatTime(at)],
            ],
          },
          "When your balance is too low for a call, the API returns 402 (insufficient_credits) until you add credits. Your account and your API keys stay active.",
          ...addCredits,
          `Change your alert level: ${site}/settings/notifications`,
        ],
        why,
        unsubscribe,
      }),
    creditsUsedUp: ({ to, at, unsubscribe }: CreditEmail) =>
      write({
        to,
        kind: "credits_depleted",
        subject: "You've used all your Toolbooth credits",
        heading: "You're out of credits",
        blocks: [
          {
            facts: [
              ["Balance", "0 credits"],
              ["Date", formatTime(at)],
            ],
          },
          "The API now rejects calls with 402 (insufficient_credits). Rejected calls cost nothing. Once you add credits, your API keys work again.",
          ...addCredits,
        ],
        why,
        unsubscribe,
      }),
    creditsExpiring: ({ to, at, remaining, expiresAt, unsubscribe }: ExpiringEmail) =>
      write({
        to,
        kind: "credits_expiring",
        subject: "Some of your Toolbooth credits expire soon",
        heading: `${credits(remaining)} ${remaining === 1 ? "expires" : "expire"} soon`,
        blocks: [
          `You have ${credits(remaining)} that ${remaining === 1 ? "expires" : "expire"} on ${formatTime(expiresAt)}. Your other credits are not affected.`,
          {
            facts: [
              ["Expiring credits", `${remaining.toLocaleString("en")}, as of ${formatTime(at)}`],
              ["Expiry date", formatTime(expiresAt)],
            ],
          },
          "Calls spend the credits that expire soonest first, so to use these credits, call the API before that date. Your credits page lists all your credits and when they expire:",
          viewCredits,
        ],
        why,
        usefulUntil: expiresAt,
        unsubscribe,
      }),
  };
}

/** The way to more credits: a button where they are sold, otherwise whom to ask. */
function howToAdd({ kind, sentence }: TopUp, viewCredits: Button): EmailDraft["blocks"] {
  if (kind === "buy") return [{ ...viewCredits, label: "Buy credits" }];
  if (kind === "look") return ["Your credits page shows how to add more:", viewCredits];
  return [sentence, viewCredits];
}

const credits = (count: number) => `${count.toLocaleString("en")} credit${count === 1 ? "" : "s"}`;
