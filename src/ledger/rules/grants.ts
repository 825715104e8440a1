import { GRANT_CREDITS_MAX } from "#limits.ts";
import { type EventContent, nextEventAt } from "../events.ts";
import { type Grant, type LedgerOperations, OrderRefused } from "../port.ts";
import {
  isSpendable,
  rebalance,
  recordIfBetter,
  recount,
  tellIfWorse,
  voidCredits,
  withChanged,
} from "./balance.ts";
import type { AccountRow, Changes, GrantRow, Loads, Rows, Verdict } from "./rows.ts";

/** How grants are made and clawed back, and how the lifetime plan takes their ends and gives them back. */
type Order<Name extends keyof LedgerOperations> = LedgerOperations[Name][0];
type Outcome<Name extends keyof LedgerOperations> = LedgerOperations[Name][1];

export const loadsOfGrant = ({ id, kind }: Order<"grant">): Loads => ({
  concerned: kind === "lifetime" ? "every" : { ids: [id] },
  grants: { covering: 0 },
});

export function decideGrant(rows: Rows, order: Order<"grant">): Verdict<Outcome<"grant">> {
  checkGrant(order);
  const { account, concerned = [] } = rows;
  const { id, kind, amount, now } = order;
  if (account === null) return { outcome: { outcome: "no_account" }, changes: {} };
  const earlier = concerned.find((grant) => grant.id === id);
  // Before the account's state: sent again after the account was closed, the order was carried out all the same.
  if (earlier !== undefined)
    return { outcome: { outcome: "already_granted", grant: grantOf(earlier) }, changes: {} };
  if (account.state === "closed") return { outcome: { outcome: "no_account" }, changes: {} };

  const made = newGrant(account, order);
  const planned =
    kind === "lifetime" ? { ...account, lifetimeGrants: account.lifetimeGrants + 1 } : account;
  const waived = kind === "lifetime" ? waiveEnds(concerned, now) : [];
  const grants = [made, ...waived];
  const balanced =
    kind === "lifetime"
      ? recount(planned, withChanged(concerned, grants), now)
      : rebalance(planned, rows, grants, now);
  if ("need" in balanced) return balanced;
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
    ...{ no: 0, id, kind, amount, remaining: amount, voided: 0, voidedAt: null },
    ...{ clawback: 0, clawbackVersion: 0, grantedAt: now, expiresAt },
    waivedExpiresAt: isOnPlan ? end : null,
    eventDueAt: nextEventAt(expiresAt, now),
  };
}

/** Of spent grants too: a credit may come back to them. */
const waiveEnds = (grants: readonly GrantRow[], now: number): GrantRow[] =>
  grants
    .filter(({ expiresAt }) => expiresAt !== null && expiresAt > now)
    .map((grant) => ({
      ...grant,
      expiresAt: null,
      waivedExpiresAt: grant.expiresAt,
      eventDueAt: null,
    }));

/** The owner of a closed account is told of no end. */
const restoreEnds = ({ state }: AccountRow, grants: readonly GrantRow[], now: number): GrantRow[] =>
  grants
    .filter(({ waivedExpiresAt }) => waivedExpiresAt !== null)
    .map((grant) => ({
      ...grant,
      expiresAt: grant.waivedExpiresAt,
      waivedExpiresAt: null,
      eventDueAt: state === "closed" ? null : nextEventAt(grant.waivedExpiresAt, now),
    }));

export const loadsOfClawback = ({ grant }: Order<"clawback">): Loads => ({
  concerned: { ids: [grant] },
  grants: { covering: 0 },
});

export function decideClawback(rows: Rows, order: Order<"clawback">): Verdict<Outcome<"clawback">> {
  checkClawback(order);
  const { account, concerned = [] } = rows;
  const grant = concerned.find(({ id }) => id === order.grant);
  if (account === null || grant === undefined)
    return { outcome: { outcome: "no_grant" }, changes: {} };
  const spent = grant.amount - grant.remaining - grant.voided;
  if (order.version < grant.clawbackVersion)
    return { outcome: { outcome: "stale", voided: grant.voided, spent }, changes: {} };

  const clawed = clawBack(grant, order, account.state === "closed");
  const planned = planAfter(account, grant, clawed);
  const isPlanToggled = planned.lifetimeGrants > 0 !== account.lifetimeGrants > 0;
  if (isPlanToggled && !rows.isEveryConcerned) return { need: "concerned", grants: "every" };
  const ended = isPlanToggled
    ? endsAfter(planned, withChanged(concerned, [clawed]), order.now)
    : [];
  const grants = withChanged([clawed], ended);
  const balanced = isPlanToggled
    ? recount(planned, withChanged(concerned, grants), order.now)
    : rebalance(planned, rows, grants, order.now);
  if ("need" in balanced) return balanced;
  const told =
    clawed.clawback < grant.clawback
      ? { account: recordIfBetter(balanced), events: eventsOfReturn(grant, clawed, order.now) }
      : tellIfWorse(balanced);
  const changes: Changes = { grants };
  if (told.account !== account) changes.account = told.account;
  if (told.events.length > 0) changes.events = told.events;
  return { outcome: { outcome: "clawed_back", voided: clawed.voided, spent }, changes };
}

/** What is unspent of the credits is voided. Where the figure falls, voided ones come back, but not to a closed account. */
function clawBack(grant: GrantRow, order: Order<"clawback">, isClosed: boolean): GrantRow {
  const clawback = Math.min(order.credits, grant.amount);
  const unspent = isSpendable(grant, order.now) ? grant.remaining : 0;
  const missing = clawback - grant.voided;
  const taken = missing > 0 ? Math.min(unspent, missing) : isClosed ? 0 : missing;
  return voidCredits({ ...grant, clawback, clawbackVersion: order.version }, taken, order.now);
}

/** Credits that came back and can be spent are credits granted, to their owner. A closed account gets none back. */
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

const endsAfter = (account: AccountRow, grants: readonly GrantRow[], now: number): GrantRow[] =>
  account.lifetimeGrants > 0 ? waiveEnds(grants, now) : restoreEnds(account, grants, now);

export const grantOf = ({
  id,
  kind,
  amount,
  remaining,
  grantedAt,
  expiresAt,
  waivedExpiresAt,
}: GrantRow): Grant => ({
  ...{ id, kind, amount, remaining, grantedAt, expiresAt, waivedExpiresAt },
});

/** Rejects a grant that no ledger can hold. */
export function checkGrant(order: Pick<Order<"grant">, "kind" | "amount" | "expiresAt">): void {
  const { kind, amount, expiresAt } = order;
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > GRANT_CREDITS_MAX) {
    throw new OrderRefused(
      `Cannot grant ${amount} credits: a whole number from 1 to ${GRANT_CREDITS_MAX} is needed`,
    );
  }
  if (expiresAt !== null && !Number.isSafeInteger(expiresAt)) {
    throw new OrderRefused(
      `Cannot grant credits that expire at ${expiresAt}: whole milliseconds are needed`,
    );
  }
  if (kind === "lifetime" && expiresAt !== null) {
    throw new OrderRefused("Cannot grant lifetime credits that expire: leave out their end");
  }
}

function checkClawback({ credits, version }: Order<"clawback">): void {
  for (const [name, value] of [
    ["credits", credits],
    ["version", version],
  ] as const) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new OrderRefused(
      `Cannot claw back with ${name} ${value}: a whole number, 0 or more, is needed`,
    );
  }
}
