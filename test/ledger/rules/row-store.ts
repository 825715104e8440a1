/**
 * A store as the rules see one: it keeps rows, loads for an order what its rule asks for and no more, and saves what
 * changes. How much a store may load beyond that, and what it may not know, is left to chance.
 */
import type { EventContent } from "#ledger/events.ts";
import type {
  AccountRow,
  Changes,
  Concerned,
  DebitRow,
  Decision,
  GrantRow,
  HoldRow,
  IdempotencyRow,
  KeptCallRow,
  KeyRow,
  Needs,
  ReversalRow,
  Rows,
  Verdict,
} from "#ledger/rules/rows.ts";
import type { RULES, RuleName, RuleOrders } from "#ledger/rules/rules.ts";
import type { Chance } from "./chance.ts";
import { DAY } from "./model-account.ts";

export type Rules = typeof RULES;

export type StoredAccount = {
  row: AccountRow | null;
  keys: Map<string, KeyRow>;
  /** In the order in which they were made. */
  grants: Map<string, GrantRow>;
  /** By `call at`. */
  debits: Map<string, DebitRow>;
  reversals: ReversalRow[];
  /** By `tool key`. */
  records: Map<string, IdempotencyRow>;
  /** By `call at`. */
  holds: Map<string, HoldRow>;
  /** By `tool key`. */
  kept: Map<string, KeptCallRow & { response: string | null }>;
  events: EventContent[];
};

type AnyOrder = { account: string; now?: number; callId?: string; at?: number };
type Executed<Outcome> = { outcome: Outcome; changes: Changes };

export type RowStore = ReturnType<typeof createRowStore>;

export function createRowStore(rules: Rules) {
  const accounts = new Map<string, StoredAccount>();
  const numbered = { keys: 0, grants: 0 };
  const accountOf = (id: string): StoredAccount => {
    const stored = accounts.get(id) ?? emptyAccount();
    accounts.set(id, stored);
    return stored;
  };
  const numberOf = (table: keyof typeof numbered, no: number) => {
    if (no !== 0) return no;
    numbered[table] += 1;
    return numbered[table];
  };

  function execute<Name extends RuleName>(
    name: Name,
    order: RuleOrders[Name][0],
    chance: Chance,
  ): Executed<RuleOrders[Name][1]> {
    const stored = accountOf(order.account);
    const { needs, decide } = rules[name];
    const rows = firstRows(stored, needs(order), order, chance);
    const decision = ask((known) => decide(known, order), stored, rows, order, chance);
    if (name !== "reverse" && isThere(stored, decision.changes, name === "hold")) {
      rows.debit = stored.debits.get(nameOf(order)) ?? null;
      rows.hold = stored.holds.get(nameOf(order)) ?? null;
      const again = ask((known) => decide(known, order), stored, rows, order, chance);
      if (isThere(stored, again.changes, name === "hold"))
        throw new Error("The rule charges a call twice");
      save(stored, again.changes, order);
      return again;
    }
    save(stored, decision.changes, order);
    return decision;
  }

  function save(stored: StoredAccount, changes: Changes, order: AnyOrder): void {
    const { account, key, debit, reversal, earlier, forgetCall } = changes;
    if (account !== undefined && account.id !== order.account)
      throw new Error("The rule changes another account");
    if (account !== undefined) stored.row = Object.freeze({ ...account });
    if (key !== undefined) stored.keys.set(key.id, frozen(key, numberOf("keys", key.no)));
    for (const grant of changes.grants ?? [])
      stored.grants.set(grant.id, frozen(grant, numberOf("grants", grant.no)));
    saveNarrow(stored, changes);
    if (debit !== undefined) stored.debits.set(`${debit.callId} ${debit.at}`, Object.freeze(debit));
    if (reversal !== undefined) stored.reversals.push(Object.freeze(reversal));
    if (earlier !== undefined)
      stored.records.set(`${earlier.tool} ${earlier.key}`, Object.freeze(earlier));
    saveHolds(stored, changes);
    for (const [name, record] of stored.records)
      if (record.callId === forgetCall?.callId && record.at === forgetCall.at)
        stored.records.delete(name);
    if (forgetCall !== undefined) forgetKeptOf(stored, forgetCall.callId);
    if (changes.clearEvents) stored.events = [];
    stored.events.push(...(changes.events ?? []));
  }

  return {
    accounts,
    execute,
    /** As an import leaves an account: nothing is known of its balance. */
    forgetBalance(id: string): void {
      const stored = accountOf(id);
      if (stored.row === null) return;
      stored.row = Object.freeze({ ...stored.row, frontGrant: null, rest: -1 });
    },
  };
}

/** Of these rows a store saves no more than this. */
function saveNarrow({ keys, grants }: StoredAccount, { usedKey, drawn = [] }: Changes): void {
  for (const { no, remaining } of drawn) {
    const stored = [...grants.values()].find((grant) => grant.no === no);
    if (stored === undefined) throw new Error("The rule draws from a grant that is not there");
    grants.set(stored.id, Object.freeze({ ...stored, remaining }));
  }
  if (usedKey === undefined) return;
  const stored = [...keys.values()].find((key) => key.no === usedKey.no);
  if (stored === undefined) throw new Error("The rule uses a key that is not there");
  keys.set(
    stored.id,
    Object.freeze({ ...stored, lastUsedAt: usedKey.lastUsedAt, spent: usedKey.spent }),
  );
}

function saveHolds({ holds, kept }: StoredAccount, changes: Changes): void {
  const { hold, endHold, keptCall, forgetKept } = changes;
  if (hold !== undefined) holds.set(`${hold.callId} ${hold.at}`, Object.freeze({ ...hold }));
  if (endHold !== undefined) holds.delete(`${endHold.callId} ${endHold.at}`);
  if (keptCall !== undefined)
    kept.set(
      `${keptCall.tool} ${keptCall.key}`,
      Object.freeze({ ...keptCall, response: keptCall.response ?? null }),
    );
  if (forgetKept !== undefined) kept.delete(`${forgetKept.tool} ${forgetKept.key}`);
  if (changes.clearKept) kept.clear();
}

/** As the stores do in SQL. */
function forgetKeptOf({ kept }: StoredAccount, callId: string): void {
  for (const [name, call] of kept) {
    if (call.callId !== callId) continue;
    if (call.mayAct)
      kept.set(name, Object.freeze({ ...call, state: "unknown", bytes: 0, response: null }));
    else kept.delete(name);
  }
}

const emptyAccount = (): StoredAccount => ({
  row: null,
  keys: new Map(),
  grants: new Map(),
  debits: new Map(),
  reversals: [],
  records: new Map(),
  holds: new Map(),
  kept: new Map(),
  events: [],
});

const frozen = <Row extends { no: number }>(row: Row, no: number): Row =>
  Object.freeze({ ...row, no });

const nameOf = ({ callId, at, now }: AnyOrder) => `${callId} ${at ?? now}`;

/** Whether a unique constraint would reject the changes. */
function isThere(
  { debits, holds }: StoredAccount,
  { debit, hold }: Changes,
  isNewHold: boolean,
): boolean {
  if (debit !== undefined) return debits.has(`${debit.callId} ${debit.at}`);
  return isNewHold && hold !== undefined && holds.has(`${hold.callId} ${hold.at}`);
}

function firstRows(stored: StoredAccount, needs: Needs, order: AnyOrder, chance: Chance): Rows {
  const rows: Rows = {
    account: stored.row,
    key: undefined,
    callKey: undefined,
    isKeyTaken: undefined,
    grants: [],
    areAll: false,
    sum: undefined,
    concerned: undefined,
    isEveryConcerned: false,
    debitKey: undefined,
    debit: undefined,
    earlier: undefined,
  };
  const { concerned, ...others } = needs;
  load(rows, others, stored, order, chance);
  // A store may look a call up in the same round trip, and mostly does not.
  const isCall = order.callId !== undefined;
  if (isCall && chance.percent(25)) load(rows, { debit: true }, stored, order, chance);
  if (isCall && chance.percent(25)) load(rows, { hold: true }, stored, order, chance);
  if (chance.percent(20)) beAsWithinBatch(rows, stored, order, chance);
  if (concerned !== undefined) loadConcerned(rows, stored, concerned);
  return rows;
}

const isKeyTaken = ({ keys }: StoredAccount, { id, sha256 }: { id: string; sha256: string }) =>
  [...keys.values()].some(
    (key) => key.id !== id && (key.sha256 === sha256 || key.previousSha256 === sha256),
  );

function callKeyOf({ keys }: StoredAccount, sha256: string): KeyRow | null {
  for (const key of keys.values())
    if (key.sha256 === sha256 || key.previousSha256 === sha256) return key;
  return null;
}

function loadKept(
  rows: Rows,
  { kept }: StoredAccount,
  { tool, key }: { tool: string; key: string },
): void {
  const found = kept.get(`${tool} ${key}`);
  if (found === undefined) rows.keptCall = null;
  else {
    const { response: _, ...row } = found;
    rows.keptCall = row;
  }
}

/** As short a prefix as is allowed, or a longer one. Where it ends on the last grant a store may know that, or not. */
function loadGrants(
  rows: Rows,
  stored: StoredAccount,
  covering: number,
  { now }: AnyOrder,
  chance: Chance,
): void {
  const spendable = spendableRows(stored, now as number);
  let [count, held] = [0, 0];
  while (held <= covering && count < spendable.length) {
    held += spendable[count]?.remaining ?? 0;
    count += 1;
  }
  const isExhausted = held <= covering;
  if (chance.percent(30)) count = Math.min(spendable.length, count + chance.below(4));
  rows.grants = spendable.slice(0, count);
  rows.areAll = isExhausted || (count === spendable.length && chance.percent(50));
}

/** Within a batch the orders before have spent some of what was loaded, and some has expired since. */
function beAsWithinBatch(
  rows: Rows,
  { grants }: StoredAccount,
  { now }: AnyOrder,
  chance: Chance,
): void {
  const isExpired = ({ remaining, expiresAt }: GrantRow) =>
    remaining > 0 && expiresAt !== null && expiresAt <= (now as number);
  const expired = [...grants.values()].filter(isExpired).slice(0, chance.below(3));
  const count = chance.below(rows.grants.length + 1);
  if (count < rows.grants.length) rows.areAll = false;
  rows.grants = [...expired, ...rows.grants.slice(0, count)];
}

function loadConcerned(rows: Rows, { grants }: StoredAccount, asked: Concerned): void {
  const every = [...grants.values()].reverse();
  rows.isEveryConcerned = asked === "every";
  rows.concerned = every.filter(
    ({ id, no }) =>
      asked === "every" || ("ids" in asked ? asked.ids.includes(id) : asked.nos.includes(no)),
  );
}

function ask<Outcome>(
  decide: (rows: Rows) => Verdict<Outcome>,
  stored: StoredAccount,
  rows: Rows,
  order: AnyOrder,
  chance: Chance,
): Decision<Outcome> {
  const asked = new Set<string>();
  for (;;) {
    const verdict = decide(rows);
    if ("outcome" in verdict) return verdict;
    const name = JSON.stringify(verdict);
    if (asked.has(name)) throw new Error(`The rule asks twice for ${name}`);
    asked.add(name);
    load(rows, verdict.needs, stored, order, chance);
  }
}

function load(
  rows: Rows,
  needs: Needs,
  stored: StoredAccount,
  order: AnyOrder,
  chance: Chance,
): void {
  const { keys, debits, holds, kept, records } = stored;
  const { key, callKey, newKey, grants, earlier, debitKey, keptCall, keptResponse } = needs;
  if (key !== undefined) rows.key = keys.get(key) ?? null;
  if (callKey !== undefined) rows.callKey = callKeyOf(stored, callKey);
  if (newKey !== undefined) rows.isKeyTaken = isKeyTaken(stored, newKey);
  if (grants !== undefined) loadGrants(rows, stored, grants.covering, order, chance);
  if (needs.sum) rows.sum = sumAt(stored, order.now as number);
  if (needs.concerned !== undefined) loadConcerned(rows, stored, needs.concerned);
  if (earlier !== undefined) rows.earlier = records.get(`${earlier.tool} ${earlier.key}`) ?? null;
  if (needs.clock) rows.clock = order.now as number;
  if (needs.debit) rows.debit = debits.get(nameOf(order)) ?? null;
  if (needs.hold) rows.hold = holds.get(nameOf(order)) ?? null;
  if (debitKey !== undefined) rows.debitKey = [...keys.values()].find(({ no }) => no === debitKey);
  if (needs.held) {
    rows.held = [...holds.values()].map(({ keyNo, at, credits }) => {
      return { keyNo, day: at - (at % DAY), credits };
    });
  }
  if (keptCall !== undefined) loadKept(rows, stored, keptCall);
  if (keptResponse !== undefined)
    rows.keptResponse = kept.get(`${keptResponse.tool} ${keptResponse.key}`)?.response ?? null;
  if (needs.keptBytes) {
    rows.keptBytes = 0;
    for (const { bytes } of kept.values()) rows.keptBytes += bytes;
  }
}

function sumAt({ grants }: StoredAccount, now: number): number {
  let balance = 0;
  for (const { remaining, expiresAt } of grants.values())
    if (expiresAt === null || now < expiresAt) balance += remaining;
  return balance;
}

/** In burn order. */
export function spendableRows({ grants }: StoredAccount, now: number): GrantRow[] {
  const endOf = ({ expiresAt }: GrantRow) => expiresAt ?? Number.MAX_VALUE;
  const spendable: GrantRow[] = [];
  for (const grant of grants.values())
    if (grant.remaining > 0 && endOf(grant) > now) spendable.push(grant);
  return spendable.sort(
    (one, other) =>
      endOf(one) - endOf(other) || one.grantedAt - other.grantedAt || one.no - other.no,
  );
}
