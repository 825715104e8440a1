import { canonicalAddress } from "#email/canonical-address.ts";
import { newAccountId, newKeyId, type RandomBytes } from "#ids.ts";
import { type KeyLimits, type Ledger, NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { EMAIL_CHARS_MAX, KEY_LABEL_CHARS_MAX } from "#limits.ts";
import type { Directory } from "./directory.ts";
import { keyStart, makeKey } from "./key-format.ts";
import { keyedHex } from "./keyed-hash.ts";

/** Dependencies for managing accounts and keys: the directory maps email addresses to accounts in the ledger. */
export type AccountDeps = {
  /** What new keys begin with. */
  keyPrefix: string;
  ledger: Ledger;
  directory: Directory;
  secrets: readonly string[];
  random: RandomBytes;
  hashKey(key: string): string | Promise<string>;
  /** Deletes an account's requests from the request log; absent without one. Never rejects: they expire in any case. */
  forgetRequests?: ((order: { account: string; now: number }) => Promise<void>) | undefined;
};

/** A request that cannot be fulfilled. Its message is shown to the user who made it. */
export class AccountError extends Error {}

/**
 * Opens an account for an address that counts as verified. It has no credits; only an address without an earlier account gets
 * the free call. Throws an AccountError where the address is invalid or has an account.
 *
 * The directory registers the address first, so of several concurrent calls only one creates an account. If that one dies
 * before it opens the ledger account, the next call completes it. A caller that may repeat the order passes the id as
 * `fresh`, which makes the repetition succeed.
 */
export async function openAccount(
  accountDeps: AccountDeps,
  address: string,
  now: number,
  fresh = newAccountId(accountDeps.random),
): Promise<{ email: string; account: string }> {
  const email = readEmail(address);
  const hadAccount = await wasClosedBefore(accountDeps, email);
  await accountDeps.directory.register({ email, account: fresh, createdAt: now });
  const { account } = await findAccount(accountDeps, email);
  const { opened } = await accountDeps.ledger.openAccount({
    account,
    freeCall: hadAccount ? "withheld" : "open",
    now,
  });
  if (!opened && account !== fresh) {
    throw new AccountError(`${email} already has an account.`);
  }
  return { email, account };
}

/**
 * Creates a key and returns it whole. Only its hash is stored, so it cannot be shown again. `limits` must have been read by
 * `readKeyLimits`.
 */
export async function createKey(
  accountDeps: AccountDeps,
  account: string,
  label: string,
  now: number,
  id = newKeyId(account, accountDeps.random),
  limits: KeyLimits | null = null,
): Promise<{ id: string; key: string }> {
  const key = makeKey(account, accountDeps.secrets, accountDeps.random, accountDeps.keyPrefix);
  const { outcome } = await accountDeps.ledger.createKey({
    account,
    id,
    sha256: await accountDeps.hashKey(key),
    start: keyStart(key),
    label: readLabel(label),
    limits,
    now,
  });
  if (outcome === "no_account") throw new AccountError("The account is closed.");
  if (outcome === "taken") throw new AccountError(`Another key has the id ${id}.`);
  return { id, key };
}

/** Gives a key a new secret and returns it. The old one works until `previousUntil`. Throws an AccountError. */
export async function rotateKey(
  accountDeps: AccountDeps,
  {
    account,
    id,
    previousUntil,
    now,
  }: { account: string; id: string; previousUntil: number; now: number },
): Promise<{ key: string }> {
  const key = makeKey(account, accountDeps.secrets, accountDeps.random, accountDeps.keyPrefix);
  const { outcome } = await accountDeps.ledger.rotateKey({
    ...{ account, id, previousUntil, now },
    sha256: await accountDeps.hashKey(key),
    start: keyStart(key),
  });
  if (outcome === "rotated") return { key };
  if (outcome === "revoked")
    throw new AccountError("The key is revoked. Create another key instead.");
  throw new AccountError(`There is no key ${id}.`);
}

/**
 * Closes an account for good: its keys stop working, its credits are forfeited, and its address and its requests are deleted. Usage
 * stays in the ledger. `isForgotten`: this call deleted the address. Of several at once, one does, and its caller tells the owner.
 */
export async function closeAccount(
  accountDeps: AccountDeps,
  email: string,
  now: number,
): Promise<{ forfeited: number; isForgotten: boolean }> {
  return closeFound(accountDeps, await findAccount(accountDeps, email), now);
}

/** The same for an account that was found. `email` is null if it has no address. */
export async function closeFound(
  { ledger, directory, secrets, forgetRequests }: AccountDeps,
  { account, email }: { account: string; email: string | null },
  now: number,
): Promise<{ forfeited: number; isForgotten: boolean }> {
  const { forfeited } = await ledger.changeAccount({ account, state: "closed", now });
  const { found: isForgotten } =
    email === null
      ? { found: false }
      : await directory.forget({ account, emailHash: hashEmail(email, secrets), now });
  await forgetRequests?.({ account, now });
  return { forfeited, isForgotten };
}

/**
 * Records the address that an account has changed from, so that signing up with it again brings no second starter credits and
 * free call.
 */
export async function recordFormerEmail(
  accountDeps: AccountDeps,
  email: string,
  now: number,
): Promise<void> {
  await accountDeps.directory.recordClosed({
    emailHash: hashEmail(email, accountDeps.secrets),
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

/** Whether the person of the address had an account that was closed or moved to another address, under any of the secrets. */
async function wasClosedBefore(accountDeps: AccountDeps, email: string): Promise<boolean> {
  for (const emailHash of emailHashes(email, accountDeps.secrets)) {
    if ((await accountDeps.directory.wasClosed({ emailHash })).closed) return true;
  }
  return false;
}

/**
 * Returns the address in lower case. Only its form is checked: the emailed code shows whether it exists. Domains are
 * case-insensitive, and so are local parts at all major providers. Throws an AccountError.
 */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length <= EMAIL_CHARS_MAX && /^[^\s@<>(),;:"]+@[^\s@<>(),;:"]+$/.test(email))
    return email;
  throw new AccountError(`"${text.slice(0, 80)}" is not an email address.`);
}

/** A label needs a visible character. */
const VISIBLE = /[^\p{Z}\p{C}\p{M}]/u;
/** Control characters, line breaks, lone surrogates and bidirectional controls. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Returns the label without surrounding spaces. Throws an AccountError. */
export function readLabel(text: string, what = "label"): string {
  const label = text.trim();
  if (label.length <= KEY_LABEL_CHARS_MAX && VISIBLE.test(label) && !FORBIDDEN.test(label))
    return label;
  throw new AccountError(`Enter a ${what} of 1 to ${KEY_LABEL_CHARS_MAX} characters on one line.`);
}

/**
 * The keyed hashes that may stand for the person of an address, the one to store first: of its canonical form under each of the
 * secrets.
 */
export const emailHashes = (email: string, secrets: readonly string[]): string[] =>
  secrets.map((secret) => keyedHex(secret, `toolbooth address ${canonicalAddress(email)}`));

const hashEmail = (email: string, secrets: readonly string[]): string =>
  emailHashes(email, secrets.slice(0, 1))[0] ?? "";

/** A later step was not carried out, but an earlier one may have been. Running all steps again completes them. */
class StepsInterrupted extends OutcomeUnknown {}

/** Runs several steps that each write to a store of their own. Throws `StepsInterrupted` instead of `NotCarriedOut`. */
export async function runSteps<Result>(steps: () => Promise<Result>): Promise<Result> {
  try {
    return await steps();
  } catch (error) {
    if (!(error instanceof NotCarriedOut)) throw error;
    throw new StepsInterrupted(`Interrupted between two steps: ${error.message}`, { cause: error });
  }
}
