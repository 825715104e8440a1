import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { isSameHash, keyedHash } from "#accounts/keyed-hash.ts";
import type { NotificationChoice } from "./event-store.ts";

/**
 * What unsubscribes without a sign-in: the account, the sort of letters, and a keyed hash of both, so that nobody ends
 * somebody else's letters. It opens nothing else, and works as long as its secret is known.
 */
export type EmailTopic = keyof NotificationChoice["emails"];
export type Unsubscription = { account: string; sort: EmailTopic };

export const signUnsubscription = (
  unsubscription: Unsubscription,
  secrets: readonly string[],
): string =>
  `${unsubscription.account}.${unsubscription.sort}.${bytesToHex(markOf(unsubscription, secrets[0] ?? ""))}`;

/** Null for a token that is none. */
export function readUnsubscription(
  token: string,
  secrets: readonly string[],
): Unsubscription | null {
  const [, account, sort, mark = ""] = TOKEN.exec(token) ?? [];
  if (account === undefined) return null;
  const unsubscription = { account, sort: sort as EmailTopic };
  const given = hexToBytes(mark);
  const isSigned = secrets.some((secret) => isSameHash(markOf(unsubscription, secret), given));
  return isSigned ? unsubscription : null;
}

const TOKEN = /^(acc_[0-9A-Za-z]{1,40})\.(low|expiring)\.([0-9a-f]{40})$/;

/** 160 bits are more than anybody tries, and the link stays on one line. */
const markOf = ({ account, sort }: Unsubscription, secret: string): Uint8Array =>
  keyedHash(secret, `toolbooth unsubscribe ${account} ${sort}`).slice(0, 20);
