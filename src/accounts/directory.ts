/**
 * The directory: which e-mail address belongs to which account. The only place that knows a person;
 * the ledger knows accounts by their id alone. This file is the port; stores implement it.
 */
export type Address = { email: string; account: string; createdAt: number };

export type DirectoryOperations = {
  /** Takes an address for an account; `taken` where another account has it, or the account has another address. */
  register: [Address, { outcome: "registered" | "taken" }];
  findByEmail: [{ email: string }, Address | null];
  findByAccount: [{ account: string }, Address | null];
  /** Addresses in the order of their text, at most `max`, after the given one. */
  listAddresses: [{ after: string | null; max: number }, Address[]];
  /**
   * Forgets the address of an account. A keyed hash of it stays, so that signing up again brings
   * neither starter credits nor a free call.
   */
  forget: [{ account: string; emailHash: string; now: number }, { found: boolean }];
  /** The same for an address that an account has left for another one. */
  recordClosed: [{ emailHash: string; now: number }, { recorded: true }];
  wasClosed: [{ emailHash: string }, { closed: boolean }];
  /** What stays of closed addresses, in the order of the hashes, at most `max`, after the given one. */
  listClosed: [{ after: string | null; max: number }, { emailHash: string; closedAt: number }[]];
};

export type DirectoryOperation = keyof DirectoryOperations;

export type Directory = {
  [Name in DirectoryOperation]: (
    order: DirectoryOperations[Name][0],
  ) => Promise<DirectoryOperations[Name][1]>;
};
