import type {
  BudgetPeriod,
  KeyLimitsOrder,
  KeyLimitsView,
  KeysView,
} from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { parseNetwork } from "#networks.ts";
import { DAY_MS, dayOf, wholeNumberIn } from "../parts/numbers.ts";
import { networkText, PERIODS } from "./key-text.ts";

/** The form of a key's limits: what the user typed, what is wrong with it, and the order that it becomes. */

export const EXPIRY_CHOICES = ["none", "30", "90", "year", "date"] as const;
export type ExpiryChoice = (typeof EXPIRY_CHOICES)[number];

export type LimitsDraft = {
  expiry: ExpiryChoice;
  /** The last day on which the key works, as `2026-11-21` in UTC, if `expiry` is `date`. */
  day: string;
  isEveryTool: boolean;
  tools: string[];
  /** Empty: no budget. */
  budgets: Record<BudgetPeriod, string>;
  /** One on each line. */
  networks: string;
  rate: string;
};

type LimitField = "expiry" | "tools" | BudgetPeriod | "networks" | "rate";
export type LimitErrors = Partial<Record<LimitField, string>>;
export type KeyBounds = KeysView["bounds"];

const typed = (value: number | null | undefined): string =>
  value === null || value === undefined ? "" : formatNumber(value);

/** Tools that the service no longer has are left out. */
export const draftOf = (limits: KeyLimitsView | null, { tools }: KeyBounds): LimitsDraft => ({
  expiry: (limits?.expiresAt ?? null) === null ? "none" : "date",
  day: (limits?.expiresAt ?? null) === null ? "" : dayOf((limits?.expiresAt ?? 0) - 1),
  isEveryTool: (limits?.tools ?? null) === null,
  tools: tools.filter((name) => limits?.tools?.includes(name)),
  budgets: {
    day: typed(limits?.budgets.day?.credits),
    month: typed(limits?.budgets.month?.credits),
    total: typed(limits?.budgets.total?.credits),
  },
  networks: (limits?.networks ?? []).map(networkText).join("\n"),
  rate: typed(limits?.rate),
});

/** Whether a key can have a rate of its own: there must be a whole number below the account's limit. */
export const hasRate = ({ callsPerSecond }: KeyBounds): boolean => callsPerSecond !== 1;

/** The last day on which a key works that the user chose an expiry for. */
export function lastDayOf({ expiry, day }: LimitsDraft, now: number): string | null {
  if (expiry === "none") return null;
  if (expiry === "date") return day;
  if (expiry !== "year") return dayOf(now + Number(expiry) * DAY_MS);
  const date = new Date(now);
  return dayOf(date.setUTCFullYear(date.getUTCFullYear() + 1));
}

/** The budget that the user typed, in credits; null if it is none, or not a number. */
export const budgetIn = ({ budgets }: LimitsDraft, period: BudgetPeriod): number | null =>
  wholeNumberIn(budgets[period]);

const networksIn = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== "");

/** What is wrong with each field. An expiry that was not changed may be in the past. */
export function errorsOf(
  draft: LimitsDraft,
  before: LimitsDraft,
  bounds: KeyBounds,
  now: number,
): LimitErrors {
  const found: [LimitField, string | undefined][] = [
    ["expiry", isSameExpiry(draft, before) ? undefined : expiryError(draft, now)],
    [
      "tools",
      draft.isEveryTool || draft.tools.length > 0
        ? undefined
        : "Choose at least one tool, or allow all tools.",
    ],
    ...PERIODS.map((period): [LimitField, string | undefined] => [
      period,
      budgetError(draft.budgets[period]),
    ]),
    ["networks", networksError(draft.networks, bounds)],
    ["rate", rateError(draft.rate, bounds)],
  ];
  return Object.fromEntries(found.filter(([, error]) => error !== undefined));
}

const isSameExpiry = (draft: LimitsDraft, before: LimitsDraft): boolean =>
  draft.expiry === before.expiry && draft.day === before.day && draft.day !== "";

/** Later days have no ISO form of four digits. */
const DAY_MAX = "9998-12-31";

function expiryError(draft: LimitsDraft, now: number): string | undefined {
  const day = lastDayOf(draft, now);
  if (day === null) return undefined;
  if (Number.isNaN(Date.parse(day))) return "Choose the last day on which the key works.";
  if (day.length > DAY_MAX.length || day > DAY_MAX) return "Choose a day before the year 9999.";
  return day < dayOf(now)
    ? "Choose today or a later day. To stop a key now, revoke it."
    : undefined;
}

function budgetError(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  const credits = wholeNumberIn(text);
  if (credits === null || credits === 0) {
    return "Enter a whole number of credits, or leave it empty.";
  }
  return credits > GRANT_CREDITS_MAX
    ? `Enter at most ${formatNumber(GRANT_CREDITS_MAX)} credits.`
    : undefined;
}

function networksError(text: string, { networksMax }: KeyBounds): string | undefined {
  const networks = networksIn(text);
  const wrong = networks.find((each) => parseNetwork(each) === null);
  if (wrong !== undefined) {
    return `“${wrong}” is not an address or a network. Enter one such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48.`;
  }
  return networks.length > networksMax
    ? `Enter at most ${counted(networksMax, "network")}. You entered ${networks.length}.`
    : undefined;
}

function rateError(text: string, { callsPerSecond }: KeyBounds): string | undefined {
  if (text.trim() === "") return undefined;
  const rate = wholeNumberIn(text);
  if (rate === null || rate === 0) return "Enter a whole number of calls, or leave it empty.";
  return callsPerSecond > 0 && rate >= callsPerSecond
    ? `Enter less than ${callsPerSecond}, the limit of your account.`
    : undefined;
}

/** The limits of a valid draft; null if it limits nothing. `before` and `limits` are those of the key when the form opened. */
export function orderOf(
  draft: LimitsDraft,
  before: LimitsDraft,
  limits: KeyLimitsView | null,
  now: number,
): KeyLimitsOrder | null {
  const { isEveryTool, rate } = draft;
  const networks = networksIn(draft.networks);
  const day = lastDayOf(draft, now);
  const endOfDay = day === null ? null : Date.parse(day) + DAY_MS;
  const order = {
    // The day of an expiry at another time than midnight must not round it when only another limit is changed.
    expiresAt: isSameExpiry(draft, before) ? (limits?.expiresAt ?? null) : endOfDay,
    tools: isEveryTool ? null : draft.tools,
    networks: networks.length === 0 ? null : networks,
    rate: wholeNumberIn(rate),
    budgets: {
      day: budgetIn(draft, "day"),
      month: budgetIn(draft, "month"),
      total: budgetIn(draft, "total"),
    },
  };
  const { budgets: chosen, ...others } = order;
  const isNone = [...Object.values(others), ...Object.values(chosen)].every(
    (each) => each === null,
  );
  return isNone ? null : order;
}
