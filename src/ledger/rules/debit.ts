import { CLOCKS_APART_MS, IDEMPOTENCY_KEPT_MS, PRICE_CREDITS_MAX } from "#limits.ts";
import { isAnotherDay } from "../key-limits.ts";
import { LAST_USED_STEP_MS } from "../model.ts";
import { OrderRejected } from "../outcome-errors.ts";
import type { DebitOrder, DebitOutcome, HoldOutcome, KeyStatus, KeyStatusOrder } from "../port.ts";
import { balanceAt, isSpendable, notifyIfWorse, withBalance } from "./balance.ts";
import {
  type ChargeTime,
  exhaustedBudget,
  invalidityOf,
  prohibitionOf,
  spend,
  withRate,
} from "./key-limits.ts";
import { atOwnPrice } from "./own-prices.ts";
import {
  type AccountRow,
  type CallKey,
  type Changes,
  type DebitPart,
  type DebitRow,
  type HeldSum,
  type IdempotencyRow,
  type Missing,
  type Needs,
  type OpenGrant,
  type Rows,
  unchanged,
  type Verdict,
} from "./rows.ts";

/** The status of a call's key, and the debit of a call. */

export const needsOfKeyStatus = (order: KeyStatusOrder): Needs => {
  const { keySha256, tool = null, idempotencyKey = null } = order;
  const needs = { callKey: keySha256, grants: { covering: 0 } };
  if (tool === null || idempotencyKey === null) return needs;
  const named = { tool, key: idempotencyKey };
  return order.isHeld ? { ...needs, keptCall: named } : { ...needs, earlier: named };
};

export const decideKeyStatus = (rows: Rows, order: KeyStatusOrder): Verdict<KeyStatus> =>
  withKeyId(atOwnPrice(rows, order, decideStatus), rows, order);

/** Names the key if the order asks for it. Otherwise every outcome would be larger by an id. */
export function withKeyId<Outcome extends KeyStatus | DebitOutcome | HoldOutcome>(
  verdict: Verdict<Outcome>,
  { account, callKey }: Rows,
  { namesKey }: { namesKey?: boolean },
): Verdict<Outcome> {
  if (namesKey !== true || "needs" in verdict) return verdict;
  // A revoked key is named, so that its owner sees who still uses it.
  if (callKey == null || account?.state === "closed") return verdict;
  return { ...verdict, outcome: { ...verdict.outcome, keyId: callKey.id } };
}

function decideStatus(rows: Rows, order: KeyStatusOrder): Verdict<KeyStatus> {
  const { account } = rows;
  const { now, credits = 0, idempotencyKey = null } = order;
  if (account === null) return unchanged({ outcome: "invalid_key" });
  const invalidity = invalidityOf(account, rows.callKey, order);
  if (invalidity !== null) return unchanged(invalidity);
  const key = rows.callKey as CallKey;
  const balance = balanceAt(account, rows, now);
  if (balance === null) return { needs: { sum: true } };
  if (account.state === "suspended") return unchanged({ outcome: "account_suspended", balance });
  const prohibition = prohibitionOf(key, order, balance);
  if (prohibition !== null) return unchanged(prohibition);
  const status: KeyStatus = { outcome: "good", balance, freeCall: account.freeCall === "open" };
  if (idempotencyKey !== null)
    status.replayable = order.isHeld ? isCallKept(rows, order.now) : isKept(rows, order);
  const { held } = rows;
  const exhausted = exhaustedBudget(key, credits, { now }, held);
  if (balance < credits || exhausted !== null) {
    if (held === undefined) return { needs: { held: true } };
    const heldCredits = sumOf(held);
    if (balance < credits && heldCredits > 0) status.heldCredits = heldCredits;
  }
  return unchanged(withRate(exhausted === null ? status : { ...status, exhausted }, key));
}

export const needsOfDebit = ({ keySha256, credits, tool, idempotency }: DebitOrder): Needs =>
  idempotency === null
    ? { callKey: keySha256, grants: { covering: credits } }
    : {
        callKey: keySha256,
        grants: { covering: credits },
        earlier: { tool, key: idempotency.key },
      };

/**
 * Whether the order was carried out before matters only if it would be rejected otherwise (`needs: { debit: true }`). An accepted order
 * needs no look-up: the store's unique constraint finds an earlier debit, and the store decides again with it in `rows.debit`.
 */
export const decideDebit = (rows: Rows, order: DebitOrder): Verdict<DebitOutcome> =>
  withKeyId(atOwnPrice(rows, order, decideCharge), rows, order);

/**
 * A rule that finds out by itself whether the call was charged before passes `debit: null`.
 * `madeAt`: when the call was made, if it is charged late.
 */
export function decideCharge(
  rows: Rows,
  order: DebitOrder,
  madeAt?: number,
): Verdict<DebitOutcome> {
  checkPrice(order);
  const { account } = rows;
  if (account === null) return unchanged({ outcome: "invalid_key" });
  if (rows.debit) return repeatDebit(account, rows, rows.debit, order);
  const invalidity = invalidityOf(account, rows.callKey, order);
  if (invalidity !== null) return reject(rows, invalidity);
  const key = rows.callKey as CallKey;
  const balance = balanceAt(account, rows, order.now);
  if (balance === null) return { needs: { sum: true } };
  if (account.state === "suspended") return reject(rows, { outcome: "account_suspended", balance });
  const prohibition = prohibitionOf(key, order, balance);
  if (prohibition !== null) return reject(rows, prohibition);
  const replay = replayOf(rows, order, balance);
  if (replay !== null) return reject(rows, withRate(replay, key));

  const isFree = isFreeCall(account, order);
  const credits = isFree ? 0 : order.credits;
  // Only then could the clock of a node be wrong by a day, so that most calls do not ask the store.
  const mayBeAhead = credits > 0 && key.spent !== null && isAnotherDay(key.spent, order.now);
  if (mayBeAhead && rows.clock === undefined) return { needs: { clock: true } };
  const time = { now: order.now, clock: rows.clock, madeAt };
  const exhausted = exhaustedBudget(key, credits, time, rows.held);
  if (exhausted !== null)
    return rejectUnpaid(rows, key, { outcome: "key_budget_exhausted", balance, ...exhausted });
  if (balance < credits) {
    const heldCredits = sumOf(rows.held ?? []);
    const poor = { outcome: "insufficient_credits" as const, balance };
    return rejectUnpaid(rows, key, heldCredits === 0 ? poor : { ...poor, heldCredits });
  }
  const taken = take(rows, credits, order.now);
  if ("needs" in taken) return taken;
  const left = balance - credits;
  const changes: Changes = {
    debit: debitOf(order, credits, isFree, key.no, taken.parts),
  };
  if (taken.parts.length > 0) changes.drawn = taken.parts.map(({ grant }) => grant);
  const used = useKey(key, credits, time);
  if (used !== null) changes.usedKey = used;
  if (order.idempotency !== null) changes.earlier = recordOf(order, rows.clock);

  let after = withBalance(account, taken.front, left);
  if (isFree) after = { ...after, freeCall: "used" };
  if (credits > 0) {
    const notified = notifyIfWorse({ account: after, balance: left });
    after = notified.account;
    if (notified.events.length > 0) changes.events = notified.events;
  }
  if (after !== account) changes.account = after;
  const outcome: DebitOutcome = { outcome: "debited", charged: credits, balance: left };
  return { outcome: withRate(outcome, key), changes };
}

function checkPrice({ credits }: DebitOrder): void {
  if (Number.isSafeInteger(credits) && credits >= 0 && credits <= PRICE_CREDITS_MAX) return;
  throw new OrderRejected(
    `A call cannot cost ${credits} credits: the price is a whole number from 0 to ${PRICE_CREDITS_MAX}`,
  );
}

/** The outcome says what running calls hold: that may come back, whereas what is spent does not. */
function rejectUnpaid(rows: Rows, key: CallKey, outcome: DebitOutcome): Verdict<DebitOutcome> {
  if (rows.debit !== undefined && rows.held === undefined) return { needs: { held: true } };
  return reject(rows, withRate(outcome, key));
}

const sumOf = (held: readonly HeldSum[]): number =>
  held.reduce((sum, { credits }) => sum + credits, 0);

/** An order that was carried out before is not rejected, even if its key was revoked since. */
const reject = (rows: Rows, outcome: DebitOutcome): Verdict<DebitOutcome> =>
  rows.debit === undefined ? { needs: { debit: true } } : unchanged(outcome);

/** The order was sent again because its response was lost. */
function repeatDebit(
  account: AccountRow,
  rows: Rows,
  { reversedAt, credits }: DebitRow,
  { callId, now }: DebitOrder,
): Verdict<DebitOutcome> {
  if (reversedAt !== null)
    throw new OrderRejected(`The call ${callId} was reversed and cannot be debited again`);
  const balance = balanceAt(account, rows, now);
  if (balance === null) return { needs: { sum: true } };
  return unchanged({ outcome: "debited", charged: credits, balance });
}

/** The outcome that an earlier call with the same idempotency key determines; null if there is none. */
function replayOf(rows: Rows, order: DebitOrder, balance: number): DebitOutcome | null {
  const { idempotency } = order;
  const { earlier } = rows;
  if (idempotency === null || earlier == null || !isKept(rows, order)) return null;
  if (earlier.bodySha256 !== idempotency.bodySha256)
    return { outcome: "idempotency_key_reused", balance };
  const { responseSha256, receivedAt, random } = earlier;
  return { outcome: "replayed", balance, replay: { responseSha256, receivedAt, random } };
}

/** A record is kept until it is old by the store's clock too: a node whose clock is ahead must not make a repeat a new call. */
function isKept({ earlier, clock }: Rows, { now }: DebitOrder | KeyStatusOrder): boolean {
  return earlier != null && Math.min(now, clock ?? now) < earlier.at + IDEMPOTENCY_KEPT_MS;
}

/** The same of a call that held its price. */
export const isCallKept = ({ keptCall, clock }: Rows, now: number): boolean =>
  keptCall != null && Math.min(now, clock ?? now) < keptCall.at + IDEMPOTENCY_KEPT_MS;

/** A call with a price of 0 does not use up the free call. */
const isFreeCall = (
  { freeCall }: Pick<AccountRow, "freeCall">,
  { credits, freeCallCredits }: Pick<DebitOrder, "credits" | "freeCallCredits">,
): boolean => freeCall === "open" && credits > 0 && credits <= freeCallCredits;

/** `parts`: what each grant paid, with the grant after the payment. `front`: the grant that is spent next. */
type Taken = { parts: { grant: OpenGrant; credits: number }[]; front: OpenGrant | undefined };

/** Takes credits from the grants. The balance must cover them. */
function take({ grants, areAll }: Rows, credits: number, now: number): Taken | Missing {
  const taken: Taken = { parts: [], front: undefined };
  let due = credits;
  for (const grant of grants) {
    if (!isSpendable(grant, now)) continue;
    if (due === 0) {
      taken.front ??= grant;
      break;
    }
    const part = Math.min(due, grant.remaining);
    const changed = { ...grant, remaining: grant.remaining - part };
    due -= part;
    taken.parts.push({ grant: changed, credits: part });
    if (changed.remaining > 0) taken.front = changed;
  }
  if (taken.front === undefined && !areAll) return { needs: { grants: { covering: credits } } };
  return taken;
}

function debitOf(
  { now, callId, tool }: DebitOrder,
  credits: number,
  isFree: boolean,
  keyNo: number,
  parts: Taken["parts"],
): DebitRow {
  return {
    at: now,
    callId,
    keyNo,
    tool,
    credits,
    isFree,
    grantNo: parts[0]?.grant.no ?? null,
    parts: parts.length < 2 ? null : parts.map(partOf),
    reversedAt: null,
  };
}

const partOf = ({ grant, credits }: Taken["parts"][number]): DebitPart => ({
  id: grant.id,
  kind: grant.kind,
  credits,
});

/**
 * Updates the key's last use and what it has spent. Returns null if the last use is recent and the budgets stay as they are, so
 * that a busy key does not cost a write per call.
 */
function useKey(key: CallKey, credits: number, time: ChargeTime): CallKey | null {
  const { lastUsedAt } = key;
  const { now } = time;
  const isRecent = lastUsedAt !== null && now - lastUsedAt < LAST_USED_STEP_MS;
  const spent = spend(key.spent, credits, time);
  if (isRecent && spent === key.spent) return null;
  return { ...key, lastUsedAt: isRecent ? lastUsedAt : now, spent };
}

/** A record that a node with a slow clock makes counts from `clock`, the time of the store. */
function recordOf(
  { tool, now, callId, idempotency }: DebitOrder,
  clock: number = now,
): IdempotencyRow {
  const { key, bodySha256, responseSha256, receivedAt, random } = idempotency as NonNullable<
    DebitOrder["idempotency"]
  >;
  return {
    tool,
    key,
    at: clock - now > CLOCKS_APART_MS ? clock : now,
    callId,
    bodySha256,
    responseSha256,
    receivedAt,
    random,
  };
}
