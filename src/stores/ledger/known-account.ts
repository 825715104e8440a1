import type { EventContent } from "#ledger/events.ts";
import type {
  AccountRow,
  CallKey,
  DebitRow,
  GrantRow,
  HeldSum,
  HoldRow,
  IdempotencyRow,
  KeptCallRow,
  KeyRow,
  OpenGrant,
  ReversalRow,
} from "#ledger/rules/rows.ts";

/**
 * The rows of one account that a transaction has loaded, with the changes of its orders so far, and the changes that are not saved
 * yet. It has no SQL: a store loads the rows that `decide` (working-set.ts) requests, and saves the changes. Maps are created at their
 * first use, because a batch may concern hundreds of accounts, most of them with one order.
 */
export class KnownAccount {
  readonly id: string;
  row: AccountRow | null;
  /** By id; null if the account has no such key. */
  keys: Map<string, KeyRow | null> | undefined;
  /** By the SHA-256 of the secret that a call has. */
  callKeys: Map<string, CallKey | null> | undefined;
  /** The first grants that are spendable at `grantsFrom`, in the order in which they are spent; undefined: not loaded. */
  grants: OpenGrant[] | undefined;
  areAll = false;
  grantsFrom = 0;
  /** Debits that were looked up, by `debitName`; null if there is none. Read it through `debitNamed`. */
  debits: Map<string, DebitRow | null> | undefined;
  /** Debits of this transaction that are not in `debits` yet. Most are never looked up, and building a name costs more than the rest of a debit. */
  made: DebitRow[] | undefined;
  /** By `recordName`. */
  records: Map<string, IdempotencyRow | null> | undefined;
  /** Holds that were looked up or changed, by `debitName`; null if there is none. */
  holds: Map<string, HoldRow | null> | undefined;
  /** Kept calls that were looked up or changed, by `recordName`; null if there is none. */
  keptCalls: Map<string, KeptCallRow | null> | undefined;
  /** What all holds hold, and the length of all kept responses, as of the changes so far; undefined: not loaded. */
  held: HeldSum[] | undefined;
  keptBytes: number | undefined;
  /** The number of debits that were saved since the account was loaded, or since a store was last asked to sum them. */
  unsummed = 0;
  /** Null if nothing is to be saved. Made anew for each transaction: what dies young is cheaper than what is emptied and kept. */
  unsaved: Unsaved | null = null;
  /** Whether `callKeys` has one that does not exist. */
  hasUnknownKeys = false;

  constructor(id: string, row: AccountRow | null) {
    this.id = id;
    this.row = row;
  }
}

/** Changes to save. Rows whose `no` is 0 are new. */
export class Unsaved {
  account: AccountRow | null = null;
  keys: Map<string, KeyRow> | undefined;
  grants: Map<string, GrantRow> | undefined;
  /** Keys of which only the last use and what they have spent changed. */
  usedKeys: Map<number, CallKey> | undefined;
  /** Grants of which only the remaining credits changed: those of the account itself, so one that is here twice has the same credits. */
  drawn: OpenGrant[] = [];
  debits: DebitRow[] = [];
  reversed: DebitRow[] = [];
  reversals: ReversalRow[] = [];
  /** Changes of the sums of kept debits. */
  sums: UsageSum[] = [];
  records: Map<string, IdempotencyRow> | undefined;
  /** By `debitName`. */
  holds: Map<string, UnsavedHold> | undefined;
  /** By `recordName`. */
  keptCalls: Map<string, UnsavedKeptCall> | undefined;
  /** Whether all kept calls are deleted, before those above are saved. */
  clearKept = false;
  forgottenCalls: { callId: string; at: number }[] = [];
  events: { at: number; content: EventContent }[] = [];
  clearEvents = false;
}

/** A hold that is new, renewed or deleted. */
export type UnsavedHold = { row: HoldRow; change: "made" | "renewed" | "ended" };
/** A kept call with its response, or one that is deleted. */
export type UnsavedKeptCall =
  | { row: KeptCallRow; response: string | null }
  | { tool: string; key: string; row: null };

/** What a call adds to the sums of its account, hour, key and tool; negative for a reversal. */
export type UsageSum = {
  hour: number;
  keyNo: number;
  tool: string;
  calls: number;
  credits: number;
};

/** Returns the changes of the account, to add to them. */
export function changesOf(known: KnownAccount): Unsaved {
  known.unsaved ??= new Unsaved();
  return known.unsaved;
}

export const debitName = (at: number, callId: string) => `${at} ${callId}`;
export const recordName = (tool: string, key: string) => `${tool} ${key}`;

/** Returns the debit with this name; undefined if it has not been looked up. */
export function debitNamed(known: KnownAccount, at: number, callId: string) {
  if (known.debits === undefined && known.made === undefined) return undefined;
  return debitsByName(known).get(debitName(at, callId));
}

/** Returns the debits that were looked up and those of this transaction. */
export function debitsByName(known: KnownAccount): Map<string, DebitRow | null> {
  known.debits ??= new Map();
  for (const debit of known.made ?? []) known.debits.set(debitName(debit.at, debit.callId), debit);
  known.made = undefined;
  return known.debits;
}

/** Puts loaded rows into a known account. Null: the row does not exist. */
export const cache = {
  key(known: KnownAccount, id: string, row: KeyRow | null): void {
    known.keys ??= new Map();
    known.keys.set(id, row);
  },
  callKey(known: KnownAccount, sha256: string, row: CallKey | null): void {
    known.callKeys ??= new Map();
    known.callKeys.set(sha256, row);
    if (row === null) known.hasUnknownKeys = true;
  },
  debit(known: KnownAccount, { at, callId }: { at: number; callId: string }, row: DebitRow | null) {
    debitsByName(known).set(debitName(at, callId), row);
  },
  record(known: KnownAccount, name: { tool: string; key: string }, row: IdempotencyRow | null) {
    known.records ??= new Map();
    known.records.set(recordName(name.tool, name.key), row);
  },
  hold(known: KnownAccount, { at, callId }: { at: number; callId: string }, row: HoldRow | null) {
    known.holds ??= new Map();
    known.holds.set(debitName(at, callId), row);
  },
  keptCall(known: KnownAccount, name: { tool: string; key: string }, row: KeptCallRow | null) {
    known.keptCalls ??= new Map();
    known.keptCalls.set(recordName(name.tool, name.key), row);
  },
};
