import type { EventContent, Level } from "../events.ts";
import type { AccountState, FreeCall, GrantKind } from "../port.ts";

/**
 * The rows of a ledger, as its stores keep them and its rules read and change them. Rows are values: a rule returns changed
 * copies. Times are milliseconds since 1970 UTC. `no` is the store's number of a row; 0 where the store has not numbered
 * it yet.
 */
export type AccountRow = {
  no: number;
  id: string;
  createdAt: number;
  state: AccountState;
  freeCall: FreeCall;
  /** Grants of the kind `lifetime` that are not clawed back whole: the account is on the plan while there is one. */
  lifetimeGrants: number;
  lowBalance: number;
  notifiedLevel: Level;
  /**
   * The balance without a sum over all grants (`balance.ts`): the id of the grant that is spent first, and what those after it
   * in burn order hold together; -1 where that is not known. This holds whenever that grant is the first spendable one,
   * whatever the clock does: none of those after it expires before it, and any before it that can be spent would be first.
   * A debit changes the first grant alone, so most debits leave the account's row as it is.
   */
  frontGrant: string | null;
  rest: number;
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
};

/** What the path of a call needs to know of its key: stores load no more for it. */
export type CallKey = Pick<KeyRow, "no" | "sha256" | "lastUsedAt" | "revokedAt">;

export type GrantRow = {
  no: number;
  id: string;
  kind: GrantKind;
  amount: number;
  remaining: number;
  voided: number;
  /** When the first part of it was voided; null where nothing is. */
  voidedAt: number | null;
  /** The credits that are to be clawed back, and the version of that figure. */
  clawback: number;
  clawbackVersion: number;
  grantedAt: number;
  expiresAt: number | null;
  waivedExpiresAt: number | null;
  /** When an event about its end is due, or the end itself; null where neither is to come. */
  eventDueAt: number | null;
};

/** What has to be known of a grant to spend it, and to know the balance. */
export type OpenGrant = Pick<
  GrantRow,
  "no" | "id" | "kind" | "remaining" | "grantedAt" | "expiresAt"
>;

/** A part of a debit's price that one of several grants paid. */
export type DebitPart = { id: string; kind: GrantKind; credits: number };

export type DebitRow = {
  at: number;
  callId: string;
  /** 0: a mark in the place of a debit that was reversed before it came. */
  keyNo: number;
  tool: string;
  credits: number;
  /** The account's free first call. */
  isFree: boolean;
  /** The grant that paid, or the first of several; null where nothing was taken. */
  grantNo: number | null;
  /** What each grant paid, in burn order; null where it was one grant, or none. */
  parts: readonly DebitPart[] | null;
  reversedAt: number | null;
};

/** What is kept of a debit that was reversed; it stays when the debit has been rolled up. */
export type ReversalRow = Omit<DebitRow, "isFree" | "reversedAt"> & { reversedAt: number };

/** The record of an idempotency key: the call that it was used for first, and what its response was made of. */
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
 * What a rule knows of the order's account. What the store has not loaded is undefined; what is not there is null. A rule
 * that lacks something says so (`Need`), and is asked again when it was loaded.
 */
export type Rows = {
  account: AccountRow | null;
  key: KeyRow | null | undefined;
  /** The key that the call came with. */
  callKey: CallKey | null | undefined;
  /** Whether another key, of any account, has the id or the SHA-256 of the key to create. */
  isKeyTaken: boolean | undefined;
  /**
   * Grants in burn order (`balance.ts`): the first ones of those that can be spent at the time of the order. Expired ones may
   * stand before them, and within a batch they may be fewer than were asked for. `areAll`: there are no others.
   */
  grants: readonly OpenGrant[];
  areAll: boolean;
  /** The balance at the time of the order, as a sum over all grants. */
  sum: number | undefined;
  /** The grants that the order concerns, in no particular order. `isEveryConcerned`: all that the account ever had. */
  concerned: readonly GrantRow[] | undefined;
  isEveryConcerned: boolean;
  /** The debit of the order's own name. */
  debit: DebitRow | null | undefined;
  /** The record of the order's idempotency key. */
  earlier: IdempotencyRow | null | undefined;
};

/** What a store loads before it asks a rule for the first time, beside the account. */
export type Loads = {
  /** The key with this id. */
  key?: string;
  /** The key with this SHA-256. */
  callKey?: string;
  /** The key to create: whether another one has its id or its SHA-256. */
  newKey?: { id: string; sha256: string };
  /** Spendable grants in burn order, until they hold more credits than this. */
  grants?: { covering: number };
  concerned?: Concerned;
  /** The record of this idempotency key. */
  earlier?: { tool: string; key: string };
  debit?: true;
};

/** The named grants, or every grant of the account, spent and expired ones too. */
export type Concerned = { ids: readonly string[] } | { nos: readonly number[] } | "every";

/** What a rule needs to know before it can decide. */
export type Need =
  | { need: "sum" }
  | { need: "debit" }
  /** As many of the first spendable grants as hold more credits than this. */
  | { need: "grants"; covering: number }
  | { need: "concerned"; grants: Concerned };

/** What an order changes: whole rows as they are to be kept, but for what each debit changes. */
export type Changes = {
  account?: AccountRow;
  key?: KeyRow;
  grants?: readonly GrantRow[];
  /** A key of which nothing but the last use has changed. */
  usedKey?: CallKey;
  /** Grants of which nothing but what remains has changed. */
  drawn?: readonly OpenGrant[];
  debit?: DebitRow;
  reversal?: ReversalRow;
  earlier?: IdempotencyRow;
  /** The record of whatever idempotency key this call had goes. A call is named by its time too. */
  forgetCall?: { callId: string; at: number };
  /** In the order in which they came about. */
  events?: readonly EventContent[];
  /** Events that were not told yet go. */
  clearEvents?: true;
};

export type Decision<Outcome> = { outcome: Outcome; changes: Changes };

/** An order decided by the rows, or what is missing of them. */
export type Verdict<Outcome> = Decision<Outcome> | Need;
