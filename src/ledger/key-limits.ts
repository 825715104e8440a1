import { DAY_MS, KEY_UNUSED_DAYS } from "#limits.ts";

/** The limits that a key can have of its own, and what its budgets have left. `rules/key-limits.ts` enforces them. */
export type KeyLimits = {
  /** The first millisecond at which the key no longer works. Null: it never expires. */
  expiresAt: number | null;
  /** The names of the tools that the key may call, sorted. Null: all tools. */
  tools: readonly string[] | null;
  /** In credits, null: no budget. */
  budgets: KeyBudgets;
  /** The networks that the key may be used from, in CIDR notation (RFC 4632, RFC 4291). Null: anywhere. */
  networks: readonly string[] | null;
  /** Calls per second, with bursts of twice as many, within the limit of the account. Null: only that limit. */
  rate: number | null;
};

/** In the order in which they are checked: the budget that resets last comes first. */
export const BUDGET_PERIODS = ["total", "month", "day"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];
export type KeyBudgets = Record<BudgetPeriod, number | null>;

/**
 * What the calls of a key with a budget cost. `day` and `month` are of the UTC day that starts at `on` and of its month. A clock that is
 * behind by up to a day does not move the day back, so that it cannot reset a budget.
 */
export type KeySpent = {
  /**
   * Debits up to this time may not be counted here: they may be older than the key's first budget, or than the last change of one, or of
   * a day that was forgotten. Their reversals give nothing back.
   */
  since: number;
  on: number;
  day: number;
  month: number;
  total: number;
};

export const hasBudget = ({ budgets }: KeyLimits): boolean =>
  BUDGET_PERIODS.some((period) => budgets[period] !== null);

/** Whether both limit the same: an order that is repeated changes nothing. */
export const isSameLimits = (one: KeyLimits | null, other: KeyLimits | null): boolean =>
  JSON.stringify(one && membersOf(one)) === JSON.stringify(other && membersOf(other));

/** In an order of their own, whatever the order in which they were given. */
const membersOf = ({ expiresAt, tools, budgets, networks, rate }: KeyLimits) => [
  ...[expiresAt, tools, networks, rate],
  ...BUDGET_PERIODS.map((period) => budgets[period]),
];

/** The start of the UTC day that contains the time. */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/** The start of the UTC month that contains the time; with `ahead`, of the month so many months later. */
export function monthOf(at: number, ahead = 0): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead);
}

/** Whether the counted day is not the one of this time, so that a clock that is wrong would matter. */
export const isAnotherDay = ({ on }: KeySpent, now: number): boolean =>
  on < dayOf(now) || on > dayOf(now) + DAY_MS;

/**
 * What the key has spent in the periods that contain `now`, by the clock of a node. A time before the counted day counts as that day.
 * `clock`: the time of the store, which bounds the day: a day that a clock has counted more than a day ahead of it is forgotten, and no
 * reversal of a debit up to that day gives anything back.
 */
export function spentAt(spent: KeySpent, now: number, clock = now): KeySpent {
  const isFromAhead = spent.on > dayOf(clock) + DAY_MS;
  const on = dayOf(Math.min(now, clock));
  if (on <= spent.on && !isFromAhead) return spent;
  const isOtherMonth = monthOf(on) !== monthOf(spent.on);
  const since = isFromAhead ? Math.max(spent.since, spent.on + DAY_MS - 1) : spent.since;
  return { ...spent, since, on, day: 0, month: isOtherMonth ? 0 : spent.month };
}

/** A budget as it stands. `resetsAt` is null for the budget in all, which never resets. */
export type BudgetLeft = {
  credits: number;
  spent: number;
  remaining: number;
  resetsAt: number | null;
};

/** The budgets of a key at `now`; null where there is none. */
export const budgetsAt = (
  { limits, spent }: { limits: KeyLimits | null; spent: KeySpent | null },
  now: number,
) => budgetsOf(limits, spent && spentAt(spent, now), now);

/** The same from what the key has spent in the present periods, as `spentAt` returns it. */
export function budgetsOf(
  limits: KeyLimits | null,
  counted: KeySpent | null,
  clock: number,
): Record<BudgetPeriod, BudgetLeft | null> {
  const on = counted?.on ?? dayOf(clock);
  const left = (period: BudgetPeriod, resetsAt: number | null): BudgetLeft | null => {
    const credits = limits?.budgets[period] ?? null;
    if (credits === null) return null;
    const used = counted?.[period] ?? 0;
    return { credits, spent: used, remaining: Math.max(0, credits - used), resetsAt };
  };
  return {
    day: left("day", on + DAY_MS),
    month: left("month", monthOf(on, 1)),
    total: left("total", null),
  };
}

/** Whether a key that works should be revoked because it is unused: it is old, and its last use is as old or it had none. */
export function isUnused(
  {
    createdAt,
    lastUsedAt,
    revokedAt,
  }: { createdAt: number; lastUsedAt: number | null; revokedAt: number | null },
  now: number,
): boolean {
  return (
    revokedAt === null && Math.max(createdAt, lastUsedAt ?? 0) < now - KEY_UNUSED_DAYS * DAY_MS
  );
}
