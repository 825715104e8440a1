import type { EventContent, Level } from "../events.ts";
import type { KeyLimits, KeySpent } from "../key-limits.ts";
import type { AccountState, FreeCall, GrantKind } from "../model.ts";
import type { OnCrash } from "../port.ts";

/**
 * The rows of a ledger, as stores save them and rules read and change them. A rule returns changed copies and changes no row.
 * Times are milliseconds since 1970 UTC. `no` is the number that the store gave the row; 0 if the row is new.
 */
export type AccountRow = {
  no: number;
  id: string;
  createdAt: number;
  state: AccountState;
  freeCall: FreeCall;
  /** The number of lifetime grants that are not clawed back in full. The account is on the plan while it is not 0. */
  lifetimeGrants: number;
  lowBalance: number;
  notifiedLevel: Level;
  /** The prices by tool that the operator has set for this account; null if there are none. */
  prices: Readonly<Record<string, number>> | null;
  /**
   * `frontGrant` and `rest` give the balance without a sum over all grants (`balance.ts`): the id of the grant that is spent
   * first, and the remaining credits of all grants after it; -1 if that is not known. They are valid whenever `frontGrant` is
   * the first spendable grant, even if the clock was set back: no later grant expires before it, and an earlier grant that
   * is spendable would be the first one. Most debits change only the first grant, and so leave the account's row unchanged.
   */
  frontGrant: string | null;
  rest: number;
  /** The kept debits before this time are summed. A rule never changes it: a store moves it when it sums debits. */
  summedUntil: number;
};

export type KeyRow = {
  no: number;
  id: string;
  sha256: string;
  start: string;
  label: string;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
  /** The secret before the last rotation, and when it stops working. Both are null if the key was never rotated. */
  previousSha256: string | null;
  previousUntil: number | null;
  limits: KeyLimits | null;
  /** Null if no limit is a budget, so that calls with most keys change nothing. */
  spent: KeySpent | null;
};

/** The columns of a key that a call needs. Stores load no others for it. */
export type CallKey = Omit<KeyRow, "createdAt" | "start" | "label">;

export type GrantRow = {
  no: number;
  id: string;
  kind: GrantKind;
  amount: number;
  remaining: number;
  voided: number;
  /** When the first credits were voided; null if none are. */
  voidedAt: number | null;
  /** The number of credits to claw back, and the version of that number. */
  clawback: number;
  clawbackVersion: number;
  grantedAt: number;
  expiresAt: number | null;
  waivedExpiresAt: number | null;
  /** When the next event about the expiry is due; null if none is. */
  eventDueAt: number | null;
};

/** The columns of a grant that a debit and the balance need. */
export type OpenGrant = Pick<
  GrantRow,
  "no" | "id" | "kind" | "remaining" | "grantedAt" | "expiresAt"
>;

/** The part of a debit's price that one of several grants paid. */
export type DebitPart = { id: string; kind: GrantKind; credits: number };

export type DebitRow = {
  at: number;
  callId: string;
  /** 0 marks a call that was reversed before its debit arrived. */
  keyNo: number;
  tool: string;
  credits: number;
  /** Whether this is the account's free first call. */
  isFree: boolean;
  /** The grant that paid, or the first of several; null if nothing was taken. */
  grantNo: number | null;
  /** What each grant paid, in the order in which they are spent; null if fewer than two grants paid. */
  parts: readonly DebitPart[] | null;
  reversedAt: number | null;
};

/** A reversed debit. It stays after the debit itself was rolled up. */
export type ReversalRow = Omit<DebitRow, "isFree" | "reversedAt"> & { reversedAt: number };

/** The price that a running call holds, in the form of the debit that it becomes. */
export type HoldRow = Omit<DebitRow, "reversedAt"> & {
  /** The idempotency key that it has claimed; null if the call has none. */
  key: string | null;
  onCrash: OnCrash;
  leaseMs: number;
  leaseUntil: number;
  /** Whether the lease has run out once and was extended. */
  hasLapsed: boolean;
};

/** What holds of a key that were made on one UTC day hold together. `day`: its start. */
export type HeldSum = { keyNo: number; day: number; credits: number };

/** A call under an idempotency key that held its price. `bytes`: the length of its kept response, 0 without one. */
export type KeptCallRow = {
  tool: string;
  key: string;
  at: number;
  callId: string;
  bodySha256: string;
  state: "running" | "kept" | "unknown";
  /** Whether the call may change the world, so that it must not run again. */
  mayAct: boolean;
  bytes: number;
};

/** The record of an idempotency key: the call that used it first, and the inputs of its response. */
export type IdempotencyRow = {
  tool: string;
  key: string;
  at: number;
  callId: string;
  bodySha256: string;
  responseSha256: string;
  receivedAt: number;
  random: string | null;
};

/**
 * The rows that a rule decides by. A row that the store did not load is undefined; a row that does not exist is null. A rule
 * that needs more rows returns their `Needs`, and is called again after the store loaded them.
 */
export type Rows = {
  account: AccountRow | null;
  key: KeyRow | null | undefined;
  /** The key that the call used. */
  callKey: CallKey | null | undefined;
  /** Whether another key of any account has the id or SHA-256 of the key to create. */
  isKeyTaken: boolean | undefined;
  /**
   * The first spendable grants in the order in which they are spent (`balance.ts`). Expired grants may precede them, and within
   * a batch there may be fewer than requested. `areAll`: there are no other spendable grants.
   */
  grants: readonly OpenGrant[];
  areAll: boolean;
  /** The balance at the time of the order, summed over all grants. */
  sum: number | undefined;
  /** The grants that the order concerns, in no particular order. `isEveryConcerned`: all grants that the account ever had. */
  concerned: readonly GrantRow[] | undefined;
  isEveryConcerned: boolean;
  /** The debit that the order identifies. */
  debit: DebitRow | null | undefined;
  /** The key that made the debit. */
  debitKey: CallKey | undefined;
  /** The record of the order's idempotency key. */
  earlier: IdempotencyRow | null | undefined;
  /** The time by the store's own clock, where it was loaded; that of the order if only one node uses the store. */
  clock?: number | undefined;
  /** The hold that the order identifies. */
  hold?: HoldRow | null | undefined;
  /** What the holds of the account hold. There may be several sums of one key and day. */
  held?: readonly HeldSum[] | undefined;
  /** The call that is kept under the idempotency key of the order or of its hold. */
  keptCall?: KeptCallRow | null | undefined;
  /** Its response. Null if it is not kept. */
  keptResponse?: string | null | undefined;
  /** The length of all responses that are kept for the account. */
  keptBytes?: number | undefined;
};

/**
 * Rows that a rule needs, in addition to the account: those that it needs in any case, before it is called for the first time
 * (`Rule.needs`), and those that turn out to be missing (`Verdict`). Each is a row of `Rows` of the same name, except `newKey`.
 */
export type Needs = {
  /** The key with this id. */
  key?: string;
  /** The key with this SHA-256, or with this one before its last rotation. */
  callKey?: string;
  /** The key to create: loads whether another key has its id or SHA-256. */
  newKey?: { id: string; sha256: string };
  /** The first spendable grants in the order in which they are spent, until they hold more credits than this. */
  grants?: { covering: number };
  sum?: true;
  concerned?: Concerned;
  /** The record of this idempotency key. */
  earlier?: { tool: string; key: string };
  /** The time by the store's own clock. */
  clock?: true;
  /** The debit and the hold that the order identifies by the call's id and time. */
  debit?: true;
  hold?: true;
  /** The key with this number. */
  debitKey?: number;
  held?: true;
  /** The call that is kept under this idempotency key, and its response. */
  keptCall?: { tool: string; key: string };
  keptResponse?: { tool: string; key: string };
  keptBytes?: true;
};

/** Grants by id or number, or every grant of the account including spent and expired ones. */
export type Concerned = { ids: readonly string[] } | { nos: readonly number[] } | "every";

/** The changes of an order: complete rows, except for the columns that almost every debit changes. */
export type Changes = {
  account?: AccountRow;
  key?: KeyRow;
  grants?: readonly GrantRow[];
  /** A key of which only the last use and what it has spent changed. */
  usedKey?: CallKey;
  /** Grants of which only the remaining credits changed. */
  drawn?: readonly OpenGrant[];
  debit?: DebitRow;
  reversal?: ReversalRow;
  earlier?: IdempotencyRow;
  /** Delete what is kept of this call under its idempotency key, if it has one. Of a call that may act it stays known that it was made: `unknown`. */
  forgetCall?: { callId: string; at: number };
  /** A new hold, or one whose lease changed. */
  hold?: HoldRow;
  /** Delete this hold. */
  endHold?: { at: number; callId: string };
  /** A call that is kept under an idempotency key. `response`: its response, where that is new. It replaces what was kept under the key. */
  keptCall?: KeptCallRow & { response?: string };
  /** Delete what is kept under this idempotency key. */
  forgetKept?: { tool: string; key: string };
  /** In the order in which they occurred. */
  events?: readonly EventContent[];
  /** Delete the account's events that were not handled yet. */
  clearEvents?: true;
  /** Delete all kept calls of the account. */
  clearKept?: true;
};

export type Decision<Outcome> = { outcome: Outcome; changes: Changes };

/** The rows that a rule needs before it can decide. */
export type Missing = { needs: Needs };

/** A decision, or the rows that are missing. */
export type Verdict<Outcome> = Decision<Outcome> | Missing;

export const unchanged = <Outcome>(outcome: Outcome) => ({ outcome, changes: {} });
