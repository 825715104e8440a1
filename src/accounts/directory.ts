import type { StarterClaim, StarterDecision, StarterOutcome } from "./starter-claim.ts";

/**
 * The directory maps email addresses to accounts: the port. The ledger does not store addresses, so this is the only link
 * between a user and an account.
 */
export type Address = { email: string; account: string; createdAt: number };

export type DirectoryOperations = {
  /** Registers an address for an account; `taken`: another account has the address, or the account has another one. */
  register: [Address, { outcome: "registered" | "taken" }];
  findByEmail: [{ email: string }, Address | null];
  findByAccount: [{ account: string }, Address | null];
  /** Addresses in byte order, at most `max`, after the given one. */
  listAddresses: [{ after: string | null; max: number }, Address[]];
  /**
   * Deletes the address of an account. A keyed hash of it stays, so that signing up again brings neither starter credits nor a
   * free call.
   */
  forget: [{ account: string; emailHash: string; now: number }, { found: boolean }];
  /** Stores the hash of an address that an account has changed from. */
  recordClosed: [{ emailHash: string; now: number }, { recorded: true }];
  wasClosed: [{ emailHash: string }, { closed: boolean }];
  /**
   * Registers the address for the account and, unless another account has the address, decides once for each account whether it
   * gets starter credits, within the budgets, and records it. Repeating it returns the same outcome. Concurrent claims, on any node,
   * never exceed a budget.
   */
  claimStarter: [StarterClaim, ClaimOutcome];
  /** Null for an account that never claimed: an operator made it, or it comes from an export without claims. */
  findStarter: [{ account: string }, StarterDecision | null];
  /** How many claims since then had which outcome. */
  countStarters: [{ since: number }, { outcome: StarterOutcome; count: number }[]];
  /** Records a decision made elsewhere. An account that has one keeps it. */
  recordStarter: [StarterDecision, { recorded: true }];
};

/** `taken`: `account` has the address, so nothing was claimed. */
export type ClaimOutcome =
  | { outcome: StarterOutcome; isFirstToday: boolean }
  | { outcome: "taken"; account: string };

export type DirectoryOperation = keyof DirectoryOperations;

export type Directory = {
  [Name in DirectoryOperation]: (
    order: DirectoryOperations[Name][0],
  ) => Promise<DirectoryOperations[Name][1]>;
};

/**
 * The list of all accounts, for operators: the port. It is needed where each account's ledger is a database of its own, so
 * that no ledger can list the others.
 */
export type IndexedAccount = { account: string; createdAt: number };

export type AccountIndex = {
  /**
   * Lists an account; one that is already listed keeps its time. `now`: when it was opened. Registering an address lists its account
   * too, so every account is listed before it is opened. If opening fails, an account is listed that does not exist, so readers of
   * the list must ask the ledger.
   */
  record(order: { account: string; now: number }): Promise<{ recorded: true }>;
  /** Accounts ordered by (createdAt, account), at most `max`, after the given one, which need not be listed. */
  list(order: { after: IndexedAccount | null; max: number }): Promise<IndexedAccount[]>;
};
