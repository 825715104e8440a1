/** What holds of the rows at any time, and that they say what the model says. */
import { isDeepStrictEqual } from "node:util";
import type { AccountRow, DebitRow, HoldRow, KeyRow } from "#ledger/rules/rows.ts";
import {
  freeCallOf,
  lifetimeGrantsOf,
  type ModelAccount,
  type ModelCall,
  type ModelHold,
  remainingOf,
  voidedAtOf,
  voidedOf,
} from "./model-account.ts";
import { viewOfKey } from "./model-keys.ts";
import { type StoredAccount, spendableRows } from "./row-store.ts";

export class Disagreement extends Error {}

export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  const [is, should] = [actual, expected].map((value) => JSON.stringify(value));
  throw new Disagreement(`${what} is\n  ${is}\nand should be\n  ${should}`);
}

/** The stored balance, where it claims to be known, is the sum, at each of these times. */
export function checkBalance(stored: StoredAccount, times: readonly number[]): void {
  const { row } = stored;
  if (row === null) return;
  for (const at of times) {
    const [front, ...others] = spendableRows(stored, at);
    if (row.rest < 0 || (front?.id ?? null) !== row.frontGrant) continue;
    let rest = 0;
    for (const { remaining } of others) rest += remaining;
    if (rest !== row.rest) expectSame(`the rest at ${at}`, row.rest, rest);
  }
}

/** After whatever changes what can be spent, the next call needs no sum. */
export function checkIsKnown(stored: StoredAccount, now: number): void {
  const { rest, frontGrant } = stored.row as AccountRow;
  expectSame("the front", frontGrant, spendableRows(stored, now)[0]?.id ?? null);
  if (rest < 0) throw new Disagreement("The balance is not known");
}

export function checkGrants(stored: StoredAccount): void {
  let lifetime = 0;
  for (const grant of stored.grants.values()) {
    const { kind, amount, remaining, voided, clawback } = grant;
    const isSound = remaining >= 0 && voided >= 0 && remaining + voided <= amount;
    if (!isSound) throw new Disagreement(`not a sound grant: ${JSON.stringify(grant)}`);
    if (kind === "lifetime" && clawback < amount) lifetime += 1;
  }
  if (stored.row !== null) expectSame("lifetimeGrants", stored.row.lifetimeGrants, lifetime);
}

/** What the rows say of an account, as one list of plain values. */
export function sumsOfRows({ row, keys, grants, events }: StoredAccount): unknown[] {
  if (row === null) return [];
  const { createdAt, state, freeCall, lifetimeGrants, lowBalance, notifiedLevel, prices } = row;
  const usage: unknown[] = [createdAt, state, freeCall, lifetimeGrants, lowBalance, notifiedLevel];
  usage.push(prices === null ? "" : textOf(Object.entries(prices)));
  for (const key of keys.values())
    usage.push(
      key.id,
      key.sha256,
      key.start,
      key.label,
      key.createdAt,
      key.lastUsedAt,
      key.revokedAt,
      key.previousSha256,
      key.previousUntil,
      ...limitsOf(key),
    );
  for (const grant of grants.values()) {
    const { no, id, kind, amount, remaining, voided, voidedAt } = grant;
    const { clawback, clawbackVersion, grantedAt, expiresAt, waivedExpiresAt, eventDueAt } = grant;
    usage.push(no, id, kind, amount, grantedAt, remaining, voided, voidedAt);
    usage.push(clawback, clawbackVersion, expiresAt, waivedExpiresAt, eventDueAt);
  }
  usage.push(events.length);
  return usage;
}

const textOf = (prices: [tool: string, credits: number][]) => prices.sort().join();

const limitsOf = ({ limits, spent }: Pick<KeyRow, "limits" | "spent">) => [
  limits === null ? null : JSON.stringify(limits),
  spent === null ? null : [spent.since, spent.on, spent.day, spent.month, spent.total].join(),
];

/** The same of the model. */
export function sumsOfModel(account: ModelAccount): unknown[] {
  const { createdAt, state, lowBalance, notified, keys, grants, events } = account;
  const notifiedLevel = ["enough", "low", "gone"][notified];
  const lifetimeGrants = lifetimeGrantsOf(account);
  const usage: unknown[] = [
    createdAt,
    state,
    freeCallOf(account),
    lifetimeGrants,
    lowBalance,
    notifiedLevel,
    textOf([...account.prices]),
  ];
  for (const key of keys.map(viewOfKey))
    usage.push(
      key.id,
      key.sha256,
      key.start,
      key.label,
      key.createdAt,
      key.lastUsedAt,
      key.revokedAt,
      key.previous?.sha256 ?? null,
      key.previous?.until ?? null,
      ...limitsOf(key),
    );
  for (const grant of grants) {
    const { no, id, kind, amount, grantedAt, clawback, clawbackVersion, end, waivedEnd, dueAt } =
      grant;
    usage.push(
      no,
      id,
      kind,
      amount,
      grantedAt,
      remainingOf(grant),
      voidedOf(grant),
      voidedAtOf(grant),
    );
    usage.push(clawback, clawbackVersion, end, waivedEnd, dueAt);
  }
  usage.push(events.length);
  return usage;
}

export function expectSameSums(actual: unknown[], expected: unknown[]): void {
  const isSame =
    actual.length === expected.length && actual.every((value, index) => value === expected[index]);
  if (!isSame) expectSame("the account", actual, expected);
}

/** The row of a debit, as the model would keep it. */
export function debitRowOf(call: ModelCall, keyNo: number): DebitRow {
  const { callId, at, tool, charged, isFree, paid, reversedAt } = call;
  const parts = paid.map(({ grant: { id, kind }, credits }) => ({ id, kind, credits }));
  const grantNo = paid[0]?.grant.no ?? null;
  const several = parts.length > 1 ? parts : null;
  return { at, callId, keyNo, tool, credits: charged, isFree, grantNo, parts: several, reversedAt };
}

/** The calls that are running, and those that are kept under an idempotency key. */
export function checkHolds({ keys, holds, kept }: StoredAccount, account: ModelAccount): void {
  const expected = account.holds.map((hold) =>
    holdRowOf(hold, keys.get(hold.call.keyId)?.no ?? -1),
  );
  expectSame("the holds", [...holds.values()].sort(byCall), expected.sort(byCall));
  const responses = account.kept.map((call) => ({ ...call, bytes: call.response?.length ?? 0 }));
  expectSame("what is kept", [...kept.values()].sort(byCall), responses.sort(byCall));
}

const byCall = (one: { callId: string }, other: { callId: string }) =>
  one.callId < other.callId ? -1 : 1;

function holdRowOf({ call, ...hold }: ModelHold, keyNo: number): HoldRow {
  const { reversedAt: _, ...row } = debitRowOf(call, keyNo);
  const { key, onCrash, leaseMs, leaseUntil, isLapsed: hasLapsed } = hold;
  return { ...row, key, onCrash, leaseMs, leaseUntil, hasLapsed };
}
