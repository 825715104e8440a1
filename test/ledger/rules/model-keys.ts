/** The keys of the model: what they may do, and what they have spent as a sum over the calls that count. */
import assert from "node:assert/strict";
import type { DebitOutcome, HoldOutcome, KeyLimits, KeyStatus } from "#ledger/port.ts";
import type { RuleOrders } from "#ledger/rules/rules.ts";
import {
  DAY,
  MINUTE,
  type ModelAccount,
  type ModelCall,
  type ModelHold,
  type ModelKey,
} from "./model-account.ts";
import { Rejected } from "./model-grants.ts";

type Order<Name extends keyof RuleOrders> = RuleOrders[Name][0];
type Outcome<Name extends keyof RuleOrders> = RuleOrders[Name][1];
type KeyOperation = "createKey" | "revokeKey" | "changeKey" | "rotateKey";
type KeyOperations = {
  [Name in KeyOperation]: (order: Order<Name>) => Outcome<Name>;
};

export function keyOperations(find: (id: string) => ModelAccount | undefined): KeyOperations {
  const keyOf = (account: string, id: string) => find(account)?.keys.find((key) => key.id === id);
  const usableKeyOf = (account: string, id: string) =>
    find(account)?.state === "closed" ? undefined : keyOf(account, id);
  return {
    createKey({ account: accountId, id, sha256, start, label, limits = null, now }) {
      const account = find(accountId);
      if (keyOf(accountId, id) !== undefined) return { outcome: "created" };
      if (account === undefined || account.state === "closed") return { outcome: "no_account" };
      if (account.keys.some((key) => secretsOf(key).includes(sha256))) return { outcome: "taken" };
      const times = { createdAt: now, lastUsedAt: null, revokedAt: null, previous: null };
      const key: ModelKey = { id, sha256, start, label, ...times, limits: null, counting: null };
      setLimits(key, limits, now);
      account.keys.push(key);
      account.events.push({ kind: "key.created", key: { id, label, start } });
      return { outcome: "created" };
    },
    revokeKey({ account, id, now }) {
      const key = keyOf(account, id);
      if (key === undefined) return { found: false };
      if (key.revokedAt !== null) return { found: true };
      key.revokedAt = now;
      const { label, start } = key;
      if (find(account)?.state !== "closed")
        find(account)?.events.push({ kind: "key.revoked", key: { id, label, start } });
      return { found: true };
    },
    changeKey({ account, id, label, limits, now }) {
      const key = usableKeyOf(account, id);
      if (key === undefined) return { found: false };
      if (key.revokedAt !== null && limits !== undefined) return { found: false };
      if (label !== undefined) key.label = label;
      if (limits !== undefined) setLimits(key, limits, now);
      return { found: true };
    },
    rotateKey({ account, id, sha256, start, previousUntil, now }) {
      if (previousUntil < now || previousUntil > now + 30 * DAY) throw new Rejected();
      const key = usableKeyOf(account, id);
      if (key === undefined) return { outcome: "not_found" };
      if (key.sha256 === sha256) return { outcome: "rotated" };
      if (key.revokedAt !== null) return { outcome: "revoked" };
      const isTaken = find(account)?.keys.some((each) => secretsOf(each).includes(sha256));
      if (isTaken) return { outcome: "taken" };
      if (key.previous?.until !== previousUntil)
        key.previous = { sha256: key.sha256, until: previousUntil };
      Object.assign(key, { sha256, start });
      return { outcome: "rotated" };
    },
  };
}

const secretsOf = ({ sha256, previous }: ModelKey) => [sha256, previous?.sha256];

/**
 * What was counted stays while there is a budget, but a budget by day or month that changes begins anew. Calls of the minute after the last
 * recorded use, until now, may be older than the budget.
 */
function setLimits(key: ModelKey, limits: KeyLimits | null, now: number): void {
  const { day = null, month = null, total = null } = limits?.budgets ?? {};
  const { day: dayBefore = null, month: monthBefore = null } = key.limits?.budgets ?? {};
  key.limits = limits;
  const used = key.lastUsedAt;
  const since = used === null ? 0 : Math.min(used + MINUTE - 1, Math.max(used, now));
  if (day === null && month === null && total === null) key.counting = null;
  else if (key.counting === null) key.counting = { since, day: dayOf(now), charges: [] };
  else if (day !== dayBefore || month !== monthBefore) {
    const counting = countingAt(key.counting, now);
    for (const charge of counting.charges) {
      if (day !== dayBefore) charge.day = false;
      if (month !== monthBefore) charge.month = false;
    }
    if (counting.day > dayOf(now)) counting.day = dayOf(now);
    counting.since = Math.max(counting.since, since);
    key.counting = counting;
  }
}

const dayOf = (at: number) => Math.floor(at / DAY) * DAY;
const monthOf = (at: number) => new Date(at).toISOString().slice(0, 7);

type Counting = NonNullable<ModelKey["counting"]>;

/**
 * What is counted when it is `now`: another day, unless it is the day before the one that is counted. Reversals of a day that was counted too
 * early give nothing back.
 */
function countingAt({ since, day, charges }: Counting, now: number): Counting {
  const today = dayOf(now);
  const copies = charges.map((charge) => ({ ...charge }));
  const isAhead = day - today > DAY;
  if (today > day || isAhead)
    for (const charge of copies) {
      charge.day = false;
      if (monthOf(today) !== monthOf(day)) charge.month = false;
    }
  if (isAhead) return { since: Math.max(since, day + DAY - 1), day: today, charges: copies };
  return { since, day: Math.max(day, today), charges: copies };
}

/** `now`: when it is charged, which may be long after the call came. */
export function countCharge(key: ModelKey, call: ModelCall, now: number): void {
  if (key.counting === null || call.charged === 0) return;
  key.counting = countingAt(key.counting, now);
  const over = now === call.at ? [] : periodsOver(call.at, key.counting.day);
  const counts = (period: string) => !over.includes(period);
  key.counting.charges.push({ call, day: counts("day"), month: counts("month"), total: true });
}

/** What is over of the day and the month of a call that is charged late. */
function periodsOver(at: number, today: number): string[] {
  const over = [];
  if (at < today) over.push("day");
  if (monthOf(at) < monthOf(today)) over.push("month");
  return over;
}

/** A reversal gives credits back to the periods of the call, while they are counted. */
export function returnCharge({ counting }: ModelKey, call: ModelCall): void {
  if (counting === null || call.at <= counting.since) return;
  const charge = counting.charges.find((each) => each.call === call);
  if (charge === undefined) return;
  if (dayOf(call.at) === counting.day) charge.day = false;
  if (monthOf(call.at) === monthOf(counting.day)) charge.month = false;
  charge.total = false;
}

/** So many credits of what was charged come back. The call is charged less already. */
export function returnPartOfCharge(key: ModelKey, call: ModelCall, credits: number): void {
  const charge = key.counting?.charges.find((each) => each.call === call);
  if (charge === undefined) return;
  const part = { ...call, charged: credits };
  key.counting?.charges.push({ ...charge, call: part });
  returnCharge(key, part);
}

function sumsOf({ charges }: Counting) {
  const sumBy = (period: "day" | "month" | "total") =>
    charges.reduce((sum, charge) => sum + (charge[period] ? charge.call.charged : 0), 0);
  return { day: sumBy("day"), month: sumBy("month"), total: sumBy("total") };
}

/** A key as the ledger lists it. */
export function viewOfKey({ counting, ...key }: ModelKey) {
  if (counting === null) return { ...key, spent: null };
  const { since, day: on } = counting;
  return { ...key, spent: { since, on, ...sumsOf(counting) } };
}

/** A key that works at `now`, or what became of it. */
export function keyAt(
  { keys, state }: ModelAccount,
  sha256: string,
  now: number,
): ModelKey | { outcome: "invalid_key" } | { outcome: "key_expired"; expiredAt: number } {
  const key = keys.find((each) => secretsOf(each).includes(sha256));
  if (key === undefined || state === "closed" || key.revokedAt !== null)
    return { outcome: "invalid_key" };
  const ends = [key.limits?.expiresAt, key.sha256 === sha256 ? null : key.previous?.until];
  const [expiredAt] = ends.filter((end) => typeof end === "number").sort((a, b) => a - b);
  return expiredAt !== undefined && now >= expiredAt ? { outcome: "key_expired", expiredAt } : key;
}

type Use = { tool?: string | null; address?: string | null };

/** In these runs all networks are 203.0.113.0/24. */
export function prohibitionOf(
  { limits }: ModelKey,
  { tool, address }: Use,
  balance: number,
): Extract<KeyStatus, { outcome: "key_not_allowed" }> | null {
  if (limits === null) return null;
  const refused = { outcome: "key_not_allowed" as const, balance };
  if (limits.networks !== null && !address?.startsWith("203.0.113."))
    return { ...refused, limit: "networks" };
  const { tools } = limits;
  if (tools !== null && tool != null && !tools.includes(tool))
    return { ...refused, limit: "tools", tools };
  return null;
}

/** `at`: when the call came. `holds`: those of the account. */
export function exhaustedAt(
  { id, limits, counting }: ModelKey,
  credits: number,
  now: number,
  at: number,
  holds: readonly ModelHold[],
) {
  if (limits === null || counting === null || credits === 0) return null;
  const counted = countingAt(counting, now);
  const today = counted.day;
  const spent = sumsOf(counted);
  const date = new Date(today);
  const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const resets = { total: null, month: nextMonth, day: today + DAY };
  for (const budget of ["total", "month", "day"] as const) {
    const most = limits.budgets[budget];
    if (at !== now && periodsOver(at, today).includes(budget)) continue;
    if (most === null || spent[budget] + credits <= most) continue;
    let held = 0;
    for (const { call } of holds)
      if (call.keyId === id && !periodsOver(call.at, today).includes(budget)) held += call.charged;
    const heldCredits = Math.min(held, spent[budget]);
    return {
      ...{ budget, resetsAt: resets[budget] },
      ...{ credits: most, remaining: Math.max(0, most - spent[budget]) },
      ...(heldCredits > 0 && { heldCredits }),
    };
  }
  return null;
}

export function withRate<Outcome extends DebitOutcome | HoldOutcome | KeyStatus>(
  outcome: Outcome,
  { limits }: ModelKey,
): Outcome {
  if (limits === null || limits.rate === null) return outcome;
  return { ...outcome, keyRate: { callsPerSecond: limits.rate } };
}

/** Each store numbers keys in its own way, and the model does not. */
export function withoutKeyNo(outcome: unknown): unknown {
  const { keyRate, ...rest } = outcome as { keyRate?: { keyNo: number; callsPerSecond: number } };
  if (keyRate === undefined) return outcome;
  assert.ok(Number.isSafeInteger(keyRate.keyNo) && keyRate.keyNo > 0);
  return { ...rest, keyRate: { callsPerSecond: keyRate.callsPerSecond } };
}
