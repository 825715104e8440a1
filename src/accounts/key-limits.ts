import * as z from "zod";
import { counted } from "#counted.ts";
import { hasBudget, type KeyLimits } from "#ledger/key-limits.ts";
import { DAY_MS, GRANT_CREDITS_MAX, KEY_NETWORKS_MAX, ROTATION_DAYS_MAX } from "#limits.ts";
import { formatNetwork, parseNetwork } from "#networks.ts";
import { AccountError } from "./accounts.ts";

/** Reads the limits that a person chose for a key, on the dashboard or on the command line. */

/** What the service offers to limit. `callsPerSecond` is the rate limit of accounts; 0: they have none. */
export type KeyBounds = { tools: readonly string[]; callsPerSecond: number };

/** The end of the year 9999, after which an instant has no ISO form of four digits. */
const EXPIRES_MAX = Date.UTC(10_000, 0, 1) - 1;
/** For an account without a rate limit. */
const RATE_MAX = 100_000;
const NAMES_MAX = 100;

const budget = z
  .int()
  .min(1)
  .max(GRANT_CREDITS_MAX, `A budget is at most ${GRANT_CREDITS_MAX} credits.`)
  .nullable()
  .default(null);
const name = z.string().max(NAMES_MAX);

/** The form of the limits, without what depends on the service. A member that is missing is no limit. */
const keyLimitsForm = z.strictObject({
  expiresAt: z.int().min(0).max(EXPIRES_MAX).nullable().default(null),
  tools: z.array(name).max(NAMES_MAX).nullable().default(null),
  budgets: z.strictObject({ total: budget, month: budget, day: budget }).default(() => NO_BUDGETS),
  networks: z.array(name).max(KEY_NETWORKS_MAX).nullable().default(null),
  rate: z.int().min(1).nullable().default(null),
});
export type KeyLimitsForm = z.input<typeof keyLimitsForm>;

const NO_BUDGETS = { total: null, month: null, day: null };

/** What is wrong with a member of the wrong form. */
const FORMS: Record<string, string> = {
  expiresAt: "The expiry must be a time before the year 10000.",
  tools: "The tools must be a list of names.",
  budgets: `A budget must be a whole number of credits from 1 to ${GRANT_CREDITS_MAX}.`,
  networks: `A key can have at most ${KEY_NETWORKS_MAX} networks.`,
  rate: "The rate must be a whole number of calls per second, at least 1.",
};

/**
 * Returns the limits in the form in which they are stored: lists without repetitions, tools sorted, networks spelled in one
 * way; null if nothing is limited. Throws an AccountError, which says what is wrong with the first limit that is.
 *
 * `before`: the limits that the key has. Those that do not change stay, even if the service would no longer accept them.
 */
export function readKeyLimits(
  value: unknown,
  { tools: known, callsPerSecond }: KeyBounds,
  now: number,
  before: KeyLimits | null = null,
): KeyLimits | null {
  if (value === null) return null;
  const parsed = keyLimitsForm.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const member = String(issue?.path[0] ?? "");
    throw new AccountError(FORMS[member] ?? "The limits must be an object of known limits.");
  }
  const { expiresAt, budgets, rate } = parsed.data;
  if (expiresAt !== null && expiresAt <= now && expiresAt !== before?.expiresAt)
    throw new AccountError("The expiry must be in the future. To stop a key now, revoke it.");
  const tools = readTools(parsed.data.tools, known, before?.tools ?? []);
  const networks = readNetworks(parsed.data.networks);
  if (rate !== null && callsPerSecond > 0 && rate >= callsPerSecond && rate !== before?.rate)
    throw new AccountError(
      `The rate of a key must be below the account's limit of ${counted(callsPerSecond, "call")} per second.`,
    );
  if (rate !== null && rate > RATE_MAX)
    throw new AccountError(`The rate of a key is at most ${RATE_MAX} calls per second.`);
  const limits = { expiresAt, tools, budgets, networks, rate };
  const isNone =
    !hasBudget(limits) && [expiresAt, tools, networks, rate].every((limit) => limit === null);
  return isNone ? null : limits;
}

function readTools(
  names: string[] | null,
  known: readonly string[],
  before: readonly string[],
): string[] | null {
  if (names === null) return null;
  const unknown = names.find((each) => !known.includes(each) && !before.includes(each));
  if (unknown !== undefined)
    throw new AccountError(`There is no tool "${unknown}". The tools are ${known.join(", ")}.`);
  if (names.length === 0) throw new AccountError("Choose at least one tool that the key may call.");
  return [...new Set(names)].sort();
}

function readNetworks(texts: string[] | null): string[] | null {
  if (texts === null) return null;
  if (texts.length === 0) throw new AccountError("Enter at least one network.");
  const networks = texts.map((text) => {
    const network = parseNetwork(text.trim());
    if (network !== null) return formatNetwork(network);
    throw new AccountError(
      `"${text}" is not a network. Enter an address or a network such as 203.0.113.0/24 or 2001:db8::/48.`,
    );
  });
  return [...new Set(networks)];
}

/** How long the old secret of a rotated key works, in milliseconds. Throws an AccountError. */
export function readKeepMs(keepMs: number): number {
  if (Number.isSafeInteger(keepMs) && keepMs >= 0 && keepMs <= ROTATION_DAYS_MAX * DAY_MS)
    return keepMs;
  throw new AccountError(`The old secret can keep working for at most ${ROTATION_DAYS_MAX} days.`);
}
