import type { Ledger } from "#ledger/port.ts";

/**
 * The list of all accounts, for operators. Where each account's ledger is a database of its own, it is a table beside them.
 * This file is the port; stores implement it.
 */
export type IndexedAccount = { account: string; createdAt: number };

export type AccountIndex = {
  /** Noted again it is the first one. `now`: when it was opened. */
  note(order: { account: string; now: number }): Promise<{ recorded: true }>;
  /** Accounts in the order in which they were opened, at most `max`, after the given one. */
  list(order: { after: IndexedAccount | null; max: number }): Promise<IndexedAccount[]>;
};

/**
 * A ledger whose accounts are listed: before the account is opened, so that none is unlisted. Where the opening fails an
 * account is listed that is not there; whoever reads the list asks the ledger.
 */
export const indexedLedger = (ledger: Ledger, index: Pick<AccountIndex, "note">): Ledger => ({
  ...ledger,
  async openAccount(order) {
    await index.note({ account: order.account, now: order.now });
    return ledger.openAccount(order);
  },
});
