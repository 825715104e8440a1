/** The keys of the model: what they may do, and what they have spent as a sum over the calls that count. */
import assert from "node:assert/strict";
import type { DebitOutcome, KeyLimits, KeyStatus } from "#ledger/port.ts";
import type { RuleOrders } from "#ledger/rules/rules.ts";
import { DAY, MINUTE, type ModelAccount, type ModelCall, type ModelKey } from "./model-account.ts";
import { Rejected } from "./model-grants.ts";

type Order<Name extends keyof RuleOrders> = RuleOrders[Name][0];
type Outcome<Name extends keyof RuleOrders> = RuleOrders[Name][1];
type KeyOperation = "createKey" | "revokeKey" | "relabelKey" | "limitKey" | "rotateKey";
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
    relabelKey({ account, id, label }) {
      const key = usableKeyOf(account, id);
      if (key === undefined) return { found: false };
      key.label = label;
      return { found: true };
    },
    limitKey({ account, id, limits, now }) {
      const key = usableKeyOf(account, id);
      if (key === undefined || key.revokedAt !== null) return { found: false };
      setLimits(key, limits, now);
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

/** What was counted stays while there is a budget. Calls of the minute after the last recorded use may be older than the budget. */
function setLimits(key: ModelKey, limits: KeyLimits | null, now: number): void {
  key.limits = limits;
  const { day = null, month = null, total = null } = limits?.budgets ?? {};
  const hasBudget = day !== null || month !== null || total !== null;
  const since = key.lastUsedAt === null ? 0 : key.lastUsedAt + MINUTE - 1;
  if (hasBudget) key.counting ??= { since, day: dayOf(now), charges: [] };
  else key.counting = null;
}

const dayOf = (at: number) => Math.floor(at / DAY) * DAY;
const monthOf = (at: number) => new Date(at).toISOString().slice(0, 7);

/** The latest day that was counted, or a later one. */
const countedDay = ({ day, charges }: NonNullable<ModelKey["counting"]>, now = 0) =>
  Math.max(day, dayOf(now), ...charges.map(({ on }) => on));

export function countCharge(key: ModelKey, call: ModelCall): void {
  if (key.counting === null || call.charged === 0) return;
  key.counting.charges.push({ call, on: countedDay(key.counting, call.at) });
}

function sumsAt(counting: NonNullable<ModelKey["counting"]>, today: number) {
  const { since, charges } = counting;
  const sums = { day: 0, month: 0, total: 0 };
  for (const { call, on } of charges) {
    const isBack = call.reversedAt !== null && call.at > since;
    if (on === today && !(isBack && dayOf(call.at) === today)) sums.day += call.charged;
    const isOfMonth = monthOf(on) === monthOf(today);
    if (isOfMonth && !(isBack && monthOf(call.at) === monthOf(today))) sums.month += call.charged;
    if (!isBack) sums.total += call.charged;
  }
  return sums;
}

/** A key as the ledger lists it. */
export function viewOfKey({ counting, ...key }: ModelKey) {
  if (counting === null) return { ...key, spent: null };
  const on = countedDay(counting);
  return { ...key, spent: { since: counting.since, on, ...sumsAt(counting, on) } };
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

export function exhaustedAt({ limits, counting }: ModelKey, credits: number, now: number) {
  if (limits === null || counting === null || credits === 0) return null;
  const today = countedDay(counting, now);
  const spent = sumsAt(counting, today);
  const date = new Date(today);
  const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const resets = { total: null, month: nextMonth, day: today + DAY };
  for (const budget of ["total", "month", "day"] as const) {
    const most = limits.budgets[budget];
    if (most !== null && spent[budget] + credits > most)
      return { budget, resetsAt: resets[budget] };
  }
  return null;
}

export function withRate<Outcome extends DebitOutcome | KeyStatus>(
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
