import type { EventContent } from "#ledger/events.ts";
import type {
  AccountRow,
  Changes,
  Concerned,
  DebitRow,
  GrantRow,
  IdempotencyRow,
  KeyRow,
  Loads,
  Need,
  ReversalRow,
  Rows,
} from "#ledger/rules/rows.ts";
import { RULES, type RuleName, type RuleOrders } from "#ledger/rules/rules.ts";

/**
 * What a transaction knows of one account: the rows that were loaded, as the orders so far have changed them, and what is to
 * be saved. It has no SQL: a store loads into it what `decide` asks for, and writes what it collects.
 */
export type KnownAccount = {
  id: string;
  row: AccountRow | null;
  /** By id and by SHA-256; null where the account has no such key. */
  keys: Map<string, KeyRow | null>;
  /** Spendable grants in burn order, the first ones of those at `grantsFrom` and later; undefined: not loaded. */
  grants: GrantRow[] | undefined;
  areAll: boolean;
  grantsFrom: number;
  /** By `debitName`; null where there is none. Those that were made in this transaction are here too. */
  debits: Map<string, DebitRow | null>;
  /** By `recordName`. */
  records: Map<string, IdempotencyRow | null>;
  unsaved: Unsaved;
};

/** Rows as they are to be kept. Those whose `no` is 0 are new. */
export type Unsaved = {
  isEmpty: boolean;
  account: AccountRow | null;
  keys: Map<string, KeyRow>;
  grants: Map<string, GrantRow>;
  debits: DebitRow[];
  reversed: DebitRow[];
  reversals: ReversalRow[];
  records: Map<string, IdempotencyRow>;
  forgottenCalls: { callId: string; at: number }[];
  events: { at: number; content: EventContent }[];
  clearEvents: boolean;
};

export const knownAccount = (id: string, row: AccountRow | null): KnownAccount => ({
  id,
  row,
  keys: new Map(),
  grants: undefined,
  areAll: false,
  grantsFrom: 0,
  debits: new Map(),
  records: new Map(),
  unsaved: nothingUnsaved(),
});

export const nothingUnsaved = (): Unsaved => ({
  isEmpty: true,
  account: null,
  keys: new Map(),
  grants: new Map(),
  debits: [],
  reversed: [],
  reversals: [],
  records: new Map(),
  forgottenCalls: [],
  events: [],
  clearEvents: false,
});

/** How many grants a store loads at first, and so many times more where they do not suffice: most calls are paid by the first grant, and most of the others by the next. */
export const GRANTS_AT_FIRST = 3;
export const GRANTS_FACTOR = 16;

export const debitName = (at: number, callId: string) => `${at} ${callId}`;
export const recordName = (tool: string, key: string) => `${tool} ${key}`;

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
  key?: { sha256: string } | { id: string };
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
  const verdict = rule.decide(
    {
      account: known.row,
      key: loads.key === undefined ? undefined : known.keys.get(keyName(loads.key)),
      grants,
      areAll,
      sum: context.sum,
      concerned: context.concerned,
      isEveryConcerned: context.isEveryConcerned,
      debit: callId === undefined ? undefined : known.debits.get(debitName(at, callId)),
      earlier:
        loads.earlier && known.records.get(recordName(loads.earlier.tool, loads.earlier.key)),
    },
    order,
  );
  if ("need" in verdict) return { load: requestFor(verdict, now, at, callId) };
  if (hasChanges(verdict.changes)) takeUp(known, verdict.changes, now);
  return { outcome: verdict.outcome };
}

export const keyName = (key: { sha256: string } | { id: string }) =>
  "sha256" in key ? key.sha256 : key.id;

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
  const { key, grants, concerned, earlier } = loads;
  if (key !== undefined && !known.keys.has(keyName(key))) request = { key };
  if (grants !== undefined && !holdsMore(known, grants.covering, now))
    request = { ...request, grants: { covering: grants.covering, now } };
  if (concerned !== undefined && context.concerned === undefined)
    request = { ...request, concerned };
  if (earlier !== undefined && !known.records.has(recordName(earlier.tool, earlier.key)))
    request = { ...request, earlier };
  const isLookedUp = loads.debit === true || (isDebit && context.isCareful);
  if (isLookedUp && callId !== undefined && !known.debits.has(debitName(at, callId)))
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
  const { account, key, grants, debit, reversal, earlier, forgetCall, events } = changes;
  if (account !== undefined) {
    known.row = account;
    unsaved.account = account;
  }
  if (key !== undefined) {
    known.keys.set(key.id, key);
    known.keys.set(key.sha256, key);
    unsaved.keys.set(key.id, key);
  }
  if (grants !== undefined) takeUpGrants(known, grants);
  if (debit !== undefined) {
    takeUpDebit(known, debit);
  }
  if (reversal !== undefined) unsaved.reversals.push(reversal);
  if (earlier !== undefined) {
    const name = recordName(earlier.tool, earlier.key);
    known.records.set(name, earlier);
    unsaved.records.set(name, earlier);
  }
  if (forgetCall !== undefined) unsaved.forgottenCalls.push(forgetCall);
  if (changes.clearEvents) unsaved.clearEvents = true;
  for (const content of events ?? []) unsaved.events.push({ at: now, content });
}

/** A debit that is there already is one that was reversed; a new one never takes its place. */
function takeUpDebit(known: KnownAccount, debit: DebitRow): void {
  const name = debitName(debit.at, debit.callId);
  const isThere = known.debits.get(name) != null;
  if (isThere && debit.reversedAt === null)
    throw new Error(`The debit ${debit.callId} of ${known.id} was to be made a second time`);
  (isThere ? known.unsaved.reversed : known.unsaved.debits).push(debit);
  known.debits.set(name, debit);
}

/** Debits leave the grants in their order; spent ones are dropped. */
function takeUpGrants(known: KnownAccount, changed: readonly GrantRow[]): void {
  const { unsaved } = known;
  for (const grant of changed) unsaved.grants.set(grant.id, grant);
  const [first] = changed;
  if (known.grants === undefined || first === undefined) return;
  if (changed.length === 1 && first.remaining > 0 && known.grants[0]?.id === first.id) {
    known.grants[0] = first;
    return;
  }
  known.grants = known.grants
    .map((grant) => unsaved.grants.get(grant.id) ?? grant)
    .filter(({ remaining }) => remaining > 0);
}
