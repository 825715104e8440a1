import { dayOf } from "#ledger/key-limits.ts";
import { hourOf } from "#ledger/port.ts";
import type {
  Changes,
  DebitRow,
  GrantRow,
  HoldRow,
  Needs,
  OpenGrant,
  Rows,
} from "#ledger/rules/rows.ts";
import { RULES, type RuleName, type RuleOrders } from "#ledger/rules/rules.ts";
import {
  cache,
  changesOf,
  debitName,
  debitNamed,
  debitsByName,
  type KnownAccount,
  recordName,
  type Unsaved,
} from "./known-account.ts";

/**
 * The number of grants that a store loads at first, and the factor by which it loads more if they do not suffice. Most calls are
 * paid by the first grant, and most of the others by the second.
 */
export const GRANTS_AT_FIRST = 3;
export const GRANTS_FACTOR = 16;

/** What the store has loaded for a single order, and what the rule of the order has asked for so far. */
export type OrderContext = {
  needs: Needs;
  /** The time of the order, and what identifies the debit or hold that it makes or refers to; the call id is empty if there is none. */
  now: number;
  at: number;
  callId: string;
  sum: Rows["sum"];
  concerned: readonly GrantRow[] | undefined;
  isEveryConcerned: boolean;
  isKeyTaken: Rows["isKeyTaken"];
  debitKey: Rows["debitKey"];
  clock: Rows["clock"];
  keptResponse: Rows["keptResponse"];
};

/**
 * `isCareful`: the order may have been carried out before, so the debit or hold with its name is looked up. `hasClock`: the store has a
 * clock of its own. Otherwise the time of the order is that of the store.
 */
export function orderContext<Name extends RuleName>(
  name: Name,
  order: RuleOrders[Name][0],
  isCareful = false,
  hasClock = false,
): OrderContext {
  const needs = RULES[name].needs(order);
  const {
    now = 0,
    at = now,
    callId = "",
  } = order as { now?: number; at?: number; callId?: string };
  if (isCareful && callId !== "") needs.debit = true;
  if (isCareful && name === "hold") needs.hold = true;
  return {
    needs,
    now,
    at,
    callId,
    sum: undefined,
    concerned: undefined,
    isEveryConcerned: false,
    isKeyTaken: undefined,
    debitKey: undefined,
    clock: hasClock ? undefined : now,
    keptResponse: undefined,
  };
}

/** Decides one order and applies its changes to the account, or returns which rows must be loaded into account or context first. */
export function decide<Name extends RuleName>(
  known: KnownAccount,
  name: Name,
  order: RuleOrders[Name][0],
  context: OrderContext,
): { outcome: RuleOrders[Name][1] } | { missing: Needs } {
  // A hold of an earlier order of the batch violates no unique constraint yet, so it must be seen.
  if (name === "hold" && known.holds?.get(debitName(context.at, context.callId)) != null)
    context.needs.hold = true;
  const rows = rowsFor(known, context);
  const missing = missingOf(known, rows, context);
  if (missing !== null) return { missing };
  const verdict = RULES[name].decide(rows, order);
  if ("needs" in verdict) {
    // An earlier order of the batch may have made or loaded some of it.
    Object.assign(context.needs, verdict.needs);
    return decide(known, name, order, context);
  }
  if (hasChanges(verdict.changes)) applyChanges(known, verdict.changes, context.now);
  return { outcome: verdict.outcome };
}

function rowsFor(known: KnownAccount, context: OrderContext): Rows {
  const { key, callKey, earlier, debit } = context.needs;
  const { row, grants = [], areAll } = known;
  const { at, callId, isKeyTaken, sum, concerned, isEveryConcerned, debitKey, clock } = context;
  const rows: Rows = {
    account: row,
    key: key === undefined ? undefined : known.keys?.get(key),
    callKey: callKey === undefined ? undefined : known.callKeys?.get(callKey),
    isKeyTaken,
    grants,
    areAll,
    sum,
    concerned,
    isEveryConcerned,
    debit: debit ? debitNamed(known, at, callId) : undefined,
    debitKey,
    clock,
    earlier: earlier && known.records?.get(recordName(earlier.tool, earlier.key)),
  };
  addHeld(rows, known, context);
  return rows;
}

/** What concerns holds. Most calls have none, and a rejected one may ask for the sum of the others. */
function addHeld(rows: Rows, known: KnownAccount, context: OrderContext): void {
  const { hold, keptCall } = context.needs;
  if (known.held !== undefined) rows.held = known.held;
  if (hold) rows.hold = known.holds?.get(debitName(context.at, context.callId));
  if (keptCall === undefined) return;
  rows.keptCall = known.keptCalls?.get(recordName(keptCall.tool, keptCall.key));
  rows.keptResponse = context.keptResponse;
  rows.keptBytes = known.keptBytes;
}

/** Returns what is needed and not loaded yet; null if nothing is. */
function missingOf(known: KnownAccount, rows: Rows, context: OrderContext): Needs | null {
  if (known.row === null) return null;
  const { needs } = context;
  let missing: Needs | null = null;
  for (const key in needs) {
    const name = key as keyof Needs;
    if (!isMissing(name, known, rows, context)) continue;
    missing = Object.assign(missing ?? {}, { [name]: needs[name] });
  }
  return missing;
}

function isMissing(
  name: keyof Needs,
  known: KnownAccount,
  rows: Rows,
  { needs, now }: OrderContext,
): boolean {
  switch (name) {
    case "grants":
      return !holdsMore(known, needs.grants?.covering ?? 0, now);
    case "concerned":
      return (
        rows.concerned === undefined || (needs.concerned === "every" && !rows.isEveryConcerned)
      );
    case "newKey":
      return rows.isKeyTaken === undefined;
    default:
      return rows[name] === undefined;
  }
}

/** Before grants are read again, their changes must be in the table; likewise before holds or kept responses are summed. */
export const needsSaved = ({ sum, grants, concerned, ...others }: Needs): boolean =>
  sum !== undefined ||
  grants !== undefined ||
  concerned !== undefined ||
  others.held !== undefined ||
  others.keptBytes !== undefined ||
  others.keptResponse !== undefined;

/** Whether the known grants hold more than this number of credits at `now`, or are all grants. */
function holdsMore({ grants, areAll, grantsFrom }: KnownAccount, credits: number, now: number) {
  if (grants === undefined || now < grantsFrom) return false;
  if (areAll) return true;
  let held = 0;
  for (const { remaining, expiresAt } of grants) {
    if (expiresAt === null || now < expiresAt) held += remaining;
    if (held > credits) return true;
  }
  return false;
}

function hasChanges(changes: Changes): boolean {
  for (const _ in changes) return true;
  return false;
}

/** Applies changes to the account, so that the next order sees them. */
function applyChanges(known: KnownAccount, changes: Changes, now: number): void {
  const unsaved = changesOf(known);
  const { account, key, grants, usedKey, drawn, debit, reversal, earlier } = changes;
  if (account !== undefined) {
    known.row = account;
    unsaved.account = account;
  }
  if (key !== undefined) {
    cache.key(known, key.id, key);
    unsaved.keys ??= new Map();
    unsaved.keys.set(key.id, key);
  }
  if (grants !== undefined) {
    unsaved.grants ??= new Map();
    for (const grant of grants) unsaved.grants.set(grant.id, grant);
    applyGrants(known, grants);
  }
  if (usedKey !== undefined) {
    // Under both of its secrets, so that they share what the key has spent.
    cache.callKey(known, usedKey.sha256, usedKey);
    if (usedKey.previousSha256 !== null) cache.callKey(known, usedKey.previousSha256, usedKey);
    unsaved.usedKeys ??= new Map();
    unsaved.usedKeys.set(usedKey.no, usedKey);
  }
  if (drawn !== undefined) {
    applyDrawn(known, unsaved, drawn);
  }
  if (debit !== undefined) applyDebit(known, unsaved, debit);
  if (reversal !== undefined) unsaved.reversals.push(reversal);
  if (earlier !== undefined) {
    cache.record(known, earlier, earlier);
    unsaved.records ??= new Map();
    unsaved.records.set(recordName(earlier.tool, earlier.key), earlier);
  }
  if (changes.hold ?? changes.endHold ?? changes.keptCall ?? changes.forgetKept)
    applyHeld(known, unsaved, changes);
  if (changes.clearKept) {
    unsaved.clearKept = true;
    unsaved.keptCalls = undefined;
  }
  const { forgetCall, events } = changes;
  if (forgetCall !== undefined) unsaved.forgottenCalls.push(forgetCall);
  if (changes.clearEvents) unsaved.clearEvents = true;
  if (events === undefined) return;
  for (const content of events) unsaved.events.push({ at: now, content });
}

function applyHeld(known: KnownAccount, unsaved: Unsaved, changes: Changes): void {
  const { hold, endHold, keptCall, forgetKept } = changes;
  unsaved.holds ??= new Map();
  if (hold !== undefined) {
    const name = debitName(hold.at, hold.callId);
    const isNew = known.holds?.get(name) == null;
    const isMade = isNew || unsaved.holds.get(name)?.change === "made";
    unsaved.holds.set(name, { row: hold, change: isMade ? "made" : "renewed" });
    if (isNew) countHeld(known, hold, hold.credits);
    cache.hold(known, hold, hold);
  }
  if (endHold !== undefined) {
    const name = debitName(endHold.at, endHold.callId);
    const row = known.holds?.get(name);
    // One that this transaction has made was never in the database.
    if (unsaved.holds.get(name)?.change === "made") unsaved.holds.delete(name);
    else if (row != null) unsaved.holds.set(name, { row, change: "ended" });
    if (row != null) countHeld(known, row, -row.credits);
    cache.hold(known, endHold, null);
  }
  unsaved.keptCalls ??= new Map();
  if (keptCall !== undefined) {
    const { response = null, ...row } = keptCall;
    unsaved.keptCalls.set(recordName(row.tool, row.key), { row, response });
    countKept(known, row, row.bytes);
    cache.keptCall(known, row, row);
  }
  if (forgetKept !== undefined) {
    const { tool, key } = forgetKept;
    unsaved.keptCalls.set(recordName(tool, key), { tool, key, row: null });
    countKept(known, forgetKept, 0);
    cache.keptCall(known, forgetKept, null);
  }
}

function countHeld(known: KnownAccount, { keyNo, at }: HoldRow, credits: number): void {
  known.held?.push({ keyNo, day: dayOf(at), credits });
}

/** What was kept under the key before is known: an order that changes it has loaded it. */
function countKept(known: KnownAccount, name: { tool: string; key: string }, bytes: number): void {
  if (known.keptBytes === undefined) return;
  const before = known.keptCalls?.get(recordName(name.tool, name.key))?.bytes ?? 0;
  known.keptBytes += bytes - before;
}

/** A debit that is reversed here was looked up before: either it exists, or this is the mark that is stored in its place. */
function applyDebit(known: KnownAccount, unsaved: Unsaved, debit: DebitRow): void {
  if (debit.reversedAt === null) {
    unsaved.debits.push(debit);
    known.made ??= [];
    known.made.push(debit);
    addToSums(known, unsaved, debit, 1);
    return;
  }
  const debits = debitsByName(known);
  const name = debitName(debit.at, debit.callId);
  if (debits.get(name) == null) unsaved.debits.push(debit);
  else {
    unsaved.reversed.push(debit);
    addToSums(known, unsaved, debit, -1);
  }
  debits.set(name, debit);
}

/** A debit is later than the sums, unless it waited for long or the clock was set back. */
function addToSums({ row }: KnownAccount, unsaved: Unsaved, debit: DebitRow, calls: 1 | -1): void {
  const { at, keyNo, tool, credits } = debit;
  if (row === null || at >= row.summedUntil) return;
  unsaved.sums.push({ hour: hourOf(at), keyNo, tool, calls, credits: calls * credits });
}

/**
 * A debit changes what remains of grants that are known, and not their order. The grants themselves are changed: a copy that is kept
 * between transactions in place of each would be moved to the old generation by V8, which costs more than the rest of the decision.
 */
function applyDrawn(known: KnownAccount, unsaved: Unsaved, drawn: readonly OpenGrant[]): void {
  const { grants = [] } = known;
  let next = 0;
  let isSpent = false;
  for (const grant of grants) {
    const change = drawn[next];
    if (change === undefined) break;
    if (change.no !== grant.no) continue;
    next += 1;
    grant.remaining = change.remaining;
    if (grant.remaining === 0) isSpent = true;
    if (unsaved.drawn.at(-1) !== grant) unsaved.drawn.push(grant);
  }
  if (next < drawn.length) throw new Error("A grant that pays is not known");
  if (isSpent) known.grants = grants.filter(({ remaining }) => remaining > 0);
}

/** Grants with nothing remaining are dropped. One that had nothing before has a place in the order that only the store finds. */
function applyGrants(known: KnownAccount, changed: readonly OpenGrant[]): void {
  const { grants } = known;
  if (grants === undefined) return;
  const isOther = ({ no, remaining }: OpenGrant) =>
    remaining > 0 && !grants.some((grant) => grant.no === no);
  if (changed.some(isOther)) {
    known.grants = undefined;
    return;
  }
  const changedById = new Map(changed.map((grant) => [grant.id, grant]));
  known.grants = grants
    .map((grant) => changedById.get(grant.id) ?? grant)
    .filter(({ remaining }) => remaining > 0);
}
