import { GRANT_CREDITS_MAX, LOW_BALANCE_DEFAULT } from "#limits.ts";
import { daysAhead, levelOf, nextEventAt } from "../events.ts";
import { OrderRejected } from "../outcome-errors.ts";
import type { Order, Outcome } from "../port.ts";
import {
  balanceAt,
  isSpendable,
  notifyIfWorse,
  rebalance,
  recount,
  voidCredits,
  withChanged,
} from "./balance.ts";
import { withPrice } from "./own-prices.ts";
import {
  type AccountRow,
  type Changes,
  type GrantRow,
  type Needs,
  type Rows,
  unchanged,
  type Verdict,
} from "./rows.ts";

/** Opening, changing and closing accounts, and the events that become due as time passes. */

export function decideOpening(
  { account }: Rows,
  order: Order<"openAccount">,
): Verdict<Outcome<"openAccount">> {
  if (account !== null) return unchanged({ opened: false });
  const opened: AccountRow = {
    no: 0,
    id: order.account,
    createdAt: order.now,
    state: "open",
    freeCall: order.freeCall,
    lifetimeGrants: 0,
    lowBalance: LOW_BALANCE_DEFAULT,
    notifiedLevel: "gone",
    prices: null,
    frontGrant: null,
    rest: 0,
    summedUntil: 0,
  };
  return { outcome: { opened: true }, changes: { account: opened } };
}

export function needsOfAccountChange({ state, lowBalance }: Order<"changeAccount">): Needs {
  if (state === "closed") return { concerned: "every" };
  return lowBalance === undefined ? {} : { grants: { covering: 0 } };
}

/** A closed account stays closed. A balance that is already at the new level causes no event. */
export function decideAccountChange(
  rows: Rows,
  { state, lowBalance, price, now }: Order<"changeAccount">,
): Verdict<Outcome<"changeAccount">> {
  if (lowBalance !== undefined) checkLowBalance(lowBalance);
  const { account } = rows;
  if (account === null || (account.state === "closed" && state !== "closed"))
    return unchanged({ found: false, forfeited: 0 });
  if (state === "closed") return decideClosing(account, rows, now);
  const changed = { ...account, state: state ?? account.state };
  if (price !== undefined) changed.prices = withPrice(account.prices, price);
  if (lowBalance !== undefined) {
    const balance = balanceAt(account, rows, now);
    if (balance === null) return { needs: { sum: true } };
    Object.assign(changed, { lowBalance, notifiedLevel: levelOf(balance, lowBalance) });
  }
  return { outcome: { found: true, forfeited: 0 }, changes: { account: changed } };
}

function decideClosing(
  account: AccountRow,
  { concerned = [] }: Rows,
  now: number,
): Verdict<Outcome<"changeAccount">> {
  if (account.state === "closed")
    return unchanged({ found: true, forfeited: forfeitedOf(concerned) });
  let forfeited = 0;
  const grants = concerned
    .filter((grant) => isSpendable(grant, now) || grant.eventDueAt !== null)
    .map((grant) => {
      const unspent = isSpendable(grant, now) ? grant.remaining : 0;
      forfeited += unspent;
      return { ...voidCredits(grant, unspent, now), eventDueAt: null };
    });
  const closed: AccountRow = { ...account, state: "closed", notifiedLevel: "gone" };
  const { account: after } = recount(closed, withChanged(concerned, grants), now);
  return {
    outcome: { found: true, forfeited },
    changes: { account: after, grants, clearEvents: true, clearKept: true },
  };
}

/** The voided credits that are not clawed back. A clawback that rose after the account was closed reduces them. */
const forfeitedOf = (grants: readonly GrantRow[]): number =>
  grants.reduce((sum, { voided, clawback }) => sum + Math.max(0, voided - clawback), 0);

function checkLowBalance(lowBalance: number): void {
  if (Number.isSafeInteger(lowBalance) && lowBalance >= 0 && lowBalance <= GRANT_CREDITS_MAX)
    return;
  throw new OrderRejected(
    `Cannot set the low balance to ${lowBalance}: it must be a whole number from 0 to ${GRANT_CREDITS_MAX}`,
  );
}

const isDue = (grant: GrantRow, now: number): grant is GrantRow & { expiresAt: number } =>
  grant.expiresAt !== null && grant.eventDueAt !== null && grant.eventDueAt <= now;

/** One grant that expires soon or has expired. `maintain` finds these grants and decides each of them. */
export type DueOrder = { account: string; grantNo: number; now: number };

export const needsOfDue = ({ grantNo }: DueOrder): Needs => ({
  concerned: { nos: [grantNo] },
  grants: { covering: 0 },
});

/** `recorded`: an event was written. A grant that is not due was found by two nodes at once, and the other one recorded it. */
export function decideDue(rows: Rows, { now }: DueOrder): Verdict<{ recorded: boolean }> {
  const [grant] = rows.concerned ?? [];
  const { account } = rows;
  if (account === null || grant === undefined || !isDue(grant, now))
    return unchanged({ recorded: false });
  const { id, kind, remaining, expiresAt } = grant;
  const changes: Changes = { grants: [{ ...grant, eventDueAt: nextEventAt(expiresAt, now) }] };
  const days = daysAhead(expiresAt, now);
  if (days !== null) {
    if (remaining === 0 || account.state === "closed")
      return { outcome: { recorded: false }, changes };
    const event = { days, grant: { id, kind, remaining, expiresAt } };
    changes.events = [{ kind: "credits.expiring", ...event }];
    return { outcome: { recorded: true }, changes };
  }
  const balanced = rebalance(account, rows, changes.grants ?? [], now);
  if ("needs" in balanced) return balanced;
  const notified = notifyIfWorse(balanced);
  if (notified.account !== account) changes.account = notified.account;
  if (notified.events.length > 0) changes.events = notified.events;
  return { outcome: { recorded: notified.events.length > 0 }, changes };
}
