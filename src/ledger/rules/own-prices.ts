import { OWN_PRICES_MAX, PRICE_CREDITS_MAX } from "#limits.ts";
import { OrderRejected } from "../outcome-errors.ts";
import type { AccountRow, Rows, Verdict } from "./rows.ts";

/** The prices that the operator has set for an account, in place of those of the tools. */

type Priced = { tool?: string | null; credits?: number };
type Decide<Order, Outcome> = (rows: Rows, order: Order) => Verdict<Outcome>;

/** The outcomes by which the service says or needs the price. */
const SAY_PRICE: ReadonlySet<string> = new Set([
  ...["good", "held", "insufficient_credits", "key_budget_exhausted"],
]);

/** Decides about a call at the account's own price. The outcome then says it. */
export function atOwnPrice<Order extends Priced, Outcome extends { outcome: string }>(
  rows: Rows,
  order: Order,
  decide: Decide<Order, Outcome>,
): Verdict<Outcome> {
  const price = ownPriceOf(rows.account, order);
  if (price === undefined) return decide(rows, order);
  const verdict = decide(rows, { ...order, credits: price });
  if ("needs" in verdict || !SAY_PRICE.has(verdict.outcome.outcome)) return verdict;
  return { ...verdict, outcome: { ...verdict.outcome, price } };
}

function ownPriceOf(account: AccountRow | null, { tool }: Priced): number | undefined {
  const prices = account === null ? null : account.prices;
  if (prices === null || tool == null) return undefined;
  // A tool may be named as a member that every object has.
  return Object.hasOwn(prices, tool) ? prices[tool] : undefined;
}

/** `credits`: null removes the account's own price. */
export type PriceChange = { tool: string; credits: number | null };

/** Returns the prices after a change. Throws `OrderRejected` for a wrong price, and for too many. */
export function withPrice(
  prices: AccountRow["prices"],
  { tool, credits }: PriceChange,
): AccountRow["prices"] {
  const { [tool]: _, ...others } = prices ?? {};
  if (credits === null) return Object.keys(others).length === 0 ? null : others;
  if (!(Number.isSafeInteger(credits) && credits >= 0 && credits <= PRICE_CREDITS_MAX))
    throw new OrderRejected(
      `Cannot set the price ${credits}: it must be a whole number from 0 to ${PRICE_CREDITS_MAX}`,
    );
  if (Object.keys(others).length >= OWN_PRICES_MAX)
    throw new OrderRejected(`An account has at most ${OWN_PRICES_MAX} prices of its own`);
  return { ...others, [tool]: credits };
}
