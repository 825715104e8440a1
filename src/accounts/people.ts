import { bytesToHex } from "@noble/hashes/utils.js";
import { newAccountId, newKeyId, type RandomBytes } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { EMAIL_CHARS_MAX, KEY_LABEL_CHARS_MAX } from "#limits.ts";
import type { Directory } from "./directory.ts";
import { keyStart, makeKey } from "./key-format.ts";
import { keyedHash } from "./keyed-hash.ts";

/**
 * Accounts and keys as a person or an operator handles them: the directory knows the address, the ledger the account.
 */
export type AccountDeps = {
  ledger: Ledger;
  directory: Directory;
  secrets: readonly string[];
  random: RandomBytes;
  hashKey(key: string): string | Promise<string>;
};

/** What a person asked for and cannot have; its message is meant for that person. */
export class AccountError extends Error {}

/**
 * Opens an account for an address that counts as verified. It starts with no credits; the free call is for new owners.
 *
 * The address is taken first, so that of several openings at once one alone makes an account. Where that one died
 * before the ledger knew the account, the next one completes it; whose order opens it in the ledger is the opener.
 * Who may have to ask again, because the answer was lost, names the account: it is opened once.
 */
export async function openAccount(
  accountDeps: AccountDeps,
  address: string,
  now: number,
  fresh = newAccountId(accountDeps.random),
): Promise<{ email: string; account: string }> {
  const email = readEmail(address);
  const had = await closedBefore(accountDeps, email);
  await accountDeps.directory.register({ email, account: fresh, createdAt: now });
  const { account } = await findAccount(accountDeps, email);
  const { opened } = await accountDeps.ledger.openAccount({
    account,
    freeCall: had ? "withheld" : "open",
    now,
  });
  if (!opened && account !== fresh)
    throw new AccountError(`There is an account for ${email} already.`);
  return { email, account };
}

/** Makes a key. This is the one time at which the whole key is known. */
export async function createKey(
  accountDeps: AccountDeps,
  account: string,
  label: string,
  now: number,
  id = newKeyId(account, accountDeps.random),
): Promise<{ id: string; key: string }> {
  const key = makeKey(account, accountDeps.secrets, accountDeps.random);
  const { outcome } = await accountDeps.ledger.createKey({
    account,
    id,
    sha256: await accountDeps.hashKey(key),
    start: keyStart(key),
    label: readLabel(label),
    now,
  });
  if (outcome === "no_account") throw new AccountError("The account is closed.");
  if (outcome === "taken") throw new AccountError(`Another key has the id ${id}.`);
  return { id, key };
}

/** Closes an account for good: keys die, credits are forfeit, the address goes. What was used stays in the books. */
export async function closeAccount(
  accountDeps: AccountDeps,
  email: string,
  now: number,
): Promise<{ account: string; forfeited: number }> {
  const { account } = await findAccount(accountDeps, email);
  const { forfeited } = await accountDeps.ledger.closeAccount({ account, now });
  const emailHash = hashEmail(readEmail(email), accountDeps.secrets[0] ?? "");
  await accountDeps.directory.forget({ account, emailHash, now });
  return { account, forfeited };
}

/**
 * Remembers an address that an account leaves for another one: it brought starter credits and a free call already, and
 * would again for whoever signs up with it and moves on.
 */
export async function recordLeft(
  accountDeps: AccountDeps,
  email: string,
  now: number,
): Promise<void> {
  await accountDeps.directory.recordClosed({
    emailHash: hashEmail(email, accountDeps.secrets[0] ?? ""),
    now,
  });
}

export async function findAccount(
  accountDeps: AccountDeps,
  address: string,
): Promise<{ email: string; account: string }> {
  const email = readEmail(address);
  const found = await accountDeps.directory.findByEmail({ email });
  if (found === null) throw new AccountError(`There is no account for ${email}.`);
  return found;
}

/** Whether an account of this address was closed before: under any secret that is still known. */
export async function closedBefore(accountDeps: AccountDeps, email: string): Promise<boolean> {
  for (const secret of accountDeps.secrets) {
    const { closed } = await accountDeps.directory.wasClosed({
      emailHash: hashEmail(email, secret),
    });
    if (closed) return true;
  }
  return false;
}

/** Only something that can be an address; whether it is one, a letter to it tells. Domains have no case, and no mail
 * provider of note tells local parts apart by it. */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length <= EMAIL_CHARS_MAX && /^[^\s@<>(),;:"]+@[^\s@<>(),;:"]+$/.test(email))
    return email;
  throw new AccountError(`"${text.slice(0, 80)}" is not an e-mail address.`);
}

/** A label of blanks alone names nothing. */
const SEEN = /[^\p{Z}\p{C}\p{M}]/u;
/** Control characters, line breaks, halves of characters, and what turns the direction of the text around it. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export function readLabel(text: string): string {
  const label = text.trim();
  if (label.length <= KEY_LABEL_CHARS_MAX && SEEN.test(label) && !UNFIT.test(label)) return label;
  throw new AccountError(`A label has 1 to ${KEY_LABEL_CHARS_MAX} characters on one line.`);
}

const hashEmail = (email: string, secret: string) =>
  bytesToHex(keyedHash(secret, `toolbooth address ${email}`));
