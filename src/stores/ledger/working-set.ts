import { hourOf } from "#ledger/port.ts";
import type {
  Changes,
  Concerned,
  DebitRow,
  GrantRow,
  Loads,
  Need,
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

/** Loaded rows that are valid for a single order. */
export type OrderContext = {
  sum: Rows["sum"];
  concerned: readonly GrantRow[] | undefined;
  isEveryConcerned: boolean;
  isKeyTaken: Rows["isKeyTaken"];
  debitKey: Rows["debitKey"];
  clock: Rows["clock"];
  keptResponse: Rows["keptResponse"];
  /** The idempotency key of a hold that its order does not name. */
  keptCall: Loads["keptCall"];
  /** Whether the store has a clock of its own. Otherwise the time of the order is that of the store. */
  hasClock: boolean;
  /** Whether to look up the debit with the order's name: the order may have been carried out before, or the rule asks for that debit. */
  isCareful: boolean;
  /** Whether to look up the hold with the order's name. */
  isHoldNamed: boolean;
};

export const orderContext = (isCareful = false, hasClock = false): OrderContext => ({
  sum: undefined,
  concerned: undefined,
  isEveryConcerned: false,
  isKeyTaken: undefined,
  debitKey: undefined,
  clock: undefined,
  keptResponse: undefined,
  keptCall: undefined,
  hasClock,
  isCareful,
  isHoldNamed: false,
});

/** The rows that a store must load into the account or the order's context before it calls `decide` again. */
export type LoadRequest = {
  key?: string;
  callKey?: string;
  newKey?: { id: string; sha256: string };
  /** The first grants that are spendable at `now`, until they hold more credits than `covering`. */
  grants?: { covering: number; now: number };
  sum?: { now: number };
  clock?: true;
  concerned?: Concerned;
  earlier?: { tool: string; key: string };
  debit?: { at: number; callId: string };
  /** The number of the key that made the debit. */
  debitKey?: number;
  hold?: { at: number; callId: string };
  keptCall?: { tool: string; key: string };
  keptResponse?: { tool: string; key: string };
  keptBytes?: true;
  heldCredits?: true;
};

type AnyOrder = { account: string; now?: number; at?: number; callId?: string };

/** Decides one order and applies its changes to the account, or returns which rows must be loaded first. */
export function decide<Name extends RuleName>(
  known: KnownAccount,
  name: Name,
  order: RuleOrders[Name][0],
  context: OrderContext,
): { outcome: RuleOrders[Name][1] } | { load: LoadRequest } {
  const rule = RULES[name];
  const loads = rule.loads(order);
  if (name === "hold" && mayBeMade(known, order, context)) context.isHoldNamed = true;
  const rows = rowsFor(known, loads, order, context);
  const missing = missingOf(known, loads, rows, order, context);
  if (missing !== null) return { load: missing };
  const verdict = rule.decide(rows, order);
  const { now = 0 } = order as AnyOrder;
  if ("need" in verdict) {
    // An earlier order of the batch may have made this debit, so it may not be in the database yet.
    if (verdict.need === "debit") context.isCareful = true;
    else if (verdict.need === "hold") context.isHoldNamed = true;
    else if (verdict.need === "keptCall") context.keptCall = verdict;
    else if (verdict.need === "clock" && !context.hasClock) context.clock = now;
    else return { load: requestFor(verdict, now) };
    return decide(known, name, order, context);
  }
  if (hasChanges(verdict.changes)) applyChanges(known, verdict.changes, now);
  return { outcome: verdict.outcome };
}

/** A hold of an earlier order of the batch violates no unique constraint yet, so it must be seen. */
function mayBeMade(
  { holds }: KnownAccount,
  { now = 0, callId = "" }: AnyOrder,
  { isCareful }: OrderContext,
): boolean {
  return isCareful || holds?.get(debitName(now, callId)) != null;
}

function rowsFor(known: KnownAccount, loads: Loads, order: AnyOrder, context: OrderContext): Rows {
  const { key, callKey, earlier } = loads;
  const { row, grants = [], areAll } = known;
  const { isKeyTaken, sum, concerned, isEveryConcerned, debitKey, clock } = context;
  const debit = namedBy(order, loads, context);
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
    debit: debit === null ? undefined : debitNamed(known, debit.at, debit.callId),
    debitKey,
    clock,
    earlier: earlier && known.records?.get(recordName(earlier.tool, earlier.key)),
  };
  addHeld(rows, known, loads, order, context);
  return rows;
}

/** What concerns holds. Most calls have none, and a rejected one may ask for the sum of the others. */
function addHeld(
  rows: Rows,
  known: KnownAccount,
  loads: Loads,
  order: AnyOrder,
  context: OrderContext,
): void {
  if (known.heldCredits !== undefined) rows.heldCredits = known.heldCredits;
  const hold = holdNamedBy(order, loads, context);
  if (hold !== null) rows.hold = known.holds?.get(debitName(hold.at, hold.callId));
  const keptCall = loads.keptCall ?? context.keptCall;
  if (keptCall === undefined) return;
  rows.keptCall = known.keptCalls?.get(recordName(keptCall.tool, keptCall.key));
  rows.keptResponse = context.keptResponse;
  rows.keptBytes = known.keptBytes;
}

/** Returns the name of the hold to look up for an order; null if none is looked up. */
function holdNamedBy(
  { now = 0, at = now, callId }: AnyOrder,
  loads: Loads,
  { isHoldNamed }: OrderContext,
): { at: number; callId: string } | null {
  const isLookedUp = isHoldNamed || loads.hold === true;
  return isLookedUp && callId !== undefined ? { at, callId } : null;
}

/** Returns the name of the debit to look up for an order: the one it makes or refers to; null if none is looked up. */
function namedBy(
  { now = 0, at = now, callId }: AnyOrder,
  loads: Loads,
  { isCareful }: OrderContext,
): { at: number; callId: string } | null {
  const isLookedUp = isCareful || loads.debit === true;
  return isLookedUp && callId !== undefined ? { at, callId } : null;
}

function missingOf(
  known: KnownAccount,
  loads: Loads,
  rows: Rows,
  order: AnyOrder,
  context: OrderContext,
): LoadRequest | null {
  if (known.row === null) return null;
  let request: LoadRequest | null = null;
  const { key, callKey, newKey, grants, concerned, earlier } = loads;
  const { now = 0 } = order;
  if (key !== undefined && rows.key === undefined) request = { key };
  if (callKey !== undefined && rows.callKey === undefined) request = { ...request, callKey };
  if (newKey !== undefined && rows.isKeyTaken === undefined) request = { ...request, newKey };
  if (grants !== undefined && !holdsMore(known, grants.covering, now))
    request = { ...request, grants: { covering: grants.covering, now } };
  if (concerned !== undefined && rows.concerned === undefined) request = { ...request, concerned };
  if (earlier !== undefined && rows.earlier === undefined) request = { ...request, earlier };
  const debit = namedBy(order, loads, context);
  if (debit !== null && rows.debit === undefined) request = { ...request, debit };
  const hold = holdNamedBy(order, loads, context);
  if (hold !== null && rows.hold === undefined) request = { ...request, hold };
  const keptCall = loads.keptCall ?? context.keptCall;
  if (keptCall !== undefined && rows.keptCall === undefined) request = { ...request, keptCall };
  return request;
}

/** Before grants are read again, their changes must be in the table; likewise before holds or kept responses are summed. */
export const needsSaved = ({ sum, grants, concerned, ...held }: LoadRequest): boolean =>
  sum !== undefined ||
  grants !== undefined ||
  concerned !== undefined ||
  held.heldCredits !== undefined ||
  held.keptBytes !== undefined ||
  held.keptResponse !== undefined;

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

type OtherNeed = Exclude<Need, { need: "debit" | "hold" | "keptCall" }>;

function requestFor(need: OtherNeed, now: number): LoadRequest {
  switch (need.need) {
    case "heldCredits":
      return { heldCredits: true };
    case "keptBytes":
      return { keptBytes: true };
    case "keptResponse":
      return { keptResponse: { tool: need.tool, key: need.key } };
    case "sum":
      return { sum: { now } };
    case "clock":
      return { clock: true };
    case "grants":
      return { grants: { covering: need.covering, now } };
    case "concerned":
      return { concerned: need.grants };
    case "debitKey":
      return { debitKey: need.no };
  }
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
    if (isNew && known.heldCredits !== undefined) known.heldCredits += hold.credits;
    cache.hold(known, hold, hold);
  }
  if (endHold !== undefined) {
    const name = debitName(endHold.at, endHold.callId);
    const row = known.holds?.get(name);
    // One that this transaction has made was never in the database.
    if (unsaved.holds.get(name)?.change === "made") unsaved.holds.delete(name);
    else if (row != null) unsaved.holds.set(name, { row, change: "ended" });
    if (row != null && known.heldCredits !== undefined) known.heldCredits -= row.credits;
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
