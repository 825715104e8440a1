/**
 * What the memory ledger keeps. Debits are numbered in the order in which they were made, so that
 * `maintain` can stop anywhere and go on later; everything a debit needs is found by key, never by a scan.
 */

import type { LedgerEvent, Level } from "#ledger/events.ts";
import type {
  AccountState,
  FreeCall,
  Grant,
  IdempotencyOrder,
  Key,
  UsageRow,
} from "#ledger/port.ts";

/** `number`: in the order of their making. `lookAt`: when its end is to be told of, or has come; null: never. */
export type GrantRow = Grant & { number: number; withdrawn: number; lookAt: number | null };

export type AccountRow = {
  id: string;
  state: AccountState;
  freeCall: FreeCall;
  createdAt: number;
  /** In the order of their making. */
  keys: Key[];
  keyBySha256: Map<string, Key>;
  lowBalance: number;
  /** The level of the balance that its owner knows of. */
  told: Level;
  /** In the order in which they are spent. */
  grants: GrantRow[];
  /** Unspent credits that were lost when the account was closed or the grant withdrawn, by grant. */
  voids: Map<GrantRow, { at: number; credits: number }>;
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
  grant: GrantRow | null;
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
  /** Those that were not settled, in the order in which they were written. */
  notices: LedgerEvent[];
  noticesMade: number;
  grantsMade: number;
};

export const createRows = (): Rows => ({
  accounts: new Map(),
  debits: new Map(),
  debitsMade: 0,
  folded: new Map(),
  notices: [],
  noticesMade: 0,
  grantsMade: 0,
});

/** A closed account takes no orders any more. */
export function findLive({ accounts }: Rows, id: string): AccountRow | undefined {
  const account = accounts.get(id);
  return account === undefined || account.state === "closed" ? undefined : account;
}

export const isSpendable = (grant: Grant, now: number) =>
  grant.remaining > 0 && (grant.expiresAt === null || now < grant.expiresAt);

/** An account has few grants, so its balance is added up each time and cannot go stale with the clock. */
export function balanceOf(account: AccountRow, now: number): number {
  let balance = 0;
  for (const grant of account.grants) if (isSpendable(grant, now)) balance += grant.remaining;
  return balance;
}

/** Forfeits so much of what is left of a grant. */
export function voidCredits({ voids }: AccountRow, grant: GrantRow, lost: number, now: number) {
  if (lost <= 0) return;
  const { at, credits } = voids.get(grant) ?? { at: now, credits: 0 };
  voids.set(grant, { at, credits: credits + lost });
  grant.remaining -= lost;
}

export const isOnPlan = ({ grants }: AccountRow): boolean =>
  grants.some(({ kind, withdrawn, amount }) => kind === "lifetime" && withdrawn < amount);
