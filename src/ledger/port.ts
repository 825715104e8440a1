/**
 * The ledger: grants, debits, the status of keys, and idempotency. This file is the port and its rules in words;
 * `rules/` decides by them, every store loads and saves the rows (`stores/`), and one contract suite holds them
 * all (`test/contract/ledger.ts`).
 *
 * The rules:
 * - An operation is atomic and durable before its promise resolves. The same order may be sent again: it names
 *   itself (a debit by account, `callId` and `now`), so it is carried out once.
 * - A promise rejects with `OrderRefused` or `NotCarriedOut` where nothing was changed; with any other error the
 *   outcome is unknown. Before it rejects so, a store looks up by the order's name what became of it, and it rejects
 *   what it cannot answer within LEDGER_TIMEOUT_MS (at the edge: WHOLE_ACCOUNT_TIMEOUT_MS for `audit` and `usage`).
 * - Every operation takes its time (`now`, milliseconds since 1970 UTC) from its caller.
 * - A store that keeps each account by itself finds an order's account by `account`; one that keeps all accounts
 *   together does without it in `maintain` and `audit`, which concern everything it keeps.
 * - A grant is spendable while `now < expiresAt`. A balance counts only what is spendable.
 * - A debit has a price in credits. It takes them from the grant that expires soonest; grants without expiry come last;
 *   among equals the oldest, and of one millisecond the one that was made first. It may take from several grants, and
 *   takes all or nothing.
 * - The first successful call of an account is free, with a balance of zero too, where its price is from 1 to the
 *   order's `freeCallCredits`. A call priced 0 does not use the free call up.
 * - An account is on the lifetime plan while it has a grant of that kind that is not clawed back whole. From the first such
 *   grant on no unspent grant expires (`expiresAt` becomes null), nor does one that is made later; each keeps the time
 *   at which it would have (`waivedExpiresAt`), and gets it back when the plan ends.
 * - A clawback is an absolute figure of a grant, as of a version: so many of its credits are taken back because their
 *   price was paid back. It may rise and fall; a version older than the last one changes nothing. What is clawed back is
 *   voided as far as it is unspent, and as far as it comes back later by a reversal.
 * - Events (`events.ts`) are written in the transaction of what they tell of.
 * - A key's status is decided in the same transaction as the debit.
 * - Totals: the sum of grants = debits - reversals + remaining + expired + voided, for every account, at any time.
 */

import { HOUR_MS } from "#limits.ts";
import type { EntriesOrder, EntriesPage } from "./entries.ts";
import type { LedgerEvent } from "./events.ts";

/** The order is not one that the books can hold; nothing was changed. */
export class OrderRefused extends Error {}

/** The store could not take the order; nothing was changed. */
export class NotCarriedOut extends Error {}

/** The order was sent and may have been carried out; nobody knows. */
export class OutcomeUnknown extends Error {}

export const GRANT_KINDS = ["starter", "pack", "lifetime", "operator"] as const;
export type GrantKind = (typeof GRANT_KINDS)[number];

export type Grant = {
  /** Given by the maker (`starter:<account>`, …); made once for its account, however often it is asked for. */
  id: string;
  kind: GrantKind;
  amount: number;
  remaining: number;
  grantedAt: number;
  /** The first millisecond at which the grant can no longer be spent; null: never. */
  expiresAt: number | null;
  /** When it would expire, were the account not on the lifetime plan; null where that plan has changed nothing. */
  waivedExpiresAt: number | null;
};

/** A key as it is kept: of the key itself only its SHA-256 (hex) and its first characters. */
export type Key = {
  id: string;
  account: string;
  sha256: string;
  start: string;
  label: string;
  createdAt: number;
  /** To the minute, so that a busy key costs no write per call. */
  lastUsedAt: number | null;
  revokedAt: number | null;
};

export type AccountState = "open" | "suspended" | "closed";
/** `withheld`: the account gets no free call, because its owner had one before. */
export type FreeCall = "open" | "used" | "withheld";

export type AccountStatus = {
  account: string;
  state: AccountState;
  createdAt: number;
  freeCall: FreeCall;
  balance: number;
  /** Whether it is on the lifetime plan. */
  lifetime: boolean;
  /** Its owner is told when the balance falls below this. */
  lowBalance: number;
};

/** Unknown, malformed and revoked keys and those of closed accounts are one outcome: nobody learns which. */
type NotGood = { outcome: "invalid_key" } | { outcome: "account_suspended"; balance: number };

export type KeyStatusOrder = { account: string; keySha256: string; now: number };
export type KeyStatus = NotGood | { outcome: "good"; balance: number; freeCall: boolean };

export type DebitOrder = {
  account: string;
  keySha256: string;
  /** With `account` and `now` the name of this call: the same order sent again is the same debit, not a second one. */
  callId: string;
  tool: string;
  /** The price of the call, from 0 to PRICE_CREDITS_MAX. */
  credits: number;
  /** The account's first call is free where its price is at most this. */
  freeCallCredits: number;
  now: number;
  idempotency: IdempotencyOrder | null;
};

export type IdempotencyOrder = {
  key: string;
  bodySha256: string;
  responseSha256: string;
  /** What the tool was supplied with and cannot be computed again; `random` in hex, null where none was drawn. */
  receivedAt: number;
  random: string | null;
};

export type Replay = Pick<IdempotencyOrder, "responseSha256" | "receivedAt" | "random">;

export type DebitOutcome =
  | NotGood
  | { outcome: "insufficient_credits"; balance: number }
  /** `charged` is 0 for the free first call. */
  | { outcome: "debited"; charged: number; balance: number }
  | { outcome: "replayed"; balance: number; replay: Replay }
  | { outcome: "idempotency_key_reused"; balance: number };

export type CallRef = { account: string; callId: string; at: number };

/** What was used in one UTC hour; debits that are still kept one by one and folded ones together. */
export type UsageRow = {
  account: string;
  key: string;
  tool: string;
  /** Start of the hour, milliseconds since 1970 UTC. */
  hour: number;
  calls: number;
  credits: number;
};

/** What one key was used for; keys that were not used are left out, and so are calls that were reversed. */
export type KeyCalls = { key: string; calls: number; credits: number };

export type MaintainOrder = {
  /** Whose books, where each account has its own. */
  account?: string;
  now: number;
  /**
   * Debits made before this time are folded by account, key, tool and UTC hour. It lies days behind `now`: a folded
   * debit can be neither sent again nor reversed.
   */
  rollUpBefore: number;
  /** How many rows one step may touch, so that no call waits long behind it. */
  rowsMax: number;
  /** Where the last step stopped; null starts a round. */
  after: number | null;
};
export type MaintainOutcome = {
  rolledUp: number;
  forgotten: number;
  after: number | null;
  /**
   * How far `now` is ahead of the clock of a store that has one, where they are seconds apart; less than 0: behind. What is
   * deleted there is old by both.
   */
  clockAheadMs?: number;
};

export type LedgerTotals = {
  granted: number;
  debited: number;
  reversed: number;
  remaining: number;
  expired: number;
  voided: number;
};
export type Audit = {
  ok: boolean;
  accounts: number;
  totals: LedgerTotals;
  /** One sentence for each thing that does not reconcile. */
  faults: string[];
};

/** Every operation: what is ordered, and what comes of it. Orders and outcomes are plain JSON data. */
export type LedgerOperations = {
  openAccount: [
    { account: string; freeCall: "open" | "withheld"; now: number },
    { opened: boolean },
  ];
  suspendAccount: [{ account: string; now: number }, { found: boolean }];
  resumeAccount: [{ account: string; now: number }, { found: boolean }];
  /**
   * Its keys answer as unknown ones, what is unspent is voided. A closed account stays closed: closing it again tells what it
   * has forfeited.
   */
  closeAccount: [{ account: string; now: number }, { found: boolean; forfeited: number }];
  findAccount: [{ account: string; now: number }, AccountStatus | null];

  createKey: [
    { account: string; id: string; sha256: string; start: string; label: string; now: number },
    /** `taken`: another key has this id or this SHA-256. */
    { outcome: "created" | "no_account" | "taken" },
  ];
  revokeKey: [{ account: string; id: string; now: number }, { found: boolean }];
  /** A revoked key may be named anew too; those of a closed account are not found. */
  relabelKey: [{ account: string; id: string; label: string }, { found: boolean }];
  listKeys: [{ account: string }, Key[]];

  grant: [
    {
      account: string;
      id: string;
      kind: GrantKind;
      amount: number;
      expiresAt: number | null;
      now: number;
    },
    /** A grant that was made before is told after the account was closed as well. */
    { outcome: "granted" | "already_granted"; grant: Grant } | { outcome: "no_account" },
  ];
  /**
   * So many credits of the grant are clawed back, as of `version`; more than its amount counts as its amount. Unspent ones
   * are voided; where the figure falls, voided ones can be spent again, and a `credits.granted` event says how many.
   * `stale`: a later version was there before, and nothing was changed.
   */
  clawback: [
    { account: string; grant: string; credits: number; version: number; now: number },
    /** Of the whole grant: `voided` for whatever reason, `spent` by calls that were not reversed. */
    { outcome: "clawed_back" | "stale"; voided: number; spent: number } | { outcome: "no_grant" },
  ];
  /** The balance and every grant, in the order in which they are spent; spent and expired ones last. */
  credits: [
    { account: string; now: number },
    { balance: number; lifetime: boolean; grants: Grant[] },
  ];

  keyStatus: [KeyStatusOrder, KeyStatus];
  debit: [DebitOrder, DebitOutcome];
  /**
   * Gives back the credit of a call whose answer never left. Once per call; nothing where no such debit stands. One that
   * comes afterwards, because it was overtaken on its way, is rejected as reversed.
   */
  reverse: [CallRef & { now: number }, { reversed: boolean }];

  /** Usage in `from <= hour < to`; of every account where none is named. */
  usage: [{ account: string | null; from: number; to: number }, UsageRow[]];
  /**
   * What each key was used for since `from` (`at >= from`), to the millisecond. Of debits that are kept one by one:
   * `from` lies at most two days behind.
   */
  recentCalls: [{ account: string; from: number }, KeyCalls[]];
  /** The account's books as a list, newest first; `entries.ts` says what it holds. */
  entries: [EntriesOrder, EntriesPage];
  /** Sets below which balance the owner is told; 0: not until it is gone. What is so already brings no notice. */
  setLowBalance: [{ account: string; lowBalance: number; now: number }, { found: boolean }];
  /**
   * Writes the notices that time alone brings, of at most `max` grants: those that expire soon, and those that have. The
   * longest due come first, among equals in the order in which they were made. `noticed`: how many notices were written.
   */
  recordExpiries: [
    { account?: string; now: number; max: number },
    { notified: number; more: boolean },
  ];
  /** The oldest notices that nobody has settled, at most `max`, in the order in which they were written. */
  listEvents: [{ account?: string; max: number }, { events: LedgerEvent[] }];
  /** These were carried on, and need not be kept. */
  deleteEvents: [{ account?: string; ids: readonly string[] }, { settled: number }];
  maintain: [MaintainOrder, MaintainOutcome];
  /** `account`: of that account alone. */
  audit: [{ account?: string; now: number }, Audit];
  /** Resolves when the ledger takes writes; rejects otherwise. */
  probe: [{ now: number }, { ready: true }];
};

export type LedgerOperation = keyof LedgerOperations;

export type Ledger = {
  [Name in LedgerOperation]: (
    order: LedgerOperations[Name][0],
  ) => Promise<LedgerOperations[Name][1]>;
};

/** The same operations without promises: what a store inside one transaction gives. */
export type SyncLedger = {
  [Name in LedgerOperation]: (order: LedgerOperations[Name][0]) => LedgerOperations[Name][1];
};

/** A use of a key is noted when the last note is at least this old. */
export const LAST_USED_STEP_MS = 60_000;

export const hourOf = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS;
