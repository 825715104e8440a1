import { isInNetwork, parseAddress, parseNetwork } from "#networks.ts";
import {
  BUDGET_PERIODS,
  type BudgetPeriod,
  budgetsOf,
  dayOf,
  hasBudget,
  type KeyLimits,
  type KeySpent,
  monthOf,
  spentAt,
} from "../key-limits.ts";
import { LAST_USED_STEP_MS } from "../model.ts";
import type { BudgetExhausted, KeyNotAllowed, KeyRate } from "../port.ts";
import type { AccountRow, CallKey, DebitRow, HeldSum, KeyRow } from "./rows.ts";

/** What a key allows: both the status of a key and a debit are decided here. */

/** What an order says of the use of a key. */
type KeyUse = {
  keySha256: string;
  tool?: string | null;
  address?: string | null;
  now: number;
};

type NotValid = { outcome: "invalid_key" } | { outcome: "key_expired"; expiredAt: number };

/** Why the key does not work at all; null if it does. */
export function invalidityOf(
  account: AccountRow,
  key: CallKey | null | undefined,
  { keySha256, now }: KeyUse,
): NotValid | null {
  if (key == null || key.revokedAt !== null || account.state === "closed")
    return { outcome: "invalid_key" };
  const { limits, previousUntil } = key;
  const secretUntil = key.sha256 === keySha256 ? null : previousUntil;
  if (limits === null && secretUntil === null) return null;
  const expiredAt = Math.min(
    limits?.expiresAt ?? Number.POSITIVE_INFINITY,
    secretUntil ?? Number.POSITIVE_INFINITY,
  );
  return now < expiredAt ? null : { outcome: "key_expired", expiredAt };
}

/** Why the key may not be used for this call, whatever it costs; null if it may. */
export function prohibitionOf(
  { limits }: CallKey,
  { tool = null, address = null }: KeyUse,
  balance: number,
): KeyNotAllowed | null {
  if (limits === null) return null;
  const { tools, networks } = limits;
  // The network first: a thief of the key does not learn which tools it may call.
  if (networks !== null && !isFromOneOf(networks, address))
    return { outcome: "key_not_allowed", balance, limit: "networks" };
  if (tools !== null && tool !== null && !tools.includes(tool))
    return { outcome: "key_not_allowed", balance, limit: "tools", tools };
  return null;
}

function isFromOneOf(networks: readonly string[], address: string | null): boolean {
  const parsed = address === null ? null : parseAddress(address);
  if (parsed === null) return false;
  return networks.some((text) => {
    const network = parseNetwork(text);
    return network !== null && isInNetwork(parsed, network);
  });
}

/**
 * When a charge is made. `madeAt`: when its call was made, if that was earlier (a late settlement). Such a call counts only for the periods
 * that it was made in, as if it were still held, so that its reversal gives back what was counted.
 */
export type ChargeTime = { now: number; clock?: number | undefined; madeAt?: number | undefined };

/** Whether a call counts for the counted day, or for its month. */
const countsFor = (period: BudgetPeriod, { on }: KeySpent, madeAt = on) =>
  period === "total" || (period === "day" ? dayOf(madeAt) >= on : monthOf(madeAt) >= monthOf(on));

/**
 * The budget that does not cover a charge; null if all of them do. A call that costs nothing needs no budget. `held`: what running calls of
 * the account hold, where that is known.
 */
export function exhaustedBudget(
  key: CallKey,
  credits: number,
  { now, clock = now, madeAt }: ChargeTime,
  held: readonly HeldSum[] = [],
): BudgetExhausted | null {
  if (key.limits === null || key.spent === null || credits === 0) return null;
  const counted = spentAt(key.spent, now, clock);
  const budgets = budgetsOf(key.limits, counted, clock);
  for (const budget of BUDGET_PERIODS) {
    const left = budgets[budget];
    if (left === null || left.remaining >= credits) continue;
    if (!countsFor(budget, counted, madeAt)) continue;
    const { spent, ...others } = left;
    const exhausted: BudgetExhausted = { budget, ...others };
    const heldCredits = Math.min(spent, heldIn(budget, counted, key.no, held));
    if (heldCredits > 0) exhausted.heldCredits = heldCredits;
    return exhausted;
  }
  return null;
}

/** What running calls of the key hold that were made in the counted period. */
const heldIn = (
  period: BudgetPeriod,
  counted: KeySpent,
  keyNo: number,
  held: readonly HeldSum[],
): number =>
  held.reduce(
    (sum, each) =>
      each.keyNo === keyNo && countsFor(period, counted, each.day) ? sum + each.credits : sum,
    0,
  );

/** What the key has spent after a charge. */
export function spend(
  spent: KeySpent | null,
  credits: number,
  { now, clock = now, madeAt }: ChargeTime,
): KeySpent | null {
  if (spent === null || credits === 0) return spent;
  const counted = spentAt(spent, now, clock);
  const more = (period: BudgetPeriod) =>
    counted[period] + (countsFor(period, counted, madeAt) ? credits : 0);
  return { ...counted, day: more("day"), month: more("month"), total: more("total") };
}

/** What the key has spent after a reversal: the credits come back to the periods in which they were spent. */
export function unspend(
  spent: KeySpent,
  { at, credits }: Pick<DebitRow, "at" | "credits">,
): KeySpent {
  // The debit may not have been counted.
  if (at <= spent.since) return spent;
  const less = (counted: number, isCounted: boolean) =>
    isCounted ? Math.max(0, counted - credits) : counted;
  return {
    ...spent,
    day: less(spent.day, dayOf(at) === spent.on),
    month: less(spent.month, monthOf(at) === monthOf(spent.on)),
    total: less(spent.total, true),
  };
}

/**
 * What is counted of a key after its limits changed. A budget by day or month that changed begins anew; the budget in all keeps what was
 * spent. `lastUsedAt` is at most a step behind the time of the key's latest debit. Debits that are later than that, or than the change, are
 * counted.
 */
export function spentUnder(
  limits: KeyLimits | null,
  key: Pick<KeyRow, "limits" | "spent" | "lastUsedAt">,
  now: number,
): KeySpent | null {
  if (limits === null || !hasBudget(limits)) return null;
  const { spent, lastUsedAt } = key;
  const since =
    lastUsedAt === null
      ? 0
      : Math.min(lastUsedAt + LAST_USED_STEP_MS - 1, Math.max(lastUsedAt, now));
  if (spent === null) return { since, on: dayOf(now), day: 0, month: 0, total: 0 };
  const isNew = (period: "day" | "month") => key.limits?.budgets[period] !== limits.budgets[period];
  if (!isNew("day") && !isNew("month")) return spent;
  const counted = spentAt(spent, now);
  return {
    since: Math.max(counted.since, since),
    on: Math.min(counted.on, dayOf(now)),
    day: isNew("day") ? 0 : counted.day,
    month: isNew("month") ? 0 : counted.month,
    total: counted.total,
  };
}

/** Adds the key's own rate to an outcome, if it has one. */
export function withRate<Outcome extends object>(
  outcome: Outcome,
  { no, limits }: CallKey,
): Outcome & { keyRate?: KeyRate } {
  const callsPerSecond = limits?.rate ?? null;
  return callsPerSecond === null ? outcome : { ...outcome, keyRate: { keyNo: no, callsPerSecond } };
}
