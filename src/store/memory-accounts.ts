/** Accounts, their keys and their grants in memory. */
import { checkGrant } from "#credits/check-grant.ts";
import type { Grant, Ledger, LedgerOperations } from "#credits/ledger.ts";
import { type AccountRow, balanceOf, isSpendable, type Rows, voidGrant } from "./memory-rows.ts";

type AccountOperations = Pick<
  Ledger,
  "openAccount" | "suspendAccount" | "resumeAccount" | "closeAccount" | "findAccount"
> &
  Pick<Ledger, "createKey" | "revokeKey" | "relabelKey" | "listKeys" | "grant" | "credits">;

export function accountOperations({ accounts }: Rows): AccountOperations {
  /** A closed account takes no orders any more. */
  const findLive = (id: string) => {
    const account = accounts.get(id);
    return account === undefined || account.state === "closed" ? undefined : account;
  };

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
      return { found: true, forfeited: voidUnspent(account, now) };
    },
    findAccount: async ({ account: id, now }) => {
      const account = accounts.get(id);
      if (account === undefined) return null;
      const { state, createdAt, freeCall } = account;
      return { account: id, state, createdAt, freeCall, balance: balanceOf(account, now) };
    },

    createKey: async ({ account: id, now, ...key }) => {
      const account = findLive(id);
      if (account === undefined) return { outcome: "no_account" };
      if (account.keys.some((each) => each.id === key.id)) return { outcome: "created" };
      const row = { ...key, account: id, createdAt: now, lastUsedAt: null, revokedAt: null };
      account.keys.push(row);
      account.keyBySha256.set(row.sha256, row);
      return { outcome: "created" };
    },
    revokeKey: async ({ account, id, now }) => {
      const key = accounts.get(account)?.keys.find((each) => each.id === id);
      if (key === undefined) return { found: false };
      key.revokedAt ??= now;
      return { found: true };
    },
    relabelKey: async ({ account, id, label }) => {
      const key = findLive(account)?.keys.find((each) => each.id === id);
      if (key === undefined) return { found: false };
      key.label = label;
      return { found: true };
    },
    listKeys: async ({ account }) => (accounts.get(account)?.keys ?? []).map((key) => ({ ...key })),

    grant: async (order) => {
      checkGrant(order);
      const account = findLive(order.account);
      return account === undefined ? { outcome: "no_account" } : grantOnce(account, order);
    },
    credits: async ({ account: id, now }) => {
      const account = accounts.get(id);
      if (account === undefined) return { balance: 0, grants: [] };
      const grants = [
        ...account.grants.filter((grant) => isSpendable(grant, now)),
        ...account.grants.filter((grant) => !isSpendable(grant, now)),
      ];
      return { balance: balanceOf(account, now), grants: grants.map((grant) => ({ ...grant })) };
    },
  };
}

const newAccount = (
  id: string,
  freeCall: AccountRow["freeCall"],
  createdAt: number,
): AccountRow => ({
  id,
  state: "open",
  freeCall,
  createdAt,
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
  for (const grant of account.grants) if (isSpendable(grant, now)) voidGrant(account, grant, now);
  return forfeited;
}

function grantOnce(
  account: AccountRow,
  { id, kind, amount, expiresAt, now }: LedgerOperations["grant"][0],
): LedgerOperations["grant"][1] {
  const earlier = account.grants.find((each) => each.id === id);
  if (earlier !== undefined) return { outcome: "already_granted", grant: { ...earlier } };
  const grant: Grant = { id, kind, amount, remaining: amount, grantedAt: now, expiresAt };
  account.grants.push(grant);
  account.grants.sort(inBurnOrder);
  return { outcome: "granted", grant: { ...grant } };
}

/** Soonest expiry first, no expiry last, among equals the oldest; the sort is stable for the rest. */
function inBurnOrder(one: Grant, other: Grant): number {
  if (one.expiresAt === other.expiresAt) return one.grantedAt - other.grantedAt;
  if (one.expiresAt === null) return 1;
  if (other.expiresAt === null) return -1;
  return one.expiresAt - other.expiresAt;
}
