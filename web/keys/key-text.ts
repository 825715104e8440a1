import type { BudgetLeft, BudgetPeriod, KeyLimitsView, KeyView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { DAY_MS, longDay, timeText, timeUntil } from "../parts/numbers.ts";
import type { StateLabel } from "../parts/tone.ts";

/** What the list of keys says about a key. */

/** A key that expires within this time is marked. */
const EXPIRES_SOON_MS = 7 * DAY_MS;
/** Longer lists of tools are counted. */
const TOOLS_NAMED_MAX = 3;

export const PERIODS = ["day", "month", "total"] as const satisfies readonly BudgetPeriod[];
const PERIOD_TEXTS: Record<BudgetPeriod, string> = {
  day: "today",
  month: "this month",
  total: "in total",
};

/** What a budget has spent at `now`: nothing if it was reset since the page was loaded. */
export const spentOf = ({ spent, resetsAt }: BudgetLeft, now: number): number =>
  resetsAt !== null && resetsAt <= now ? 0 : spent;

/** `120 of 500 credits today`. */
const budgetText = (period: BudgetPeriod, budget: BudgetLeft, now: number): string =>
  `${formatNumber(spentOf(budget, now))} of ${counted(budget.credits, "credit")} ${PERIOD_TEXTS[period]}`;

/** In a narrow column, a time moves to the next line as a whole. */
const unbrokenTime = (at: number): string =>
  timeText(at).replaceAll(" ", "\u00a0").replace(",\u00a0", ", ");

/** The last day on which a key works, at least for a part of it. */
const lastDay = (expiresAt: number): string => longDay(expiresAt - 1);

/** The prefix of an address alone says nothing. */
export const networkText = (network: string): string =>
  network.replace(network.includes(":") ? /\/128$/ : /\/32$/, "");

function toolsText(names: readonly string[]): string {
  if (names.length > TOOLS_NAMED_MAX) return `${names.length} tools only`;
  return `${new Intl.ListFormat("en").format(names)} only`;
}

function networksText(networks: readonly string[]): string {
  const [only = "", ...others] = networks;
  return `from ${others.length === 0 ? networkText(only) : `${networks.length} networks`}`;
}

/** `hash and uuid only`, `120 of 500 credits today`, `expires 3 Mar 2027`: a phrase for each limit. */
export function limitPhrases(limits: KeyLimitsView | null, now: number): string[] {
  if (limits === null) return [];
  const { tools, budgets, networks, rate, expiresAt } = limits;
  const parts: string[] = [];
  if (tools !== null) parts.push(toolsText(tools));
  for (const period of PERIODS) {
    const budget = budgets[period];
    if (budget !== null) parts.push(budgetText(period, budget, now));
  }
  if (networks !== null) parts.push(networksText(networks));
  if (rate !== null) parts.push(`${counted(rate, "call")} per second`);
  if (expiresAt !== null) {
    parts.push(`${expiresAt <= now ? "expired" : "expires"} ${lastDay(expiresAt)}`);
  }
  return parts;
}

type KeyState = StateLabel & { details: string[] };

/** The state of a key that is not revoked: what stops its calls or will soon, then what the owner may want to know. */
export function stateOf(key: KeyView, now: number): KeyState {
  const state =
    expiryState(key, now) ?? budgetState(key, now) ?? expiringState(key, now) ?? unusedState(key);
  const rotated = isOldSecretValid(key, now)
    ? `Old secret until ${unbrokenTime(key.previousUntil ?? 0)}`
    : null;
  if (state !== null)
    return { ...state, details: [...state.details, ...(rotated ? [rotated] : [])] };
  return rotated === null
    ? { shape: "check", tone: "ok", title: "Active", details: [] }
    : { shape: "clock", tone: "ok", title: "Rotated", details: [rotated] };
}

/** Whether the secret before the last rotation still works. */
export const isOldSecretValid = ({ previousUntil }: KeyView, now: number): boolean =>
  previousUntil !== null && previousUntil > now;

function expiryState({ limits }: KeyView, now: number): KeyState | null {
  const expiresAt = limits?.expiresAt ?? null;
  if (expiresAt === null || expiresAt > now) return null;
  return {
    shape: "cross",
    tone: "bad",
    title: "Expired",
    details: [`Since ${unbrokenTime(expiresAt)}`],
  };
}

/** The budget that resets last decides. */
function budgetState({ limits }: KeyView, now: number): KeyState | null {
  if (limits === null) return null;
  const exhausted = PERIODS.map((period) => limits.budgets[period])
    .filter((budget) => budget !== null)
    .filter((budget) => spentOf(budget, now) >= budget.credits)
    .at(-1);
  if (exhausted === undefined) return null;
  const { resetsAt } = exhausted;
  return {
    shape: resetsAt === null ? "cross" : "clock",
    tone: resetsAt === null ? "bad" : "warn",
    title: "Budget used up",
    details: [resetsAt === null ? "It does not reset" : `Until ${unbrokenTime(resetsAt)}`],
  };
}

function expiringState({ limits }: KeyView, now: number): KeyState | null {
  const expiresAt = limits?.expiresAt ?? null;
  if (expiresAt === null || expiresAt - now > EXPIRES_SOON_MS) return null;
  return {
    shape: "clock",
    tone: "warn",
    title: "Expires soon",
    details: [timeUntil(expiresAt, now).replace(/^in/, "In")],
  };
}

const unusedState = ({ isUnused, lastUsedAt }: KeyView): KeyState | null =>
  isUnused
    ? {
        shape: "empty",
        tone: "warn",
        title: "Unused",
        details: [lastUsedAt === null ? "Never used in over 90 days" : "No calls for over 90 days"],
      }
    : null;
