import { createEmails } from "#email/emails.ts";
import type { Email } from "#email/mail.ts";
import type { LedgerEvent, LedgerEventKind } from "#ledger/events.ts";
import type { CreditSales } from "#top-up.ts";
import { type EmailTopic, signUnsubscription } from "./unsubscribe.ts";

/** Emails about credits by topic. Other kinds of events have no email here: emails about keys are sent where keys change. */
const TOPICS: Partial<Record<LedgerEventKind, EmailTopic>> = {
  "credits.low": "low",
  "credits.depleted": "low",
  "credits.expiring": "expiring",
};
export const topicOf = ({ kind }: Pick<LedgerEvent, "kind">): EmailTopic | null =>
  TOPICS[kind] ?? null;

export type NotificationEmails = (event: LedgerEvent, to: string) => Email | null;

/** Returns a function that writes the email for an event, with links to unsubscribe. `publicUrl` has no trailing slash. */
export function createNotificationEmails({
  publicUrl,
  secrets,
  sales,
}: {
  publicUrl: string;
  secrets: readonly string[];
  /** How the service sells credits. */
  sales: CreditSales;
}): NotificationEmails {
  const emails = createEmails(publicUrl, sales);
  return (event, to) => {
    const topic = topicOf(event);
    if (topic === null) return null;
    const { account, at } = event;
    const query = new URLSearchParams({ token: signUnsubscription({ account, topic }, secrets) });
    const unsubscribe = {
      page: `${publicUrl}/unsubscribe?${query}`,
      post: `${publicUrl}/dashboard/notifications/unsubscribe?${query}`,
    };
    const order = { to, at, unsubscribe };
    if (event.kind === "credits.low") {
      const { balance, lowBalance } = event;
      return emails.creditsLow({ ...order, balance, lowBalance });
    }
    if (event.kind === "credits.depleted") return emails.creditsUsedUp(order);
    if (event.kind !== "credits.expiring") return null;
    const { remaining, expiresAt } = event.grant;
    return emails.creditsExpiring({ ...order, remaining, expiresAt });
  };
}
