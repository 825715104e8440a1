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
import { debitName, debitNamed, found, type KnownAccount, recordName } from "./known-account.ts";

/** How many grants a store loads at first, and so many times more where they do not suffice: most calls are paid by the first grant, and most of the others by the next. */
export const GRANTS_AT_FIRST = 3;
export const GRANTS_FACTOR = 16;

/** What an order knows that holds for it alone. A store fills it in as it is asked to. */
export type OrderContext = {
  sum: Rows["sum"];
  concerned: readonly GrantRow[] | undefined;
  isEveryConcerned: boolean;
  /** The debit of the order's name is looked up in any case: it may have been carried out before. */
  isCareful: boolean;
};

export const orderContext = (isCareful = false): OrderContext => ({
  sum: undefined,
  concerned: undefined,
  isEveryConcerned: false,
  isCareful,
});

/** What a store is to load into the account or the order's context before it asks again. */
export type LoadRequest = {
  key?: string;
  callKey?: string;
  /** Spendable at `now`, at least so many that they hold more credits than this, or all. */
  grants?: { covering: number; now: number };
  sum?: { now: number };
  concerned?: Concerned;
  earlier?: { tool: string; key: string };
  debit?: { at: number; callId: string };
};

type AnyOrder = { account: string; now?: number; at?: number; callId?: string };

/** Decides one order and takes up what it changes; or says what has to be loaded first. */
export function decide<Name extends RuleName>(
  known: KnownAccount,
  name: Name,
  order: RuleOrders[Name][0],
  context: OrderContext,
): { outcome: RuleOrders[Name][1] } | { load: LoadRequest } {
  const rule = RULES[name];
  const { now = 0, at = now, callId } = order as AnyOrder;
  const loads = rule.loads(order);
  const missing = missingOf(known, loads, context, now, at, callId, name === "debit");
  if (missing !== null) return { load: missing };
  const { grants = [], areAll } = known;
  const { key, callKey, earlier } = loads;
  const verdict = rule.decide(
    {
      account: known.row,
      key: key === undefined ? undefined : known.keys?.get(key),
      callKey: callKey === undefined ? undefined : known.callKeys?.get(callKey),
      grants,
      areAll,
      sum: context.sum,
      concerned: context.concerned,
      isEveryConcerned: context.isEveryConcerned,
      debit: callId === undefined ? undefined : debitNamed(known, at, callId),
      earlier: earlier && known.records?.get(recordName(earlier.tool, earlier.key)),
    },
    order,
  );
  if ("need" in verdict) return { load: requestFor(verdict, now, at, callId) };
  if (hasChanges(verdict.changes)) takeUp(known, verdict.changes, now);
  return { outcome: verdict.outcome };
}

function missingOf(
  known: KnownAccount,
  loads: Loads,
  context: OrderContext,
  now: number,
  at: number,
  callId: string | undefined,
  isDebit: boolean,
): LoadRequest | null {
  if (known.row === null) return null;
  let request: LoadRequest | null = null;
  const { key, callKey, grants, concerned, earlier } = loads;
  if (key !== undefined && !known.keys?.has(key)) request = { key };
  if (callKey !== undefined && !known.callKeys?.has(callKey)) request = { ...request, callKey };
  if (grants !== undefined && !holdsMore(known, grants.covering, now))
    request = { ...request, grants: { covering: grants.covering, now } };
  if (concerned !== undefined && context.concerned === undefined)
    request = { ...request, concerned };
  if (earlier !== undefined && !known.records?.has(recordName(earlier.tool, earlier.key)))
    request = { ...request, earlier };
  const isLookedUp = loads.debit === true || (isDebit && context.isCareful);
  if (isLookedUp && callId !== undefined && debitNamed(known, at, callId) === undefined)
    request = { ...request, debit: { at, callId } };
  return request;
}

/** Whether the known grants hold more than so many credits at `now`, or are all. */
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

function requestFor(need: Need, now: number, at: number, callId: string | undefined): LoadRequest {
  switch (need.need) {
    case "sum":
      return { sum: { now } };
    case "debit":
      return { debit: { at, callId: callId ?? "" } };
    case "grants":
      return { grants: { covering: need.covering, now } };
    case "concerned":
      return { concerned: need.grants };
  }
}

function hasChanges(changes: Changes): boolean {
  for (const _ in changes) return true;
  return false;
}

/** The account as the changes leave it: the next order sees it so. */
function takeUp(known: KnownAccount, changes: Changes, now: number): void {
  const { unsaved } = known;
  unsaved.isEmpty = false;
  const { account, key, grants, usedKey, drawn, debit, reversal, earlier } = changes;
  if (account !== undefined) {
    known.row = account;
    unsaved.account = account;
  }
  if (key !== undefined) {
    found.key(known, key.id, key);
    unsaved.keys ??= new Map();
    unsaved.keys.set(key.id, key);
  }
  if (grants !== undefined) {
    unsaved.grants ??= new Map();
    for (const grant of grants) unsaved.grants.set(grant.id, grant);
    takeUpGrants(known, grants);
  }
  if (usedKey !== undefined) {
    found.callKey(known, usedKey.sha256, usedKey);
    unsaved.usedKeys ??= new Map();
    unsaved.usedKeys.set(usedKey.no, usedKey);
  }
  if (drawn !== undefined) {
    unsaved.drawn ??= new Map();
    for (const grant of drawn) unsaved.drawn.set(grant.no, grant);
    takeUpGrants(known, drawn);
  }
  if (debit !== undefined) takeUpDebit(known, debit);
  if (reversal !== undefined) unsaved.reversals.push(reversal);
  if (earlier !== undefined) {
    found.record(known, earlier, earlier);
    unsaved.records ??= new Map();
    unsaved.records.set(recordName(earlier.tool, earlier.key), earlier);
  }
  const { forgetCall, events } = changes;
  if (forgetCall !== undefined) unsaved.forgottenCalls.push(forgetCall);
  if (changes.clearEvents) unsaved.clearEvents = true;
  for (const content of events ?? []) unsaved.events.push({ at: now, content });
}

/** A debit that is there already is one that was reversed; a new one never takes its place. */
function takeUpDebit(known: KnownAccount, debit: DebitRow): void {
  const isThere = debitNamed(known, debit.at, debit.callId) != null;
  if (isThere && debit.reversedAt === null)
    throw new Error(`The debit ${debit.callId} of ${known.id} was to be made a second time`);
  (isThere ? known.unsaved.reversed : known.unsaved.debits).push(debit);
  known.debits?.set(debitName(debit.at, debit.callId), debit);
}

/** Debits leave the grants in their order; spent ones are dropped. */
function takeUpGrants(known: KnownAccount, changed: readonly OpenGrant[]): void {
  const [first] = changed;
  if (known.grants === undefined || first === undefined) return;
  if (changed.length === 1 && first.remaining > 0 && known.grants[0]?.id === first.id) {
    known.grants[0] = first;
    return;
  }
  const changedById = new Map(changed.map((grant) => [grant.id, grant]));
  known.grants = known.grants
    .map((grant) => changedById.get(grant.id) ?? grant)
    .filter(({ remaining }) => remaining > 0);
}
