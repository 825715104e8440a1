import type { Ledger } from "#ledger/port.ts";

/**
 * The list of all accounts, for operators: the port. It is needed where each account's ledger is a database of its own, so
 * that no ledger can list the others.
 */
export type IndexedAccount = { account: string; createdAt: number };

export type AccountIndex = {
  /** Lists an account; one that is already listed keeps its time. `now`: when it was opened. */
  record(order: { account: string; now: number }): Promise<{ recorded: true }>;
  /** Accounts ordered by (createdAt, account), at most `max`, after the given one, which need not be listed. */
  list(order: { after: IndexedAccount | null; max: number }): Promise<IndexedAccount[]>;
};

/**
 * Wraps a ledger so that it lists every account before opening it. If opening fails, the index lists an account that does not
 * exist, so readers of the list must ask the ledger.
 */
export const indexedLedger = (ledger: Ledger, index: Pick<AccountIndex, "record">): Ledger => ({
  ...ledger,
  async openAccount(order) {
    await index.record({ account: order.account, now: order.now });
    return ledger.openAccount(order);
  },
});
