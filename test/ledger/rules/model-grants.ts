/** The model's grants: made, clawed back, and taken on and off the lifetime plan. */
import type { Grant } from "#ledger/port.ts";
import type { RuleOrders } from "#ledger/rules/rules.ts";
import {
  balanceOf,
  DAY,
  isUnexpired,
  lifetimeGrantsOf,
  type ModelAccount,
  type ModelGrant,
  nextDueAt,
  notifyIfWorse,
  recordIfBetter,
  remainingOf,
  spendableOf,
  spentOf,
  voidedOf,
} from "./model-account.ts";

/** The order is invalid, according to the model. */
export class Rejected extends Error {}

type Order<Name extends keyof RuleOrders> = RuleOrders[Name][0];
type Outcome<Name extends keyof RuleOrders> = RuleOrders[Name][1];

const isWhole = (value: number) => Number.isInteger(value) && Math.abs(value) <= 2 ** 53 - 1;

export function createModelGrants(find: (id: string) => ModelAccount | undefined) {
  let made = 0;

  function beginPlan(account: ModelAccount, now: number): void {
    for (const grant of account.grants) {
      if (grant.end === null || grant.end <= now) continue;
      [grant.waivedEnd, grant.end, grant.dueAt] = [grant.end, null, null];
    }
  }

  function endPlan(account: ModelAccount, now: number): void {
    for (const grant of account.grants) {
      if (grant.waivedEnd === null) continue;
      [grant.end, grant.waivedEnd] = [grant.waivedEnd, null];
      grant.dueAt = account.state === "closed" ? null : nextDueAt(grant.end, now);
    }
  }

  return {
    grant(order: Order<"grant">): Outcome<"grant"> {
      const { id, kind, amount, expiresAt, now } = order;
      if (!isWhole(amount) || amount < 1 || amount > 10 ** 12) throw new Rejected();
      if (expiresAt !== null && (!isWhole(expiresAt) || kind === "lifetime")) throw new Rejected();
      const account = find(order.account);
      const earlier = account?.grants.find((grant) => grant.id === id);
      if (earlier !== undefined) return { outcome: "already_granted", grant: viewOf(earlier) };
      if (account === undefined || account.state === "closed") return { outcome: "no_account" };

      made += 1;
      const isOnPlan = lifetimeGrantsOf(account) > 0;
      const [end, waivedEnd] = isOnPlan ? [null, expiresAt] : [expiresAt, null];
      const dueAt = nextDueAt(end, now);
      const usage = { clawback: 0, clawbackVersion: 0, moves: [] };
      const grant = { no: made, id, kind, amount, grantedAt: now, end, waivedEnd, dueAt };
      account.grants.push({ ...grant, ...usage });
      if (kind === "lifetime") beginPlan(account, now);
      account.events.push({ kind: "credits.granted", grant: { id, kind, amount, expiresAt: end } });
      recordIfBetter(account, now);
      return { outcome: "granted", grant: viewOf({ ...grant, ...usage }) };
    },

    clawback(order: Order<"clawback">): Outcome<"clawback"> {
      const { credits, version, onlyRaises, now } = order;
      for (const value of [credits, version])
        if (!isWhole(value) || value < 0) throw new Rejected();
      const account = find(order.account);
      const grant = account?.grants.find(({ id }) => id === order.grant);
      if (account === undefined || grant === undefined) return { outcome: "no_grant" };
      const accountState = () => ({ voided: voidedOf(grant), spent: spentOf(grant) });
      if (onlyRaises ? credits < grant.clawback : version < grant.clawbackVersion)
        return { outcome: "stale", ...accountState() };

      const [wasOnPlan, before] = [lifetimeGrantsOf(account) > 0, grant.clawback];
      const leftBefore = remainingOf(grant);
      grant.clawback = credits > grant.amount ? grant.amount : credits;
      if (version > grant.clawbackVersion) grant.clawbackVersion = version;
      voidAsFarAsUnspent(account, grant, now);
      const isOnPlan = lifetimeGrantsOf(account) > 0;
      if (isOnPlan && !wasOnPlan) beginPlan(account, now);
      if (!isOnPlan && wasOnPlan) endPlan(account, now);
      const back = remainingOf(grant) - leftBefore;
      if (back > 0 && isUnexpired(grant, now)) {
        const { id, kind, end } = grant;
        account.events.push({
          kind: "credits.granted",
          grant: { id, kind, amount: back, expiresAt: end },
        });
      }
      if (grant.clawback < before) recordIfBetter(account, now);
      else notifyIfWorse(account, now);
      return { outcome: "clawed_back", ...accountState() };
    },

    recordDue(order: Order<"recordDue">): Outcome<"recordDue"> {
      const account = find(order.account);
      const grant = account?.grants.find(({ no }) => no === order.grantNo);
      if (account === undefined || grant === undefined) return { recorded: false };
      const { id, kind, end, dueAt } = grant;
      const { now } = order;
      if (end === null || dueAt === null || now < dueAt) return { recorded: false };
      grant.dueAt = nextDueAt(end, now);
      if (now >= end) return { recorded: notifyIfWorse(account, now) };
      const remaining = remainingOf(grant);
      if (remaining === 0 || account.state === "closed") return { recorded: false };
      const days = end - now <= 7 * DAY ? 7 : 30;
      const grantLeft = { id, kind, remaining, expiresAt: end };
      account.events.push({ kind: "credits.expiring", days, grant: grantLeft });
      return { recorded: true };
    },

    close(account: ModelAccount | undefined, now: number): Outcome<"changeAccount"> {
      if (account === undefined) return { found: false, forfeited: 0 };
      if (account.state === "closed") {
        let before = 0;
        for (const grant of account.grants)
          if (voidedOf(grant) > grant.clawback) before += voidedOf(grant) - grant.clawback;
        return { found: true, forfeited: before };
      }
      const forfeited = balanceOf(account, now);
      for (const grant of spendableOf(account, now))
        grant.moves.push({ what: "voided", credits: remainingOf(grant), at: now });
      for (const grant of account.grants) grant.dueAt = null;
      Object.assign(account, { state: "closed", notified: 2, events: [], kept: [] });
      return { found: true, forfeited };
    },
  };
}

function voidAsFarAsUnspent(account: ModelAccount, grant: ModelGrant, now: number): void {
  const voided = voidedOf(grant);
  if (voided < grant.clawback && isUnexpired(grant, now)) {
    const credits = Math.min(grant.clawback - voided, remainingOf(grant));
    if (credits > 0) grant.moves.push({ what: "voided", credits, at: now });
  }
  // What a closed account forfeited does not come back.
  if (voided > grant.clawback && account.state !== "closed")
    grant.moves.push({ what: "restored", credits: voided - grant.clawback, at: now });
}

/** So many spent credits come back to a grant. */
export function returnCredits(
  account: ModelAccount,
  grant: ModelGrant,
  credits: number,
  now: number,
): void {
  grant.moves.push({ what: "returned", credits, at: now });
  const missing = grant.clawback - voidedOf(grant);
  if (missing > 0)
    grant.moves.push({ what: "voided", credits: Math.min(missing, credits), at: now });
  if (account.state !== "closed" || !isUnexpired(grant, now)) return;
  const left = remainingOf(grant);
  if (left > 0) grant.moves.push({ what: "voided", credits: left, at: now });
}

export const viewOf = (grant: ModelGrant): Grant => ({
  id: grant.id,
  kind: grant.kind,
  amount: grant.amount,
  remaining: remainingOf(grant),
  grantedAt: grant.grantedAt,
  expiresAt: grant.end,
  waivedExpiresAt: grant.waivedEnd,
});
