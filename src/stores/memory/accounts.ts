/** Accounts and their keys in memory. */
import type { Key, Ledger } from "#ledger/port.ts";
import { LOW_BALANCE_DEFAULT } from "#limits.ts";
import { writeNotice } from "./notices.ts";
import {
  type AccountRow,
  balanceOf,
  findLive as findLiveIn,
  isOnPlan,
  isSpendable,
  type Rows,
  voidCredits,
} from "./rows.ts";

type AccountOperations = Pick<
  Ledger,
  "openAccount" | "suspendAccount" | "resumeAccount" | "closeAccount" | "findAccount"
> &
  Pick<Ledger, "createKey" | "revokeKey" | "relabelKey" | "listKeys">;

export function accountOperations(rows: Rows): AccountOperations {
  const { accounts } = rows;
  const findLive = (id: string) => findLiveIn(rows, id);

  const setState = (id: string, state: "open" | "suspended") => {
    const account = findLive(id);
    if (account === undefined) return { found: false };
    account.state = state;
    return { found: true };
  };

  return {
    openAccount: async ({ account, freeCall, now }) => {
      if (accounts.has(account)) return { opened: false };
      accounts.set(account, newAccount(account, freeCall, now));
      return { opened: true };
    },
    suspendAccount: async ({ account }) => setState(account, "suspended"),
    resumeAccount: async ({ account }) => setState(account, "open"),
    closeAccount: async ({ account: id, now }) => {
      const account = accounts.get(id);
      if (account === undefined) return { found: false, forfeited: 0 };
      account.state = "closed";
      account.told = "gone";
      for (const grant of account.grants) grant.lookAt = null;
      rows.notices = rows.notices.filter((notice) => notice.account !== id);
      return { found: true, forfeited: voidUnspent(account, now) };
    },
    findAccount: async ({ account: id, now }) => {
      const account = accounts.get(id);
      if (account === undefined) return null;
      const { state, createdAt, freeCall, lowBalance } = account;
      const figures = { balance: balanceOf(account, now), lifetime: isOnPlan(account), lowBalance };
      return { account: id, state, createdAt, freeCall, ...figures };
    },

    createKey: async ({ account: id, now, ...key }) => {
      const account = findLive(id);
      if (account === undefined) return { outcome: "no_account" };
      if (account.keys.some((each) => each.id === key.id)) return { outcome: "created" };
      const row = { ...key, account: id, createdAt: now, lastUsedAt: null, revokedAt: null };
      account.keys.push(row);
      account.keyBySha256.set(row.sha256, row);
      writeNotice(rows, account, now, { kind: "key.created", key: named(row) });
      return { outcome: "created" };
    },
    revokeKey: async ({ account: accountId, id, now }) => {
      const account = accounts.get(accountId);
      const key = account?.keys.find((each) => each.id === id);
      if (account === undefined || key === undefined) return { found: false };
      if (key.revokedAt !== null) return { found: true };
      key.revokedAt = now;
      writeNotice(rows, account, now, { kind: "key.revoked", key: named(key) });
      return { found: true };
    },
    relabelKey: async ({ account, id, label }) => {
      const key = findLive(account)?.keys.find((each) => each.id === id);
      if (key === undefined) return { found: false };
      key.label = label;
      return { found: true };
    },
    listKeys: async ({ account }) => (accounts.get(account)?.keys ?? []).map((key) => ({ ...key })),
  };
}

const named = ({ id, label, start }: Key) => ({ id, label, start });

const newAccount = (
  id: string,
  freeCall: AccountRow["freeCall"],
  createdAt: number,
): AccountRow => ({
  id,
  state: "open",
  freeCall,
  createdAt,
  lowBalance: LOW_BALANCE_DEFAULT,
  told: "gone",
  keys: [],
  keyBySha256: new Map(),
  grants: [],
  voids: new Map(),
  calls: new Map(),
  reversals: [],
  neverDebited: new Set(),
  kept: new Map(),
});

/** What has expired before stays expired: the books tell what ran out from what was forfeited. */
function voidUnspent(account: AccountRow, now: number): number {
  const forfeited = balanceOf(account, now);
  for (const grant of account.grants)
    if (isSpendable(grant, now)) voidCredits(account, grant, grant.remaining, now);
  return forfeited;
}
