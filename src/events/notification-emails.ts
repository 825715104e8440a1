import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { isSameHash, keyedHash } from "#accounts/keyed-hash.ts";
import type { EmailSender } from "#email/email-layout.ts";
import { createEmails } from "#email/emails.ts";
import type { Email } from "#email/mail.ts";
import type { LedgerEvent, LedgerEventKind } from "#ledger/events.ts";
import type { CreditSales } from "#top-up.ts";
import type { NotificationChoice } from "./event-store.ts";

/** Emails about credits by topic. Other kinds of events have no email here: emails about keys are sent where keys change. */
const TOPICS: Partial<Record<LedgerEventKind, EmailTopic>> = {
  "credits.low": "low",
  "credits.depleted": "low",
  "credits.expiring": "expiring",
};
export const topicOf = ({ kind }: Pick<LedgerEvent, "kind">): EmailTopic | null =>
  TOPICS[kind] ?? null;

export type NotificationEmails = (event: LedgerEvent, to: string) => Email | null;

/** Returns a function that writes the email for an event, with links to unsubscribe. */
export function createNotificationEmails({
  sender,
  secrets,
  sales,
}: {
  sender: EmailSender;
  secrets: readonly string[];
  /** How the service sells credits. */
  sales: CreditSales;
}): NotificationEmails {
  const { publicUrl } = sender;
  const emails = createEmails(sender, sales);
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

/**
 * A token that unsubscribes without signing in: the account, the topic of the emails, and a keyed hash of both, so that users
 * cannot unsubscribe each other. It permits nothing else, and is valid as long as its secret is configured.
 */
export type EmailTopic = keyof NotificationChoice["emails"];
export type Unsubscription = { account: string; topic: EmailTopic };

export const signUnsubscription = (
  unsubscription: Unsubscription,
  secrets: readonly string[],
): string =>
  `${unsubscription.account}.${unsubscription.topic}.${bytesToHex(signatureOf(unsubscription, secrets[0] ?? ""))}`;

/** Returns what a token stands for; null where it is malformed or its signature is wrong. */
export function readUnsubscription(
  token: string,
  secrets: readonly string[],
): Unsubscription | null {
  const [, account, topic, signature = ""] = TOKEN.exec(token) ?? [];
  if (account === undefined) return null;
  const unsubscription = { account, topic: topic as EmailTopic };
  const bytes = hexToBytes(signature);
  const isSigned = secrets.some((secret) => isSameHash(signatureOf(unsubscription, secret), bytes));
  return isSigned ? unsubscription : null;
}

const TOKEN = /^(acc_[0-9A-Za-z]{1,40})\.(low|expiring)\.([0-9a-f]{40})$/;

/** 160 bits cannot be guessed, and keep the link on one line. */
const signatureOf = ({ account, topic }: Unsubscription, secret: string): Uint8Array =>
  keyedHash(secret, `toolbooth unsubscribe ${account} ${topic}`).slice(0, 20);
