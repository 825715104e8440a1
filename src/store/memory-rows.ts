/**
 * What the memory ledger keeps. Debits are numbered in the order in which they were made, so that
 * `maintain` can stop anywhere and go on later; everything a debit needs is found by key, never by a scan.
 */
import type {
  AccountState,
  FreeCall,
  Grant,
  IdempotencyOrder,
  Key,
  UsageRow,
} from "#credits/ledger.ts";

export type AccountRow = {
  id: string;
  state: AccountState;
  freeCall: FreeCall;
  createdAt: number;
  /** In the order of their making. */
  keys: Key[];
  keyBySha256: Map<string, Key>;
  /** In the order in which they are spent. */
  grants: Grant[];
  /** Unspent credits that were lost when the account was closed, by grant. */
  voids: Map<Grant, { at: number; credits: number }>;
  /** The debits that are not folded yet. */
  calls: Map<string, DebitRow>;
  /** Whether they are folded or not. */
  reversals: DebitRow[];
  /** The names of calls that were given back before their debits came. */
  neverDebited: Set<string>;
  /** The calls whose answers are kept, by tool and idempotency key. */
  kept: Map<string, DebitRow>;
};

export type DebitRow = {
  number: number;
  account: AccountRow;
  key: string;
  tool: string;
  callId: string;
  at: number;
  charged: number;
  /** The grant it was taken from; null: the free call. */
  grant: Grant | null;
  reversedAt: number | null;
  folded: boolean;
  /** What a repeat is answered from; null: none was asked for, or it is forgotten. */
  idempotency: IdempotencyOrder | null;
};

/** Debits of one account, key, tool and hour, added up; `credits` without those that were given back. */
export type FoldedRow = UsageRow & { reversed: number };

export type Rows = {
  accounts: Map<string, AccountRow>;
  /** By number, oldest first. */
  debits: Map<number, DebitRow>;
  debitsMade: number;
  folded: Map<string, FoldedRow>;
};

export const createRows = (): Rows => ({
  accounts: new Map(),
  debits: new Map(),
  debitsMade: 0,
  folded: new Map(),
});

export const isSpendable = (grant: Grant, now: number) =>
  grant.remaining > 0 && (grant.expiresAt === null || now < grant.expiresAt);

/** An account has few grants, so its balance is added up each time and cannot go stale with the clock. */
export function balanceOf(account: AccountRow, now: number): number {
  let balance = 0;
  for (const grant of account.grants) if (isSpendable(grant, now)) balance += grant.remaining;
  return balance;
}

/** Forfeits what is left of a grant. */
export function voidGrant({ voids }: AccountRow, grant: Grant, now: number): void {
  const { at, credits } = voids.get(grant) ?? { at: now, credits: 0 };
  voids.set(grant, { at, credits: credits + grant.remaining });
  grant.remaining = 0;
}
