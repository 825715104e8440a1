import { sha256 } from "@noble/hashes/sha2.js";
import { ACCOUNT_PART_CHARS, accountOfPart, BASE62 } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import { type AccountDeps, closedBefore } from "./people.ts";

export type Starter = { credits: number; days: number };

/**
 * Gives a person whose address is verified what a new account begins with: the account, the free call, the starter
 * credits. Every step may be done again, at once and on other nodes too: however often the link is opened, there is
 * one account and one grant.
 *
 * Where an operator had opened an account for the address, its owner takes that over; then no starter credits are due.
 */
export async function welcome(
  accountDeps: AccountDeps,
  person: { id: string; email: string },
  starter: Starter,
  now: number,
): Promise<string> {
  const own = accountOfPerson(person.id);
  const { email } = person;
  await accountDeps.directory.register({ email, account: own, createdAt: now });
  const found = await accountDeps.directory.findByEmail({ email });
  if (found !== null && found.account !== own) return found.account;
  const had = await closedBefore(accountDeps, email);
  await accountDeps.ledger.openAccount({ account: own, freeCall: had ? "withheld" : "open", now });
  if (!had) await grantStarter(accountDeps.ledger, own, starter, now);
  return own;
}

/** Once for an account, however often it is asked for. */
export async function grantStarter(
  ledger: Ledger,
  account: string,
  { credits, days }: Starter,
  now: number,
): Promise<void> {
  if (credits === 0) return;
  const expiresAt = now + days * DAY_MS;
  const id = `starter:${account}`;
  await ledger.grant({ account, id, kind: "starter", amount: credits, expiresAt, now });
}

/** A person's own account id: made from the person's random one, so that doing it twice makes the same account. */
export function accountOfPerson(personId: string): string {
  const digest = sha256(new TextEncoder().encode(`toolbooth account of ${personId}`));
  let number = 0n;
  for (const byte of digest.subarray(0, 16)) number = (number << 8n) | BigInt(byte);
  let part = "";
  while (part.length < ACCOUNT_PART_CHARS) {
    part += BASE62[Number(number % 62n)];
    number /= 62n;
  }
  return accountOfPart(part);
}
