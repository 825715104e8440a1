/** Grants in memory: how they are made, withdrawn, and freed of their ends by the lifetime plan. */
import { checkGrant, checkWithdrawal } from "#ledger/check-grant.ts";
import { nextEventAt } from "#ledger/events.ts";
import type { Grant, Ledger, LedgerOperations } from "#ledger/port.ts";
import { noteBetter, tellWorse, writeNotice } from "./notices.ts";
import {
  type AccountRow,
  balanceOf,
  findLive,
  type GrantRow,
  isOnPlan,
  isSpendable,
  type Rows,
  voidCredits,
} from "./rows.ts";

export function grantOperations(rows: Rows): Pick<Ledger, "grant" | "withdraw" | "credits"> {
  return {
    grant: async (order) => {
      checkGrant(order);
      const account = findLive(rows, order.account);
      return account === undefined ? { outcome: "no_account" } : grantOnce(rows, account, order);
    },
    withdraw: async (order) => {
      checkWithdrawal(order);
      const account = rows.accounts.get(order.account);
      const grant = account?.grants.find(({ id }) => id === order.grant);
      if (account === undefined || grant === undefined) return { outcome: "no_grant" };
      withdraw(account, grant, order);
      tellWorse(rows, account, order.now);
      const voided = account.voids.get(grant)?.credits ?? 0;
      return { outcome: "withdrawn", voided, spent: grant.amount - grant.remaining - voided };
    },
    credits: async ({ account: id, now }) => {
      const account = rows.accounts.get(id);
      if (account === undefined) return { balance: 0, lifetime: false, grants: [] };
      const grants = [
        ...account.grants.filter((grant) => isSpendable(grant, now)),
        ...account.grants.filter((grant) => !isSpendable(grant, now)),
      ];
      const figures = { balance: balanceOf(account, now), lifetime: isOnPlan(account) };
      return { ...figures, grants: grants.map(shown) };
    },
  };
}

const shown = ({ number: _, withdrawn: __, lookAt: ___, ...grant }: GrantRow): Grant => grant;

function grantOnce(
  rows: Rows,
  account: AccountRow,
  { id, kind, amount, expiresAt: end, now }: LedgerOperations["grant"][0],
): LedgerOperations["grant"][1] {
  const earlier = account.grants.find((each) => each.id === id);
  if (earlier !== undefined) return { outcome: "already_granted", grant: shown(earlier) };
  const [expiresAt, waivedExpiresAt] = isOnPlan(account) ? [null, end] : [end, null];
  const given = { id, kind, amount, expiresAt };
  const times = { grantedAt: now, waivedExpiresAt, lookAt: nextEventAt(expiresAt, now) };
  rows.grantsMade += 1;
  const kept = { number: rows.grantsMade, withdrawn: 0 };
  const grant: GrantRow = { ...given, ...times, ...kept, remaining: amount };
  account.grants.push(grant);
  if (kind === "lifetime") waiveEnds(account, now);
  account.grants.sort(inBurnOrder);
  writeNotice(rows, account, now, { kind: "credits.granted", grant: given });
  noteBetter(account, now);
  return { outcome: "granted", grant: shown(grant) };
}

/** Of spent grants too: a credit may come back to them. */
function waiveEnds({ grants }: AccountRow, now: number): void {
  for (const grant of grants) {
    if (grant.expiresAt === null || grant.expiresAt <= now) continue;
    grant.waivedExpiresAt = grant.expiresAt;
    grant.expiresAt = null;
    grant.lookAt = null;
  }
}

function restoreEnds({ grants, state }: AccountRow, now: number): void {
  for (const grant of grants) {
    if (grant.waivedExpiresAt === null) continue;
    grant.expiresAt = grant.waivedExpiresAt;
    grant.waivedExpiresAt = null;
    grant.lookAt = state === "closed" ? null : nextEventAt(grant.expiresAt, now);
  }
  grants.sort(inBurnOrder);
}

function withdraw(
  account: AccountRow,
  grant: GrantRow,
  { credits, now }: LedgerOperations["withdraw"][0],
): void {
  const wasOnPlan = isOnPlan(account);
  grant.withdrawn = Math.max(grant.withdrawn, Math.min(credits, grant.amount));
  const due = grant.withdrawn - (account.voids.get(grant)?.credits ?? 0);
  const unspent = isSpendable(grant, now) ? grant.remaining : 0;
  voidCredits(account, grant, Math.min(unspent, due), now);
  if (wasOnPlan && !isOnPlan(account)) restoreEnds(account, now);
}

/** Soonest expiry first, no expiry last, among equals the oldest, and of one millisecond the one that was made first. */
function inBurnOrder(one: GrantRow, other: GrantRow): number {
  if (one.expiresAt === other.expiresAt)
    return one.grantedAt - other.grantedAt || one.number - other.number;
  if (one.expiresAt === null) return 1;
  if (other.expiresAt === null) return -1;
  return one.expiresAt - other.expiresAt;
}
