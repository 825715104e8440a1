import { PRICE_CREDITS_MAX } from "#limits.ts";
import { OrderRejected } from "../outcome-errors.ts";
import type { SettleOrder, SettleOutcome } from "../port.ts";
import { balanceAt, notifyIfWorse } from "./balance.ts";
import { decideCharge, isCallKept } from "./debit.ts";
import { returnPart, splitParts } from "./return-credits.ts";
import {
  type AccountRow,
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

/** Charging a call that held its price, after its work. */

export function needsOfSettlement({ keySha256, tool, idempotency }: SettleOrder): Needs {
  const needs: Needs = { hold: true, callKey: keySha256, grants: { covering: 0 } };
  if (idempotency !== null) needs.keptCall = { tool, key: idempotency.key };
  return needs;
}

export function decideSettlement(rows: Rows, order: SettleOrder): Verdict<SettleOutcome> {
  const { credits, now } = order;
  if (!(Number.isSafeInteger(credits) && credits >= 0 && credits <= PRICE_CREDITS_MAX))
    throw new OrderRejected(
      `A call cannot be settled with ${credits} credits: it is a whole number from 0 to ${PRICE_CREDITS_MAX}`,
    );
  const { account, hold, debit: made } = rows;
  if (account === null) return unchanged({ outcome: "invalid_key" });
  if (hold === undefined) return { needs: { hold: true } };
  if (made?.reversedAt != null)
    throw new OrderRejected(`The call ${order.callId} was reversed and cannot be settled`);
  if (hold === null) return settleLate(account, rows, order);
  const charged = chargeHold(account, rows, hold, credits, now);
  if ("needs" in charged) return charged;
  const { debit, balance } = charged;
  const changes = { ...charged.changes, ...keptBy(rows, order) };
  return { outcome: { outcome: "settled", charged: debit.credits, balance }, changes };
}

/** Debits so many of the credits that the hold holds, at most all, and gives the rest back. */
export function chargeHold(
  account: AccountRow,
  rows: Rows,
  hold: HoldRow,
  credits: number,
  now: number,
): { changes: Changes; debit: DebitRow; balance: number } | Missing {
  const charged = hold.isFree ? 0 : Math.min(credits, hold.credits);
  const rest = hold.credits - charged;
  const changes: Changes = {};
  let balance: number | null;
  if (rest === 0) {
    balance = balanceAt(account, rows, now);
    if (balance === null) return { needs: { sum: true } };
  } else {
    const returned = returnPart(account, rows, hold, rest, now);
    if ("needs" in returned) return returned;
    Object.assign(changes, returned.changes);
    balance = returned.balance;
  }
  // A call with a price of 0 does not use up the free call.
  const isFree = hold.isFree && credits > 0;
  let after = changes.account ?? account;
  if (hold.isFree && !isFree) after = { ...after, freeCall: "open" };
  if (charged > 0) {
    const notified = notifyIfWorse({ account: after, balance });
    after = notified.account;
    if (notified.events.length > 0) changes.events = notified.events;
  }
  if (after !== account) changes.account = after;
  const debit = debitOf(hold, charged, isFree);
  return { changes: { ...changes, debit, endHold: hold }, debit, balance };
}

function debitOf(hold: HoldRow, credits: number, isFree: boolean): DebitRow {
  const { at, callId, keyNo, tool, grantNo, parts } = hold;
  const paid = parts === null ? [] : splitParts(parts, credits).first;
  return {
    ...{ at, callId, keyNo, tool, credits, isFree },
    grantNo: credits === 0 ? null : grantNo,
    parts: paid.length < 2 ? null : paid,
    reversedAt: null,
  };
}

/** The response, for the repeats of the call. Nothing is kept for a closed account. */
function keptBy({ keptCall }: Rows, { callId, idempotency }: SettleOrder): Changes {
  if (idempotency === null || keptCall == null || keptCall.callId !== callId) return {};
  return { keptCall: withResponse(keptCall, idempotency.response) };
}

const withResponse = (call: KeptCallRow, response: string) => ({
  ...call,
  state: "kept" as const,
  bytes: response.length,
  response,
});

/** The hold has ended. The order may have been carried out before; else the call is charged as if it came now. */
function settleLate(account: AccountRow, rows: Rows, order: SettleOrder): Verdict<SettleOutcome> {
  const { callId, at, now, tool, idempotency } = order;
  const { debit, keptCall } = rows;
  if (debit === undefined) return { needs: { debit: true } };
  const balance = balanceAt(account, rows, now);
  if (balance === null) return { needs: { sum: true } };
  if (debit !== null) {
    // It may have been charged because its holder was silent, and then its response is still missing.
    const isMissing = keptCall?.state === "unknown";
    const changes = isMissing ? keptBy(rows, order) : {};
    return { outcome: { outcome: "settled", charged: debit.credits, balance }, changes };
  }
  const isClaimed = keptCall != null && isCallKept(rows, now) && keptCall.callId !== callId;
  if (isClaimed) return unchanged({ outcome: "superseded", balance });
  // A node's clock may be behind the counted day: a call that is charged as it comes counts as any other.
  const madeAt = at === now ? undefined : at;
  const charge = decideCharge({ ...rows, debit: null }, { ...order, idempotency: null }, madeAt);
  if ("needs" in charge) return charge;
  const { outcome, changes } = charge;
  if (outcome.outcome !== "debited") return unchanged(outcome as SettleOutcome);
  const late: Changes = { ...changes, debit: { ...(changes.debit as DebitRow), at } };
  if (idempotency !== null) {
    const { key, bodySha256, response } = idempotency;
    const mayAct = keptCall != null && keptCall.callId === callId && keptCall.mayAct;
    const claim = { tool, key, at, callId, bodySha256, state: "kept" as const, mayAct, bytes: 0 };
    late.keptCall = withResponse(claim, response);
  }
  const { charged } = outcome;
  return {
    outcome: { outcome: "settled", charged, balance: outcome.balance, isLate: true },
    changes: late,
  };
}
