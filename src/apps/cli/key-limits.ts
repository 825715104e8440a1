import { BUDGET_PERIODS, type BudgetPeriod, budgetsAt } from "#ledger/key-limits.ts";
import type { Key, KeyLimits } from "#ledger/port.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { creditsFrom, integerFrom, readEnd } from "./arguments.ts";
import { option } from "./command.ts";
import { counted, instantOrNull, integer, minute } from "./text.ts";

/** The limits of a key on the command line: their options, and how they are shown. The service checks what they name. */

/** A limit that a command names: its value, or null to remove it. */
type Change<Value> = Value | null | undefined;

const orNone =
  <Value>(read: (text: string, name: string) => Value) =>
  (text: string, name: string): Value | null =>
    text === "none" ? null : read(text, name);

const readList = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

const budget = option("N", orNone(creditsFrom(1)));

export const LIMIT_PARAMETERS = {
  expires: option("WHEN", orNone(readEnd)),
  tools: option("LIST", orNone(readList)),
  "budget-day": budget,
  "budget-month": budget,
  "budget-total": budget,
  networks: option("LIST", orNone(readList)),
  rate: option("N", orNone(integerFrom(1, GRANT_CREDITS_MAX))),
};

export const LIMIT_DETAILS: readonly string[] = [
  "WHEN is a date (2027-01-31: the key works to the end of that day in UTC) or a time with its offset. --tools and --networks take lists without spaces, such as hash,uuid and 203.0.113.0/24,2001:db8::/48. Budgets are in credits per UTC day, per UTC month and in all; they count from now on. --rate is in calls per second, below the limit of the account.",
];

type LimitChange = {
  expires?: Change<number>;
  tools?: Change<string[]>;
  "budget-day"?: Change<number>;
  "budget-month"?: Change<number>;
  "budget-total"?: Change<number>;
  networks?: Change<string[]>;
  rate?: Change<number>;
};

export const isEmptyChange = (change: LimitChange): boolean =>
  Object.values(change).every((value) => value === undefined);

/** Returns the limits after a change. What the change does not name stays. */
export function changeLimits(before: KeyLimits | null, change: LimitChange) {
  const changed = <Value>(value: Change<Value>, old: Value | null | undefined): Value | null =>
    value === undefined ? (old ?? null) : value;
  const { budgets } = before ?? {};
  const limits = {
    expiresAt: changed(change.expires, before?.expiresAt),
    tools: changed<readonly string[]>(change.tools, before?.tools),
    budgets: {
      total: changed(change["budget-total"], budgets?.total),
      month: changed(change["budget-month"], budgets?.month),
      day: changed(change["budget-day"], budgets?.day),
    },
    networks: changed<readonly string[]>(change.networks, before?.networks),
    rate: changed(change.rate, before?.rate),
  };
  const { tools, networks } = limits;
  return { ...limits, tools: tools && [...tools], networks: networks && [...networks] };
}

/** Says what limits allow, in a few words for each. */
export function describeLimits(
  { limits, spent, previous }: Pick<Key, "limits" | "spent" | "previous">,
  now: number,
): string[] {
  const parts: string[] = [];
  if (previous !== null && previous.until > now)
    parts.push(`old secret until ${minute(previous.until, "")}`);
  if (limits === null) return parts;
  const { expiresAt, tools, networks, rate } = limits;
  if (expiresAt !== null)
    parts.push(`${expiresAt > now ? "expires" : "expired"} ${minute(expiresAt, "")}`);
  if (tools !== null) parts.push(`tools ${tools.join(", ")}`);
  const budgets = budgetsAt({ limits, spent }, now);
  for (const period of BUDGET_PERIODS.toReversed()) {
    const left = budgets[period];
    if (left === null) continue;
    const { credits, remaining } = left;
    parts.push(`${counted(credits, "credit")} ${PERIODS[period]} (${integer(remaining)} left)`);
  }
  if (networks !== null) parts.push(`networks ${networks.join(", ")}`);
  if (rate !== null) parts.push(`${counted(rate, "call")} per second`);
  return parts;
}

const PERIODS: Record<BudgetPeriod, string> = {
  total: "in all",
  month: "per month",
  day: "per day",
};

/** The limits in JSON output; null if there are none. */
export function viewLimits(key: Pick<Key, "limits" | "spent">, now: number) {
  const { limits } = key;
  if (limits === null) return null;
  const budgets = Object.entries(budgetsAt(key, now)).map(([period, left]) => [
    period,
    left && { ...left, resetsAt: instantOrNull(left.resetsAt) },
  ]);
  return {
    ...limits,
    expiresAt: instantOrNull(limits.expiresAt),
    budgets: Object.fromEntries(budgets),
  };
}
