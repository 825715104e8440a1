/**
 * The ledger's port: its operations, and its rules in words.
 *
 * `rules/` implements the rules. The stores in `stores/` load the rows that an order concerns, let the rules decide, and save
 * what changed. One contract suite (`test/contract/ledger.ts`) tests every store.
 *
 * Orders
 *
 * - Every operation is atomic, and durable before its promise resolves. An order may be sent more than once: it identifies
 *   itself (a debit by `account`, `callId` and `now`), so it is carried out once.
 * - A promise rejects with `OrderRejected` or `NotCarriedOut` only if nothing was changed. Any other error means that the
 *   outcome is unknown. Before a store rejects with such an error, it looks the order up to find its outcome.
 * - A store rejects an order that it cannot complete within LEDGER_TIMEOUT_MS. At the edge, `audit` has WHOLE_ACCOUNT_TIMEOUT_MS;
 *   on PostgreSQL, `audit` and `maintain` have no limit.
 * - The caller passes the time (`now`, milliseconds since 1970 UTC) of everything that depends on it.
 * - A store with one database per account selects the database by `account`. A store with one database for all accounts does
 *   not need `account` in `maintain`, `expireHolds` and `audit`, which then apply to all accounts.
 *
 * Spending
 *
 * - A grant is spendable while `now < expiresAt`. The balance of an account is the sum of its spendable credits.
 * - A debit has a price in credits. It takes credits from the grant that expires soonest; grants that never expire come last.
 *   Among grants with the same expiry, the oldest comes first; within one millisecond, the grant that was made first. A debit
 *   may take from several grants. It takes its whole price or nothing.
 * - The first successful call of an account is free, even if its balance is 0, provided that its price is from 1 to the
 *   order's `freeCallCredits`. A call with a price of 0 does not use up the free call.
 * - An operator may set a price for an account and a tool. It takes the place of the price of every order for that tool, and the outcome says it.
 * - The status of a key is checked in the same transaction as the debit.
 *
 * Holds
 *
 * - A call that costs its operator money is paid before it runs: a hold takes its price as a debit would, in the same order of
 *   grants, and claims the free first call and the idempotency key. So held credits count as spent in the balance and in the budgets of
 *   keys. The hold has the name that its debit will have: `account`, `callId` and the time of the hold, `at`.
 * - Settling debits at most what is held, and gives the rest back, the part that is spent last first. Releasing gives all of it back.
 *   What comes back is treated as in a reversal. The owner is notified of a low balance when a call is settled, not while it runs.
 * - A hold has a lease. Who holds renews it at least every half of it. A lease that has run out is extended once, and the hold ends only
 *   if that ran out too (`expireHolds`): so its holder was silent for a whole lease, whatever its clock says.
 * - A call that is settled after its hold has ended is charged anew, as if it came now, and fails if that is not possible. In the budgets
 *   of its key it counts for the day and month of its hold, as any call that ends later, and for none of them that is over.
 * - What was held may be settled whatever has become of key, account and price since.
 * - A call under an idempotency key is kept for 24 hours: `running`; `kept` with its response, which repeats get; or `unknown`: it
 *   may have done its work, so it must not run again. Another request under the key is rejected.
 *   A reversal frees the key, or makes it `unknown` if the call may have changed the world.
 *
 * Lifetime plan
 *
 * - An account is on the lifetime plan while it has a grant of kind `lifetime` that is not clawed back in full.
 * - When the plan starts, unspent grants stop expiring (`expiresAt` becomes null). Grants that are made while the plan lasts
 *   do not expire either. Each grant stores its original expiry (`waivedExpiresAt`) and gets it back when the plan ends.
 *
 * Clawback
 *
 * - A clawback states how many credits of a grant are to be taken back because their price was refunded. The number is a
 *   total, not a difference: it may rise and fall. It has a version, and a version older than the last one changes nothing.
 *   If the number only rises, a lower one changes nothing, whatever its version.
 * - Unspent credits that are clawed back are voided at once. Credits that were already spent are voided when a reversal
 *   returns them.
 *
 * Events and totals
 *
 * - An event (`events.ts`) is written in the same transaction as the change that it reports. Reading and deleting events is a port
 *   of its own, `LedgerEvents`.
 * - For every account at any time: granted = debited - reversed + remaining + held + expired + voided.
 */

import { HOUR_MS } from "#limits.ts";
import type { EntriesOrder, EntriesPage } from "./entries.ts";
import type { BudgetPeriod, KeyLimits } from "./key-limits.ts";
import type { AccountState, AccountStatus, Grant, GrantKind, Key } from "./model.ts";

export type { BudgetPeriod, KeyBudgets, KeyLimits, KeySpent } from "./key-limits.ts";
export type { AccountState, AccountStatus, FreeCall, Grant, GrantKind, Key } from "./model.ts";
export { GRANT_KINDS, LAST_USED_STEP_MS } from "./model.ts";
export {
  NotCarriedOut,
  OrderRejected,
  OutcomeUnknown,
  UsageNotSummed,
} from "./outcome-errors.ts";

/** Keys that are unknown, malformed, revoked or of a closed account have one outcome, so that a client cannot tell them apart. */
type KeyRejected =
  | { outcome: "invalid_key" }
  /** Only the holder of the secret gets this. A secret that was replaced by a rotation expires too. */
  | { outcome: "key_expired"; expiredAt: number }
  | { outcome: "account_suspended"; balance: number }
  | KeyNotAllowed;

/** The key may not call the tool, or may not be used from the client's network. `tools`: those that it may call. */
export type KeyNotAllowed =
  | { outcome: "key_not_allowed"; balance: number; limit: "tools"; tools: readonly string[] }
  | { outcome: "key_not_allowed"; balance: number; limit: "networks" };

/** The first budget of the key that does not cover a call. `resetsAt` is null for the budget in all. */
export type BudgetExhausted = {
  budget: BudgetPeriod;
  resetsAt: number | null;
  /** What the budget allows in its period, and what is left of that. Absent from an object of an earlier release. */
  credits?: number;
  remaining?: number;
  /**
   * What running calls of the key hold that were made in the period, at most what is spent in it: it counts as spent, and may come back.
   * Absent if it is nothing.
   */
  heldCredits?: number;
};

/** The key's own rate, for the node that counts it. Absent if the key has none. */
export type KeyRate = {
  /** Identifies the key in its store, whichever of its secrets a call has. */
  keyNo: number;
  callsPerSecond: number;
};
type HasKeyRate = { keyRate?: KeyRate };

export type KeyStatusOrder = {
  account: string;
  keySha256: string;
  now: number;
  /** The tool that the client calls; absent if it calls none. */
  tool?: string | null;
  /** The price of the call in credits, which the budgets of the key have to cover; absent if there is none. */
  credits?: number;
  /** The network address of the client. A key that is bound to networks is rejected if it is not known. */
  address?: string | null;
  /** The idempotency key of the call of `tool` that is to follow. */
  idempotencyKey?: string | null;
  /** Whether that call will hold its price. */
  isHeld?: boolean;
} & NamesKey;
export type KeyStatus = (
  | KeyRejected
  | ({
      outcome: "good";
      balance: number;
      freeCall: boolean;
      /** Whether an earlier call is kept under the order's idempotency key; absent if the order has none. */
      replayable?: boolean;
      /** Why the call would be rejected if it were charged. Absent if the key's budgets cover it. */
      exhausted?: BudgetExhausted;
    } & HasHeld &
      HasPrice &
      HasKeyRate)
) &
  HasKeyId;

type NamesKey = {
  /** Whether the outcome names the key, for the logs. A node asks for it until it knows the key's id. */
  namesKey?: boolean;
};
export type HasKeyId = {
  /** The key's id, also of a revoked one. Absent if the order does not ask for it, if there is no such key, or if the account is closed. */
  keyId?: string;
};

export type DebitOrder = {
  account: string;
  keySha256: string;
  /** Identifies the call, together with `account` and `now`. The same order sent twice is one debit. */
  callId: string;
  tool: string;
  /** The price of the call in credits, from 0 to PRICE_CREDITS_MAX. */
  credits: number;
  /** The account's first call is free if it costs at most this number of credits. */
  freeCallCredits: number;
  now: number;
  /** The network address of the client. A key that is bound to networks is rejected if it is not known. */
  address?: string | null;
  idempotency: IdempotencyOrder | null;
} & NamesKey;

export type IdempotencyOrder = {
  key: string;
  bodySha256: string;
  responseSha256: string;
  /** The inputs of the tool that cannot be computed again when the response is replayed. */
  receivedAt: number;
  /** Random bytes in hex; null if the tool used none. */
  random: string | null;
};

export type Replay = Pick<IdempotencyOrder, "responseSha256" | "receivedAt" | "random">;

export type DebitOutcome = (
  | KeyRejected
  | ({ outcome: "key_budget_exhausted"; balance: number } & BudgetExhausted & HasPrice & HasKeyRate)
  | ({ outcome: "insufficient_credits"; balance: number } & HasHeld & HasPrice & HasKeyRate)
  /** `charged` is 0 for the free first call. */
  | ({ outcome: "debited"; charged: number; balance: number } & HasKeyRate)
  | ({ outcome: "replayed"; balance: number; replay: Replay } & HasKeyRate)
  | ({ outcome: "idempotency_key_reused"; balance: number } & HasKeyRate)
) &
  HasKeyId;

/** What calls that are running hold, where the balance is too low. Absent if it is nothing. */
type HasHeld = { heldCredits?: number };

/** What the call costs this account, where the operator has set a price for it. */
type HasPrice = { price?: number };

/**
 * What becomes of a hold whose holder is silent. `release`: its credits are given back, and its idempotency key is free. `unknown`: its
 * credits are given back, and its key is kept, because the call may have done its work. `charge`: it is charged, and its key is kept.
 */
export type OnCrash = "release" | "unknown" | "charge";

export type HoldOrder = Omit<DebitOrder, "idempotency"> & {
  /** `keptBytesMax`: with more bytes of kept responses than this, the account gets no new ones. */
  idempotency: { key: string; bodySha256: string; keptBytesMax: number } | null;
  /** From 1 to LEASE_MS_MAX. */
  leaseMs: number;
  onCrash: OnCrash;
};

export type HoldOutcome = (
  | KeyRejected
  | ({ outcome: "key_budget_exhausted"; balance: number } & BudgetExhausted & HasPrice & HasKeyRate)
  | ({ outcome: "insufficient_credits"; balance: number } & HasHeld & HasPrice & HasKeyRate)
  /** `credits` is 0 for the free first call. */
  | ({ outcome: "held"; credits: number; balance: number } & HasPrice & HasKeyRate)
  /** The response of the first call under the idempotency key. */
  | ({ outcome: "kept"; response: string; balance: number } & HasKeyRate)
  /** The first call under the idempotency key is running. */
  | ({ outcome: "in_progress"; balance: number } & HasKeyRate)
  /** The first call under the idempotency key may have done its work, and its response is not known. */
  | ({ outcome: "outcome_unknown"; callId: string; at: number; balance: number } & HasKeyRate)
  | ({ outcome: "idempotency_key_reused"; balance: number } & HasKeyRate)
  /** The account has more than `keptBytesMax` of kept responses. */
  | ({ outcome: "too_much_kept"; balance: number } & HasKeyRate)
) &
  HasKeyId;

export type SettleOrder = Omit<DebitOrder, "idempotency"> & {
  /** The time of the hold. */
  at: number;
  /** What the call costs. More than was held counts as what was held. */
  credits: number;
  /** That of the hold, with the response to keep. */
  idempotency: { key: string; bodySha256: string; response: string } | null;
};

export type SettleOutcome =
  /** `isLate`: the hold had ended, and the call was charged anew. */
  | { outcome: "settled"; charged: number; balance: number; isLate?: true }
  /** The hold had ended, and another call has claimed the idempotency key since. Nothing was charged. */
  | { outcome: "superseded"; balance: number }
  /** The hold had ended, and the call cannot be charged anew. */
  | Exclude<DebitOutcome, { outcome: "debited" | "replayed" | "idempotency_key_reused" }>;

export type CallRef = { account: string; callId: string; at: number };

/**
 * A call to reverse. `key`: if it still holds its price, its idempotency key becomes free, because it has not run; by default only if it
 * may not change the world.
 */
export type Reversal = CallRef & { key?: "free" };

/** What the ledger has of a call. */
export type CallRecord =
  | ({
      outcome: "found";
      /** The id of the key. */
      key: string;
      tool: string;
      credits: number;
      /** Whether it was the account's free first call. */
      isFree: boolean;
      /** What each grant paid, in the order in which they are spent. */
      parts: { grant: string; kind: GrantKind; credits: number }[];
      reversedAt: number | null;
      /** Whether a repeat with its idempotency key gets its response without a charge. */
      isRepeatable: boolean;
    } & MayHaveActed)
  /** It is running: its price is held, and not charged yet. */
  | { outcome: "held"; key: string; tool: string; credits: number; isFree: boolean }
  /** It was not charged, and may have done its work: its idempotency key is kept, so that it does not run again. */
  | { outcome: "unknown" }
  /** It was reversed before its debit arrived, so it was never charged. */
  | ({ outcome: "never_charged"; reversedAt: number } & MayHaveActed)
  /** Calls of its hour are rolled up. Whether this one was among them is no longer stored, unless it was reversed. */
  | { outcome: "rolled_up"; reversedAt: number | null }
  | { outcome: "not_found" };

/** Set if its idempotency key is kept because it may have done its work, so that it does not run again. */
type MayHaveActed = { mayHaveActed?: true };

/** The usage of one UTC hour, from single debits and rolled-up debits together. */
export type UsageRow = {
  account: string;
  key: string;
  tool: string;
  /** The start of the hour, milliseconds since 1970 UTC. */
  hour: number;
  calls: number;
  credits: number;
};

/** The usage of one key. Unused keys and reversed calls are left out. */
export type KeyCalls = { key: string; calls: number; credits: number };

export type MaintainOrder = {
  /** Required if each account has a database of its own. */
  account?: string;
  now: number;
  /**
   * Debits made before this time are rolled up by account, key, tool and UTC hour. It must lie days before `now`, because a
   * debit that is rolled up can be neither repeated nor reversed.
   */
  rollUpBefore: number;
  /** The maximum number of rows that one step changes, so that calls do not wait long for it. */
  rowsMax: number;
  /** The `after` of the previous step; null starts a new round. */
  after: number | null;
};
export type MaintainOutcome = {
  /** The number of events about expiries that were written. */
  notified: number;
  /** The number of debits that were rolled up. */
  rolledUp: number;
  /** The number of idempotency records that were deleted. */
  forgotten: number;
  /** Null if the round is complete. */
  after: number | null;
  /**
   * How far `now` is ahead of the store's own clock, if it has one and they are seconds apart; negative if `now` is behind.
   * Such a store deletes only what is old by both clocks.
   */
  clockAheadMs?: number;
};

export type LedgerTotals = {
  granted: number;
  debited: number;
  reversed: number;
  remaining: number;
  /** By calls that are running. */
  held: number;
  expired: number;
  voided: number;
};
export type Audit = {
  ok: boolean;
  accounts: number;
  totals: LedgerTotals;
  /** One sentence for each mismatch. */
  faults: string[];
};

/** Every operation as a pair of its order and its outcome. Both are plain JSON data. */
export type LedgerOperations = {
  openAccount: [
    { account: string; freeCall: "open" | "withheld"; now: number },
    { opened: boolean },
  ];
  /**
   * Changes what the order names. `lowBalance`: the balance below which the owner is notified; 0 notifies only when the balance is
   * used up. A balance that is already below the new threshold causes no event. `price`: the price of a tool for this account, null
   * for that of the tool. An account has at most OWN_PRICES_MAX.
   *
   * In a closed account, keys are treated as unknown, and unspent credits are voided: `forfeited` is their number, 0 for any other
   * state. A closed account stays closed and is not found, but closing it again returns the same number.
   */
  changeAccount: [
    {
      account: string;
      state?: AccountState;
      lowBalance?: number;
      price?: { tool: string; credits: number | null };
      now: number;
    },
    { found: boolean; forfeited: number },
  ];
  findAccount: [{ account: string; now: number }, AccountStatus | null];

  createKey: [
    {
      account: string;
      id: string;
      sha256: string;
      start: string;
      label: string;
      limits?: KeyLimits | null;
      now: number;
    },
    /** `taken`: another key has this id or SHA-256. */
    { outcome: "created" | "no_account" | "taken" },
  ];
  revokeKey: [{ account: string; id: string; now: number }, { found: boolean }];
  /**
   * Replaces the label of a key, its limits, or both. What it has spent stays, unless no budget is left. A budget that is the key's
   * first counts from `now` on. A revoked key is found only if the order leaves its limits as they are, a key of a closed account
   * never; nothing was changed then.
   */
  changeKey: [
    { account: string; id: string; label?: string; limits?: KeyLimits | null; now: number },
    { found: boolean },
  ];
  /**
   * Gives a key a new secret. The secret that it replaces works until `previousUntil`, at most ROTATION_DAYS_MAX days ahead;
   * one that an earlier rotation replaced stops working at once. Id, label, limits and what was spent stay. An order with the
   * same `previousUntil` as the last one repeats it, with another new secret.
   */
  rotateKey: [
    {
      account: string;
      id: string;
      sha256: string;
      start: string;
      previousUntil: number;
      now: number;
    },
    /** `taken`: another key has this SHA-256. */
    { outcome: "rotated" | "not_found" | "revoked" | "taken" },
  ];
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
    /** `already_granted`: the account has a grant of this id. This is the outcome even if the account was closed since. */
    { outcome: "granted" | "already_granted"; grant: Grant } | { outcome: "no_account" },
  ];
  /**
   * Sets how many credits of the grant are clawed back, as of `version`. A number above the grant's amount counts as the
   * amount. Unspent credits are voided. If the number falls, voided credits become spendable again, and a `credits.granted`
   * event reports how many. `stale`: a later version is already stored or, if the order only raises the number, a higher number.
   * Nothing was changed then.
   */
  clawback: [
    {
      account: string;
      grant: string;
      credits: number;
      version: number;
      onlyRaises?: boolean | undefined;
      now: number;
    },
    /** Of the whole grant: `voided` for any reason, and `spent` by calls that were not reversed. */
    { outcome: "clawed_back" | "stale"; voided: number; spent: number } | { outcome: "no_grant" },
  ];
  /**
   * The balance, and a page of the grants: in the order in which they are spent, and after these the spent and expired ones,
   * newest first. A page has at most `max` grants, by default and at most GRANTS_PAGE_MAX, and may have fewer although more
   * follow.
   */
  credits: [
    {
      account: string;
      now: number;
      /** The `next` of the previous page; null or absent for the first page. Any other text is rejected. */
      after?: string | null | undefined;
      max?: number | undefined;
    },
    {
      balance: number;
      /** What running calls hold, which the balance does not include. */
      held: number;
      lifetime: boolean;
      /** All spendable credits that expire at the earliest time at which any do. */
      nextExpiry: { credits: number; at: number } | null;
      /** The spendable credits that never expire; null on any other page than the first, and if `max` is 0. */
      permanent: number | null;
      /** Whether the account ever had a grant. */
      hasGrants: boolean;
      grants: Grant[];
      next: string | null;
    },
  ];

  keyStatus: [KeyStatusOrder, KeyStatus];
  debit: [DebitOrder, DebitOutcome];
  /**
   * Reverses the debit of a call whose response was never sent. A debit is reversed at most once. If there is no such debit,
   * the ledger remembers the reversal, and rejects the debit if it arrives later. What the call holds is given back.
   */
  reverse: [Reversal & { now: number }, { reversed: boolean }];

  hold: [HoldOrder, HoldOutcome];
  settle: [SettleOrder, SettleOutcome];
  /** Gives back what a call holds. `key`: whether its idempotency key is free again, or kept as `unknown`. */
  release: [CallRef & { key: "free" | "unknown"; now: number }, { released: boolean }];
  /** The lease of the hold ends a whole lease after `now`. `renewed` is false if the hold has ended. */
  renew: [CallRef & { now: number }, { renewed: boolean }];
  /** A step of ending the holds whose holders are silent. `isMore`: there were `max` of them, so there may be more. */
  expireHolds: [{ account?: string; now: number; max: number }, { ended: number; isMore: boolean }];

  /** Finds a call by its account, time and id, without a search. */
  findCall: [CallRef, CallRecord];

  /**
   * A page of the usage of the hours `from <= hour < to`, in the order of the hours. The list goes on if a page has `max` rows,
   * which is USAGE_ROWS_MAX by default and at most. Rejects with `NotCarriedOut` while many debits are not summed yet; summing
   * them goes on with the next order.
   */
  usage: [
    {
      account: string;
      from: number;
      to: number;
      /** The last row of the previous page; null or absent for the first page. */
      after?: Pick<UsageRow, "hour" | "key" | "tool"> | null | undefined;
      max?: number | undefined;
      /** Rejects at once if debits have to be summed first, and sums them meanwhile. By default, they are summed for some seconds. */
      isQuick?: boolean | undefined;
    },
    UsageRow[],
  ];
  /** A page of the account's ledger entries (`entries.ts`), newest first. */
  entries: [EntriesOrder, EntriesPage];
  /**
   * A step of what is due as time passes: writes the events of grants that expire soon or have expired, rolls debits up, deletes
   * idempotency records, and sums debits for `usage`. The grants that have been due for the longest come first; among equals, the
   * grant that was made first.
   */
  maintain: [MaintainOrder, MaintainOutcome];
  /** Checks that the totals reconcile, of all accounts or of one. */
  audit: [{ account?: string; now: number }, Audit];
  /** Resolves if the ledger accepts writes; rejects otherwise. */
  probe: [{ now: number }, { ready: true }];
};

export type LedgerOperation = keyof LedgerOperations;
export type Order<Name extends LedgerOperation> = LedgerOperations[Name][0];
export type Outcome<Name extends LedgerOperation> = LedgerOperations[Name][1];

export type Ledger = {
  [Name in LedgerOperation]: (order: Order<Name>) => Promise<Outcome<Name>>;
};

/** The same operations without promises, inside one transaction. */
export type SyncLedger = {
  [Name in LedgerOperation]: (order: Order<Name>) => Outcome<Name>;
};

/** The start of the UTC hour that contains the time. */
export const hourOf = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS;
