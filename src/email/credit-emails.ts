/** Letters about credits: what happened, what is left, what to do. Whoever wants no more of them unsubscribes in each. */
import type { EmailDraft } from "./email-layout.ts";
import type { Email } from "./mail.ts";
import { timeText } from "./time-text.ts";

/** `post`: where a single POST unsubscribes from letters of this sort; `page`: where a person does. */
export type Unsubscribe = { page: string; post: string };

/** Times in milliseconds since 1970 UTC; `at`: when it was so. */
type CreditEmail = { to: string; at: number; unsubscribe: Unsubscribe };
type LowBalanceEmail = CreditEmail & { balance: number; lowBalance: number };
type ExpiringEmail = CreditEmail & { remaining: number; expiresAt: number };

type Write = (draft: EmailDraft) => Email;

export function creditEmails(site: string, write: Write) {
  const topUp = { link: `${site}/credits`, label: "See my credits" };
  const why = "You get this letter because it is about the credits of your account.";
  return {
    creditsLow: ({ to, at, balance, lowBalance, unsubscribe }: LowBalanceEmail) =>
      write({
        to,
        kind: "credits_low",
        subject: "Your Toolbooth credits run low",
        heading: "Your credits run low",
        blocks: [
          `Your balance has fallen below ${credits(lowBalance)}, which is where you are told.`,
          {
            facts: [
              ["Balance", credits(balance)],
              ["When", timeText(at)],
            ],
          },
          "When too few are left for a call, calls are refused until there are new ones, and nothing else happens: your keys and your account stay as they are. How to get credits stands on the page of your credits:",
          topUp,
          `At which balance you are told, you choose here: ${site}/settings/notifications`,
        ],
        why,
        unsubscribe,
      }),
    creditsUsedUp: ({ to, at, unsubscribe }: CreditEmail) =>
      write({
        to,
        kind: "credits_depleted",
        subject: "Your Toolbooth credits are used up",
        heading: "Your credits are used up",
        blocks: [
          {
            facts: [
              ["Balance", "0 credits"],
              ["When", timeText(at)],
            ],
          },
          "Calls are now refused with 402 (insufficient_credits), and cost nothing. As soon as there are new credits, they work again with the same keys. How to get some stands on the page of your credits:",
          topUp,
        ],
        why,
        unsubscribe,
      }),
    creditsExpiring: ({ to, at, remaining, expiresAt, unsubscribe }: ExpiringEmail) =>
      write({
        to,
        kind: "credits_expiring",
        subject: "Some of your Toolbooth credits end soon",
        heading: `${credits(remaining)} ${remaining === 1 ? "ends" : "end"} soon`,
        blocks: [
          `Of your credits ${remaining.toLocaleString("en")} can be spent until ${timeText(expiresAt)}. What is left of them then expires; your other credits stay.`,
          {
            facts: [
              ["Credits", `${remaining.toLocaleString("en")} on ${timeText(at)}`],
              ["They end", timeText(expiresAt)],
            ],
          },
          "Calls spend the credits first that end soonest, so there is nothing to do but to use them. All of your credits, and when they end:",
          topUp,
        ],
        why,
        usefulUntil: expiresAt,
        unsubscribe,
      }),
  };
}

const credits = (count: number) => `${count.toLocaleString("en")} credit${count === 1 ? "" : "s"}`;
