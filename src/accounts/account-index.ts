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
