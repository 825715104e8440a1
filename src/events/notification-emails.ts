import { createEmails } from "#email/emails.ts";
import type { Email } from "#email/mail.ts";
import type { LedgerEvent, LedgerEventKind } from "#ledger/events.ts";
import { type EmailTopic, signUnsubscription } from "./unsubscribe.ts";

/** Which letters can be ended; of the other kinds none are written here: a key's has been posted by who made it. */
const SORTS: Partial<Record<LedgerEventKind, EmailTopic>> = {
  "credits.low": "low",
  "credits.depleted": "low",
  "credits.expiring": "expiring",
};
export const topicOf = ({ kind }: Pick<LedgerEvent, "kind">): EmailTopic | null =>
  SORTS[kind] ?? null;

export type NotificationEmails = (event: LedgerEvent, to: string) => Email | null;

/** The letters of notices, with the addresses that end them. `publicUrl` has no slash at its end. */
export function createNotificationEmails({
  publicUrl,
  secrets,
}: {
  publicUrl: string;
  secrets: readonly string[];
}): NotificationEmails {
  const emails = createEmails(publicUrl);
  return (event, to) => {
    const sort = topicOf(event);
    if (sort === null) return null;
    const { account, at } = event;
    const query = new URLSearchParams({ token: signUnsubscription({ account, sort }, secrets) });
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
