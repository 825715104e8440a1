import type { EventContent } from "#ledger/events.ts";
import type {
  AccountRow,
  CallKey,
  DebitRow,
  GrantRow,
  IdempotencyRow,
  KeyRow,
  OpenGrant,
  ReversalRow,
} from "#ledger/rules/rows.ts";

/**
 * What a transaction knows of one account: the rows that were loaded, as the orders so far have changed them, and what is to
 * be saved. It has no SQL: a store loads into it what `decide` (working-set.ts) asks for, and writes what it collects. Maps are made when there
 * is something to be put in: a batch may concern hundreds of accounts, most of them by one order.
 */
export type KnownAccount = {
  id: string;
  row: AccountRow | null;
  /** By id; null where the account has no such key. */
  keys: Map<string, KeyRow | null> | undefined;
  /** By SHA-256. */
  callKeys: Map<string, CallKey | null> | undefined;
  /** Spendable grants in burn order, the first ones of those at `grantsFrom` and later; undefined: not loaded. */
  grants: OpenGrant[] | undefined;
  areAll: boolean;
  grantsFrom: number;
  /** By `debitName`; null where there is none. `debitNamed` looks here, and at those that were made in this transaction. */
  debits: Map<string, DebitRow | null> | undefined;
  /** By `recordName`. */
  records: Map<string, IdempotencyRow | null> | undefined;
  unsaved: Unsaved;
};

/** Rows as they are to be kept. Those whose `no` is 0 are new. */
export type Unsaved = {
  isEmpty: boolean;
  account: AccountRow | null;
  keys: Map<string, KeyRow> | undefined;
  grants: Map<string, GrantRow> | undefined;
  /** Of these nothing but the last use has changed. */
  usedKeys: Map<number, CallKey> | undefined;
  /** Of these nothing but what remains has changed. */
  drawn: Map<number, OpenGrant> | undefined;
  debits: DebitRow[];
  reversed: DebitRow[];
  reversals: ReversalRow[];
  records: Map<string, IdempotencyRow> | undefined;
  forgottenCalls: { callId: string; at: number }[];
  events: { at: number; content: EventContent }[];
  clearEvents: boolean;
};

export const knownAccount = (id: string, row: AccountRow | null): KnownAccount => ({
  id,
  row,
  keys: undefined,
  callKeys: undefined,
  grants: undefined,
  areAll: false,
  grantsFrom: 0,
  debits: undefined,
  records: undefined,
  unsaved: nothingUnsaved(),
});

export const nothingUnsaved = (): Unsaved => ({
  isEmpty: true,
  account: null,
  keys: undefined,
  grants: undefined,
  usedKeys: undefined,
  drawn: undefined,
  debits: [],
  reversed: [],
  reversals: [],
  records: undefined,
  forgottenCalls: [],
  events: [],
  clearEvents: false,
});

export const debitName = (at: number, callId: string) => `${at} ${callId}`;
export const recordName = (tool: string, key: string) => `${tool} ${key}`;

/** The debit of this name; undefined where it was not looked up. */
export function debitNamed(known: KnownAccount, at: number, callId: string) {
  if (known.debits === undefined && known.unsaved.debits.length === 0) return undefined;
  return indexDebits(known).get(debitName(at, callId));
}

/** The debits of most accounts are never looked for. */
function indexDebits(known: KnownAccount): Map<string, DebitRow | null> {
  if (known.debits === undefined) {
    known.debits = new Map();
    for (const debit of known.unsaved.debits)
      known.debits.set(debitName(debit.at, debit.callId), debit);
  }
  return known.debits;
}

/** What a store found of what an order asked for. */
export const found = {
  key(known: KnownAccount, id: string, row: KeyRow | null): void {
    known.keys ??= new Map();
    known.keys.set(id, row);
  },
  callKey(known: KnownAccount, sha256: string, row: CallKey | null): void {
    known.callKeys ??= new Map();
    known.callKeys.set(sha256, row);
  },
  debit(known: KnownAccount, { at, callId }: { at: number; callId: string }, row: DebitRow | null) {
    indexDebits(known).set(debitName(at, callId), row);
  },
  record(known: KnownAccount, name: { tool: string; key: string }, row: IdempotencyRow | null) {
    known.records ??= new Map();
    known.records.set(recordName(name.tool, name.key), row);
  },
};

/** What is to be saved now. The orders to come still find the debits among it. */
export function takeUnsaved(known: KnownAccount): Unsaved {
  const { unsaved } = known;
  if (unsaved.debits.length > 0) indexDebits(known);
  known.unsaved = nothingUnsaved();
  return unsaved;
}
