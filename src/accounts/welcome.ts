import { sha256 } from "@noble/hashes/sha2.js";
import { ACCOUNT_PART_CHARS, accountOfPart, BASE62 } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import { type AccountDeps, emailHashes } from "./accounts.ts";
import type { ClaimOutcome } from "./directory.ts";
import type { DisposableEmail } from "./disposable-email.ts";
import { keyedHex } from "./keyed-hash.ts";
import { isFreeCallOpen, type StarterBudgets } from "./starter-claim.ts";

export type Starter = { credits: number; days: number };

export type StarterPolicy = {
  budgets: StarterBudgets;
  disposable: DisposableEmail;
  /** Called for the first claim of a day that exhausted a budget. */
  onBudgetExhausted(outcome: "network_full" | "day_full"): void;
};

/**
 * Opens the account of a user whose address is verified, with the free call and the starter credits, and returns its id.
 * Every step is idempotent, on several nodes too: however often the link is opened, there is one account and one grant.
 *
 * Where an operator has opened an account for the address, the user takes it over and gets no starter credits.
 *
 * `network`: the network of the client that verified the address; null where it is unknown.
 */
export async function welcome(
  accountDeps: AccountDeps,
  user: { id: string; email: string; network: string | null },
  given: { starter: Starter; starterPolicy: StarterPolicy },
  now: number,
): Promise<string> {
  const account = accountOfUser(user.id);
  const { email, network } = user;
  const claimant = { account, email, network };
  const claim = await claimStarter(accountDeps, given.starterPolicy, claimant, now);
  if (claim.outcome === "taken") return claim.account;
  const freeCall = isFreeCallOpen(claim.outcome) ? "open" : "withheld";
  const { ledger } = accountDeps;
  const opening = ledger.openAccount({ account, freeCall, now });
  if (claim.outcome !== "granted") {
    await opening;
    return account;
  }
  // Sent without waiting for the account, which saves a round trip at the edge. A grant that comes first finds no account.
  const granting = grantStarter(ledger, account, given.starter, now);
  granting.catch(() => {});
  await opening;
  if (!(await granting)) await grantStarter(ledger, account, given.starter, now);
  return account;
}

async function claimStarter(
  { directory, secrets }: AccountDeps,
  { budgets, disposable, onBudgetExhausted }: StarterPolicy,
  { account, email, network }: { account: string; email: string; network: string | null },
  now: number,
): Promise<ClaimOutcome> {
  const claim = await directory.claimStarter({
    account,
    email,
    emailHashes: emailHashes(email, secrets),
    network: network === null ? "" : hashNetwork(network, secrets[0] ?? ""),
    isDisposable: await disposable(email),
    budgets,
    now,
  });
  const { outcome } = claim;
  const isExhausted = outcome === "network_full" || outcome === "day_full";
  if (isExhausted && claim.isFirstToday) onBudgetExhausted(outcome);
  return claim;
}

const hashNetwork = (network: string, secret: string) =>
  keyedHex(secret, `toolbooth starter network ${network}`).slice(0, 32);

/** Grants the starter credits; repeating it changes nothing. Returns false where there is no open account. */
export async function grantStarter(
  ledger: Ledger,
  account: string,
  { credits, days }: Starter,
  now: number,
): Promise<boolean> {
  if (credits === 0) return true;
  const expiresAt = now + days * DAY_MS;
  const id = `starter:${account}`;
  const order = { account, id, kind: "starter", amount: credits, expiresAt, now } as const;
  return (await ledger.grant(order)).outcome !== "no_account";
}

/** Derives the account id from the user's random id, so that repeating a sign-up step opens the same account. */
function accountOfUser(userId: string): string {
  const digest = sha256(new TextEncoder().encode(`toolbooth account of ${userId}`));
  let number = 0n;
  for (const byte of digest.subarray(0, 16)) number = (number << 8n) | BigInt(byte);
  let part = "";
  while (part.length < ACCOUNT_PART_CHARS) {
    part += BASE62[Number(number % 62n)];
    number /= 62n;
  }
  return accountOfPart(part);
}
