import { GRANT_CREDITS_MAX } from "#limits.ts";
import { type EventContent, nextEventAt } from "../events.ts";
import type { Grant } from "../model.ts";
import { OrderRejected } from "../outcome-errors.ts";
import type { Order, Outcome } from "../port.ts";
import {
  isSpendable,
  notifyIfWorse,
  rebalance,
  recordIfBetter,
  recount,
  voidCredits,
  withChanged,
} from "./balance.ts";
import {
  type AccountRow,
  type Changes,
  type GrantRow,
  type Needs,
  type Rows,
  unchanged,
  type Verdict,
} from "./rows.ts";

/** Making grants, clawing them back, and how the lifetime plan changes their expiries. */

export const needsOfGrant = ({ id, kind }: Order<"grant">): Needs => ({
  concerned: kind === "lifetime" ? "every" : { ids: [id] },
  grants: { covering: 0 },
});

export function decideGrant(rows: Rows, order: Order<"grant">): Verdict<Outcome<"grant">> {
  checkGrant(order);
  const { account, concerned = [] } = rows;
  const { id, kind, amount, now } = order;
  if (account === null) return unchanged({ outcome: "no_account" });
  const earlier = concerned.find((grant) => grant.id === id);
  // Checked before the account's state: an order that is repeated after the account was closed was carried out.
  if (earlier !== undefined)
    return unchanged({ outcome: "already_granted", grant: grantOf(earlier) });
  if (account.state === "closed") return unchanged({ outcome: "no_account" });

  const made = newGrant(account, order);
  const planned =
    kind === "lifetime" ? { ...account, lifetimeGrants: account.lifetimeGrants + 1 } : account;
  const waived = kind === "lifetime" ? waiveExpiries(concerned, now) : [];
  const grants = [made, ...waived];
  const balanced =
    kind === "lifetime"
      ? recount(planned, withChanged(concerned, grants), now)
      : rebalance(planned, rows, grants, now);
  if ("needs" in balanced) return balanced;
  const { expiresAt } = made;
  const events = [{ kind: "credits.granted" as const, grant: { id, kind, amount, expiresAt } }];
  const after = recordIfBetter(balanced);
  const changes: Changes = { grants, events };
  if (after !== account) changes.account = after;
  return { outcome: { outcome: "granted", grant: grantOf(made) }, changes };
}

function newGrant(
  { lifetimeGrants }: AccountRow,
  { id, kind, amount, expiresAt: end, now }: Order<"grant">,
): GrantRow {
  const isOnPlan = lifetimeGrants > 0;
  const expiresAt = isOnPlan ? null : end;
  return {
    no: 0,
    id,
    kind,
    amount,
    remaining: amount,
    voided: 0,
    voidedAt: null,
    clawback: 0,
    clawbackVersion: 0,
    grantedAt: now,
    expiresAt,
    waivedExpiresAt: isOnPlan ? end : null,
    eventDueAt: nextEventAt(expiresAt, now),
  };
}

/** Spent grants are included, because a reversal may return credits to them. */
const waiveExpiries = (grants: readonly GrantRow[], now: number): GrantRow[] =>
  grants
    .filter(({ expiresAt }) => expiresAt !== null && expiresAt > now)
    .map((grant) => ({
      ...grant,
      expiresAt: null,
      waivedExpiresAt: grant.expiresAt,
      eventDueAt: null,
    }));

/** The owner of a closed account is not notified of expiries. */
const restoreExpiries = (
  { state }: AccountRow,
  grants: readonly GrantRow[],
  now: number,
): GrantRow[] =>
  grants
    .filter(({ waivedExpiresAt }) => waivedExpiresAt !== null)
    .map((grant) => ({
      ...grant,
      expiresAt: grant.waivedExpiresAt,
      waivedExpiresAt: null,
      eventDueAt: state === "closed" ? null : nextEventAt(grant.waivedExpiresAt, now),
    }));

export const needsOfClawback = ({ grant }: Order<"clawback">): Needs => ({
  concerned: { ids: [grant] },
  grants: { covering: 0 },
});

export function decideClawback(rows: Rows, order: Order<"clawback">): Verdict<Outcome<"clawback">> {
  checkClawback(order);
  const { account, concerned = [] } = rows;
  const grant = concerned.find(({ id }) => id === order.grant);
  if (account === null || grant === undefined) return unchanged({ outcome: "no_grant" });
  const spent = grant.amount - grant.remaining - grant.voided;
  const isStale =
    order.onlyRaises === true
      ? order.credits < grant.clawback
      : order.version < grant.clawbackVersion;
  if (isStale) return unchanged({ outcome: "stale", voided: grant.voided, spent });

  const clawed = clawBack(grant, order, account.state === "closed");
  const planned = planAfter(account, grant, clawed);
  const isPlanToggled = planned.lifetimeGrants > 0 !== account.lifetimeGrants > 0;
  if (isPlanToggled && !rows.isEveryConcerned) return { needs: { concerned: "every" } };
  const withNewExpiry = isPlanToggled
    ? expiriesAfter(planned, withChanged(concerned, [clawed]), order.now)
    : [];
  const grants = withChanged([clawed], withNewExpiry);
  const balanced = isPlanToggled
    ? recount(planned, withChanged(concerned, grants), order.now)
    : rebalance(planned, rows, grants, order.now);
  if ("needs" in balanced) return balanced;
  const notified =
    clawed.clawback < grant.clawback
      ? { account: recordIfBetter(balanced), events: eventsOfReturn(grant, clawed, order.now) }
      : notifyIfWorse(balanced);
  const changes: Changes = { grants };
  if (notified.account !== account) changes.account = notified.account;
  if (notified.events.length > 0) changes.events = notified.events;
  return { outcome: { outcome: "clawed_back", voided: clawed.voided, spent }, changes };
}

/** Voids the unspent credits that are clawed back. If the clawback falls, voided credits come back, except to a closed account. */
function clawBack(grant: GrantRow, order: Order<"clawback">, isClosed: boolean): GrantRow {
  const clawback = Math.min(order.credits, grant.amount);
  const unspent = isSpendable(grant, order.now) ? grant.remaining : 0;
  const missing = clawback - grant.voided;
  const taken = missing > 0 ? Math.min(unspent, missing) : isClosed ? 0 : missing;
  const clawbackVersion = Math.max(grant.clawbackVersion, order.version);
  return voidCredits({ ...grant, clawback, clawbackVersion }, taken, order.now);
}

/** Voided credits that became spendable again are reported as granted. */
function eventsOfReturn(before: GrantRow, after: GrantRow, now: number): EventContent[] {
  const amount = before.voided - after.voided;
  if (amount <= 0 || !isSpendable(after, now)) return [];
  const { id, kind, expiresAt } = after;
  return [{ kind: "credits.granted", grant: { id, kind, amount, expiresAt } }];
}

function planAfter(account: AccountRow, before: GrantRow, after: GrantRow): AccountRow {
  if (before.kind !== "lifetime") return account;
  const change = Number(isInForce(after)) - Number(isInForce(before));
  return change === 0 ? account : { ...account, lifetimeGrants: account.lifetimeGrants + change };
}

/** Whether a lifetime grant keeps its account on the plan. */
export const isInForce = ({ clawback, amount }: Pick<GrantRow, "clawback" | "amount">): boolean =>
  clawback < amount;

const expiriesAfter = (
  account: AccountRow,
  grants: readonly GrantRow[],
  now: number,
): GrantRow[] =>
  account.lifetimeGrants > 0 ? waiveExpiries(grants, now) : restoreExpiries(account, grants, now);

export function grantOf(row: GrantRow): Grant {
  const { id, kind, amount, remaining, grantedAt, expiresAt, waivedExpiresAt } = row;
  return { id, kind, amount, remaining, grantedAt, expiresAt, waivedExpiresAt };
}

/** Throws `OrderRejected` for an invalid grant. */
function checkGrant(order: Pick<Order<"grant">, "kind" | "amount" | "expiresAt">): void {
  const { kind, amount, expiresAt } = order;
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > GRANT_CREDITS_MAX) {
    throw new OrderRejected(
      `Cannot grant ${amount} credits: the amount must be a whole number from 1 to ${GRANT_CREDITS_MAX}`,
    );
  }
  if (expiresAt !== null && !Number.isSafeInteger(expiresAt)) {
    throw new OrderRejected(
      `Cannot grant credits that expire at ${expiresAt}: the expiry must be in whole milliseconds`,
    );
  }
  if (kind === "lifetime" && expiresAt !== null) {
    throw new OrderRejected("Lifetime credits cannot expire: leave out the expiry");
  }
}

function checkClawback({ credits, version }: Order<"clawback">): void {
  for (const [name, value] of [
    ["credits", credits],
    ["version", version],
  ] as const) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new OrderRejected(
      `Cannot claw back with ${name} ${value}: it must be a whole number, 0 or more`,
    );
  }
}
