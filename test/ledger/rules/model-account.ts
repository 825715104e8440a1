/**
 * What the model keeps of an account, and every figure as a sum over it. Nothing is kept that can be summed up. No code
 * is shared with `src/ledger`: only types are imported, and every number is written out here once more.
 */
import type { EventContent } from "#ledger/events.ts";
import type { GrantKind, IdempotencyOrder, KeyLimits, OnCrash } from "#ledger/port.ts";

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** One thing that happened to a grant's credits. */
type Move = { what: "spent" | "returned" | "voided" | "restored"; credits: number; at: number };

export type ModelGrant = {
  /** In the order in which they were made, over all accounts. */
  no: number;
  id: string;
  kind: GrantKind;
  amount: number;
  grantedAt: number;
  end: number | null;
  /** The end that the lifetime plan took away. */
  waivedEnd: number | null;
  dueAt: number | null;
  clawback: number;
  clawbackVersion: number;
  moves: Move[];
};

export type ModelCall = {
  callId: string;
  at: number;
  keyId: string;
  tool: string;
  charged: number;
  isFree: boolean;
  paid: { grant: ModelGrant; credits: number }[];
  idempotency: IdempotencyOrder | null;
  reversedAt: number | null;
};

/** A call that is running, as if it were charged what it holds. */
export type ModelHold = {
  call: ModelCall;
  key: string | null;
  onCrash: OnCrash;
  leaseMs: number;
  leaseUntil: number;
  isLapsed: boolean;
};

/** A call under an idempotency key that held its price. */
export type ModelKept = {
  tool: string;
  key: string;
  at: number;
  callId: string;
  bodySha256: string;
  state: "running" | "kept" | "unknown";
  mayAct: boolean;
  response: string | null;
};

export type ModelCharge = { call: ModelCall; day: boolean; month: boolean; total: boolean };

export type ModelKey = {
  id: string;
  sha256: string;
  start: string;
  label: string;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
  previous: { sha256: string; until: number } | null;
  limits: KeyLimits | null;
  /** The charges since the key has a budget, the day that is counted, and for which of its periods each charge counts. */
  counting: { since: number; day: number; charges: ModelCharge[] } | null;
};

/** How bad a balance is: 0 is enough, 1 is low, 2 is gone. */
export type Badness = 0 | 1 | 2;

export type ModelAccount = {
  id: string;
  createdAt: number;
  state: "open" | "suspended" | "closed";
  isFreeCallWithheld: boolean;
  lowBalance: number;
  notified: Badness;
  /** By tool. */
  prices: Map<string, number>;
  keys: ModelKey[];
  grants: ModelGrant[];
  calls: ModelCall[];
  holds: ModelHold[];
  kept: ModelKept[];
  /** Calls that were reversed before they were debited, as `call at`, and when. */
  reversedEarly: Map<string, number>;
  events: EventContent[];
};

export function sumOf({ moves }: ModelGrant, what: Move["what"]): number {
  let sum = 0;
  for (const move of moves) if (move.what === what) sum += move.credits;
  return sum;
}

export const voidedOf = (grant: ModelGrant) => sumOf(grant, "voided") - sumOf(grant, "restored");

export const spentOf = (grant: ModelGrant) => sumOf(grant, "spent") - sumOf(grant, "returned");

export const remainingOf = (grant: ModelGrant) => grant.amount - spentOf(grant) - voidedOf(grant);

/** When the first part was voided of what is voided now. */
export function voidedAtOf({ moves }: ModelGrant): number | null {
  let [voided, since]: [number, number | null] = [0, null];
  for (const { what, credits, at } of moves) {
    if (what === "voided" && credits > 0 && voided === 0) since = at;
    if (what === "voided") voided += credits;
    if (what === "restored") voided -= credits;
    if (voided === 0) since = null;
  }
  return since;
}

export const isUnexpired = ({ end }: ModelGrant, now: number) => end === null || now < end;

/** The grants that can be spent, in the order in which they are. */
export function spendableOf({ grants }: ModelAccount, now: number): ModelGrant[] {
  const endOf = ({ end }: ModelGrant) => end ?? Number.POSITIVE_INFINITY;
  return grants
    .filter((grant) => isUnexpired(grant, now) && remainingOf(grant) > 0)
    .sort((one, other) => {
      if (endOf(one) !== endOf(other)) return endOf(one) < endOf(other) ? -1 : 1;
      if (one.grantedAt !== other.grantedAt) return one.grantedAt < other.grantedAt ? -1 : 1;
      return one.no < other.no ? -1 : 1;
    });
}

export function balanceOf({ grants }: ModelAccount, now: number): number {
  let balance = 0;
  for (const grant of grants) if (isUnexpired(grant, now)) balance += remainingOf(grant);
  return balance;
}

export const lifetimeGrantsOf = ({ grants }: ModelAccount) =>
  grants.filter(({ kind, clawback, amount }) => kind === "lifetime" && clawback < amount).length;

/** What a call of the tool costs the account, and whether that is its own price. */
export function priceOf(account: ModelAccount | undefined, tool: string, credits: number) {
  const own = account?.prices.get(tool);
  return { credits: own ?? credits, own: own === undefined ? {} : { price: own } };
}

export function heldOf({ holds }: ModelAccount): number {
  let held = 0;
  for (const { call } of holds) held += call.charged;
  return held;
}

export function freeCallOf({ isFreeCallWithheld, calls, holds }: ModelAccount) {
  if (isFreeCallWithheld) return "withheld";
  const all = [...calls, ...holds.map(({ call }) => call)];
  const isUsed = all.some(({ isFree, reversedAt }) => isFree && reversedAt === null);
  return isUsed ? "used" : "open";
}

export function badnessOf(balance: number, lowBalance: number): Badness {
  if (balance === 0) return 2;
  return balance < lowBalance ? 1 : 0;
}

/** The next of three times: 30 days before the end, 7 days before it, and the end. */
export function nextDueAt(end: number | null, now: number): number | null {
  if (end === null) return null;
  for (const at of [end - 30 * DAY, end - 7 * DAY, end]) if (at > now) return at;
  return null;
}

export function notifyIfWorse(account: ModelAccount, now: number): boolean {
  const balance = balanceOf(account, now);
  const { lowBalance } = account;
  const badness = badnessOf(balance, lowBalance);
  if (account.state === "closed" || badness <= account.notified) return false;
  account.notified = badness;
  account.events.push(
    badness === 2 ? { kind: "credits.depleted" } : { kind: "credits.low", balance, lowBalance },
  );
  return true;
}

export function recordIfBetter(account: ModelAccount, now: number): void {
  const badness = badnessOf(balanceOf(account, now), account.lowBalance);
  if (account.state !== "closed" && badness < account.notified) account.notified = badness;
}
