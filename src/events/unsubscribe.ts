import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { isSameHash, keyedHash } from "#accounts/keyed-hash.ts";
import type { NotificationChoice } from "./event-store.ts";

/**
 * A token that unsubscribes without signing in: the account, the topic of the emails, and a keyed hash of both, so that nobody
 * can unsubscribe somebody else. It permits nothing else, and is valid as long as its secret is configured.
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
