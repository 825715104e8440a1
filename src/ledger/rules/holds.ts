import { CLOCKS_APART_MS, LEASE_MS_MAX } from "#limits.ts";
import { OrderRejected } from "../outcome-errors.ts";
import type { HoldOrder, HoldOutcome, Order, Outcome } from "../port.ts";
import { balanceAt } from "./balance.ts";
import { decideCharge, isCallKept, withKeyId } from "./debit.ts";
import { withRate } from "./key-limits.ts";
import { atOwnPrice } from "./own-prices.ts";
import { returnPart } from "./return-credits.ts";
import {
  type AccountRow,
  type CallKey,
  type Changes,
  type DebitRow,
  type HoldRow,
  type KeptCallRow,
  type Missing,
  type Needs,
  type Rows,
  unchanged,
  type Verdict,
} from "./rows.ts";
import { chargeHold } from "./settle.ts";

/** Holding the price of a call before it runs, and ending a hold without a charge. */

export function needsOfHold({ keySha256, credits, tool, idempotency }: HoldOrder): Needs {
  const needs: Needs = { callKey: keySha256, grants: { covering: credits } };
  if (idempotency !== null) needs.keptCall = { tool, key: idempotency.key };
  return needs;
}

export const decideHold = (rows: Rows, order: HoldOrder): Verdict<HoldOutcome> =>
  withKeyId(atOwnPrice(rows, order, holdPrice), rows, order);

/** Takes what a debit would take. As a debit, an accepted order needs no look-up: the store's unique constraint finds an earlier hold. */
function holdPrice(rows: Rows, order: HoldOrder): Verdict<HoldOutcome> {
  checkLease(order);
  const { account } = rows;
  if (account !== null && rows.hold) return repeatHold(account, rows, rows.hold, order);
  const charge = decideCharge({ ...rows, debit: null }, { ...order, idempotency: null });
  if ("needs" in charge) return charge;
  const { outcome, changes } = charge;
  const isOfKey =
    outcome.outcome === "debited" ||
    outcome.outcome === "insufficient_credits" ||
    outcome.outcome === "key_budget_exhausted";
  const earlier = isOfKey ? earlierCall(rows, order) : null;
  const rejection = earlier ?? (outcome.outcome === "debited" ? null : unchanged(outcome));
  if (rejection !== null) {
    const mayBeMade = account !== null && rows.hold === undefined && !("needs" in rejection);
    return mayBeMade ? { needs: { hold: true } } : (rejection as Verdict<HoldOutcome>);
  }

  const { debit, events: _, account: charged, ...others } = changes;
  const held: Changes = { ...others, hold: holdOf(order, debit as DebitRow) };
  const after = notifiedAsBefore(account as AccountRow, charged);
  if (after !== undefined) held.account = after;
  if (order.idempotency !== null) held.keptCall = claimOf(order, order.idempotency, rows.clock);
  const { charged: credits, balance } = outcome as Extract<typeof outcome, { outcome: "debited" }>;
  const key = rows.callKey as CallKey;
  return { outcome: withRate({ outcome: "held", credits, balance }, key), changes: held };
}

/** The longest time limit of a tool allows no longer lease. */
function checkLease({ leaseMs }: HoldOrder): void {
  if (Number.isSafeInteger(leaseMs) && leaseMs >= 1 && leaseMs <= LEASE_MS_MAX) return;
  throw new OrderRejected(
    `A lease cannot last ${leaseMs} ms: it is a whole number from 1 to ${LEASE_MS_MAX}`,
  );
}

/** The order was sent again because its response was lost. */
function repeatHold(
  account: AccountRow,
  rows: Rows,
  { credits }: HoldRow,
  { now }: HoldOrder,
): Verdict<HoldOutcome> {
  const balance = balanceAt(account, rows, now);
  return balance === null
    ? { needs: { sum: true } }
    : unchanged({ outcome: "held", credits, balance });
}

/** What an earlier call under the idempotency key decides, or too many of other keys; null if there is none. */
function earlierCall(rows: Rows, order: HoldOrder): Verdict<HoldOutcome> | null {
  const { idempotency, now } = order;
  if (idempotency === null) return null;
  const key = rows.callKey as CallKey;
  const balance = balanceAt(rows.account as AccountRow, rows, now);
  if (balance === null) return { needs: { sum: true } };
  const is = (outcome: HoldOutcome) => unchanged(withRate(outcome, key));
  const { keptCall, keptResponse, keptBytes } = rows;
  if (keptCall == null || !isCallKept(rows, now)) {
    if (keptBytes === undefined) return { needs: { keptBytes: true } };
    return keptBytes > idempotency.keptBytesMax ? is({ outcome: "too_much_kept", balance }) : null;
  }
  if (keptCall.bodySha256 !== idempotency.bodySha256)
    return is({ outcome: "idempotency_key_reused", balance });
  const { tool, state, callId, at } = keptCall;
  if (state === "running") return is({ outcome: "in_progress", balance });
  if (keptResponse === undefined)
    return { needs: { keptResponse: { tool, key: idempotency.key } } };
  return keptResponse === null
    ? is({ outcome: "outcome_unknown", callId, at, balance })
    : is({ outcome: "kept", response: keptResponse, balance });
}

const holdOf = ({ idempotency, onCrash, leaseMs, now }: HoldOrder, debit: DebitRow): HoldRow => {
  const { reversedAt: _, ...call } = debit;
  const lease = { leaseMs, leaseUntil: now + leaseMs, hasLapsed: false };
  return { ...call, key: idempotency?.key ?? null, onCrash, ...lease };
};

/** The owner is notified of the balance when the call is settled. */
function notifiedAsBefore(
  before: AccountRow,
  after: AccountRow | undefined,
): AccountRow | undefined {
  if (after === undefined) return undefined;
  const { frontGrant, rest, freeCall } = after;
  const isChanged =
    frontGrant !== before.frontGrant || rest !== before.rest || freeCall !== before.freeCall;
  return isChanged ? { ...after, notifiedLevel: before.notifiedLevel } : undefined;
}

/**
 * A record that a node with a slow clock makes counts from `clock`, the time of the store. Else it has the time of the hold, because
 * repeats are told the id of the call, which contains that time.
 */
function claimOf(
  { tool, now, callId, onCrash }: Pick<HoldOrder, "tool" | "now" | "callId" | "onCrash">,
  { key, bodySha256 }: { key: string; bodySha256: string },
  clock = now,
): KeptCallRow {
  return {
    ...{ tool, key, at: clock - now > CLOCKS_APART_MS ? clock : now, callId, bodySha256 },
    ...{ state: "running", mayAct: onCrash !== "release", bytes: 0 },
  };
}

export const needsOfEnd = (): Needs => ({ hold: true, grants: { covering: 0 } });

export function decideRelease(rows: Rows, order: Order<"release">): Verdict<Outcome<"release">> {
  const { account, hold } = rows;
  if (account === null) return unchanged({ released: false });
  if (hold === undefined) return { needs: { hold: true } };
  if (hold === null) return unchanged({ released: false });
  const changes = endUncharged(account, rows, hold, order.key, order.now);
  return "needs" in changes ? changes : { outcome: { released: true }, changes };
}

/** Gives back all that the hold holds. `key`: what becomes of its idempotency key. */
export function endUncharged(
  account: AccountRow,
  rows: Rows,
  hold: HoldRow,
  key: "free" | "unknown",
  now: number,
): Changes | Missing {
  const kept = keptAfter(rows, hold, key);
  if ("needs" in kept) return kept;
  const ended: Changes = { ...kept, endHold: hold };
  if (hold.isFree) return { ...ended, account: { ...account, freeCall: "open" } };
  if (hold.credits === 0) return ended;
  const returned = returnPart(account, rows, hold, hold.credits, now);
  return "needs" in returned ? returned : { ...ended, ...returned.changes };
}

/** The key of a closed account is forgotten already. */
function keptAfter(
  { keptCall }: Rows,
  { tool, key, callId }: HoldRow,
  state: "free" | "unknown",
): Changes | Missing {
  if (key === null) return {};
  if (keptCall === undefined) return { needs: { keptCall: { tool, key } } };
  if (keptCall?.callId !== callId) return {};
  return state === "free" ? { forgetKept: { tool, key } } : { keptCall: { ...keptCall, state } };
}

export function decideRenewal(
  { account, hold }: Rows,
  { now }: Order<"renew">,
): Verdict<Outcome<"renew">> {
  if (account === null) return unchanged({ renewed: false });
  if (hold === undefined) return { needs: { hold: true } };
  if (hold === null) return unchanged({ renewed: false });
  const renewed = { ...hold, leaseUntil: now + hold.leaseMs, hasLapsed: false };
  return { outcome: { renewed: true }, changes: { hold: renewed } };
}

/** One of the holds whose lease is over, which `expireHolds` finds. */
export type LapseOrder = { account: string; at: number; callId: string; now: number };

/** `ended`: the hold has ended. One that is not due was found by two nodes at once, or was renewed meanwhile. */
export function decideLapse(rows: Rows, { now }: LapseOrder): Verdict<{ ended: boolean }> {
  const { account, hold } = rows;
  if (account === null) return unchanged({ ended: false });
  if (hold === undefined) return { needs: { hold: true } };
  if (hold === null || now < hold.leaseUntil) return unchanged({ ended: false });
  if (!hold.hasLapsed) {
    const extended = { ...hold, leaseUntil: now + hold.leaseMs, hasLapsed: true };
    return { outcome: { ended: false }, changes: { hold: extended } };
  }
  const { onCrash } = hold;
  if (rows.debit === undefined) return { needs: { debit: true } };
  // The mark of a reversal that came before the hold: the call has never run.
  const isFree = onCrash === "release" || rows.debit !== null;
  const changes =
    onCrash === "charge" && !isFree
      ? endCharged(account, rows, hold, now)
      : endUncharged(account, rows, hold, isFree ? "free" : "unknown", now);
  return "needs" in changes ? changes : { outcome: { ended: true }, changes };
}

/** Charges what the hold holds. */
function endCharged(
  account: AccountRow,
  rows: Rows,
  hold: HoldRow,
  now: number,
): Changes | Missing {
  const settled = chargeHold(account, rows, hold, Number.POSITIVE_INFINITY, now);
  if ("needs" in settled) return settled;
  const kept = keptAfter(rows, hold, "unknown");
  return "needs" in kept ? kept : { ...settled.changes, ...kept };
}
