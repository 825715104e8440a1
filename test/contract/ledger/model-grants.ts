/** The model's grants. */

import { nextEventAt } from "#ledger/events.ts";
import type { LedgerOperations } from "#ledger/port.ts";
import type { GrantOrder } from "./model.ts";
import type { ModelNotices } from "./model-notices.ts";
import { type Account, isOnPlan, lostOf, type Made, remainingOf, spendable } from "./model-sums.ts";

export function grantsModel(accounts: Account[], notices: ModelNotices) {
  const find = (id: string) => accounts.find((account) => account.id === id);
  let made = 0;

  function make(account: Account, order: GrantOrder): void {
    made += 1;
    const ends = isOnPlan(account)
      ? { expiresAt: null, waivedExpiresAt: order.expiresAt, lookAt: null }
      : { waivedExpiresAt: null, lookAt: nextEventAt(order.expiresAt, order.now) };
    account.grants.push({ ...order, number: made, clawback: 0, clawbackVersion: 0, ...ends });
    if (order.kind === "lifetime") {
      waiveEnds(account, order.now);
    }
    const { id, kind, amount } = order;
    const { expiresAt } = account.grants.at(-1) as Made;
    const told = { id, kind, amount, expiresAt };
    notices.write(account, order.now, { kind: "credits.granted", grant: told });
    notices.noteBetter(account, order.now);
  }

  function waiveEnds(account: Account, now: number): void {
    for (const each of account.grants)
      if (each.expiresAt !== null && now < each.expiresAt)
        Object.assign(each, {
          expiresAt: null,
          waivedExpiresAt: each.expiresAt,
          lookAt: null,
        } satisfies Partial<Made>);
  }

  function endPlan(account: Account, now: number): void {
    for (const each of account.grants) {
      if (each.waivedExpiresAt === null) continue;
      each.expiresAt = each.waivedExpiresAt;
      each.waivedExpiresAt = null;
      each.lookAt = account.state === "closed" ? null : nextEventAt(each.expiresAt, now);
    }
  }

  return {
    grant(order: GrantOrder) {
      const account = find(order.account);
      if (account === undefined || account.state === "closed") return { outcome: "no_account" };
      const isNew = account.grants.every(({ id }) => id !== order.id);
      if (isNew) make(account, order);
      const grant = account.grants.find(({ id }) => id === order.id) as Made;
      const { id, kind, amount, expiresAt, waivedExpiresAt, now: grantedAt } = grant;
      const figures = { amount, remaining: remainingOf(account, id), grantedAt };
      return {
        outcome: isNew ? "granted" : "already_granted",
        grant: { id, kind, ...figures, expiresAt, waivedExpiresAt },
      };
    },
    clawback(order: LedgerOperations["clawback"][0]) {
      const { account: id, grant: grantId, credits, version, now } = order;
      const account = find(id);
      const grant = account?.grants.find((each) => each.id === grantId);
      if (account === undefined || grant === undefined) return { outcome: "no_grant" };
      const stands = () => {
        const voided = lostOf(account, grantId);
        return { voided, spent: grant.amount - remainingOf(account, grantId) - voided };
      };
      if (version < grant.clawbackVersion) return { outcome: "stale", ...stands() };
      const wasOnPlan = isOnPlan(account);
      const before = grant.clawback;
      grant.clawback = Math.min(credits, grant.amount);
      grant.clawbackVersion = version;
      const isSpendable = spendable(account, now).includes(grant);
      const unspent = isSpendable ? remainingOf(account, grantId) : 0;
      const missing = grant.clawback - lostOf(account, grantId);
      const lost = missing < 0 && account.state === "closed" ? 0 : Math.min(unspent, missing);
      if (lost !== 0) account.losses.push({ grant: grantId, credits: lost, at: now });
      if (lostOf(account, grantId) === 0)
        account.losses = account.losses.filter((each) => each.grant !== grantId);
      if (wasOnPlan && !isOnPlan(account)) endPlan(account, now);
      if (!wasOnPlan && isOnPlan(account)) waiveEnds(account, now);
      const { kind, expiresAt } = grant;
      if (lost < 0 && spendable(account, now).includes(grant))
        notices.write(account, now, {
          kind: "credits.granted",
          grant: { id: grantId, kind, amount: -lost, expiresAt },
        });
      if (grant.clawback < before) notices.noteBetter(account, now);
      else notices.tellWorse(account, now);
      return { outcome: "clawed_back", ...stands() };
    },
  };
}
