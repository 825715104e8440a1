/**
 * The naive model of the rules (`test/ledger/rules/model.ts`) as a ledger: its operations, what can be read, and the events in the order
 * in which they came about. It shares only types with the implementation that it checks.
 */
import type { EventContent } from "#ledger/events.ts";
import type { LedgerTotals, SyncLedger } from "#ledger/port.ts";
import { statusOf } from "../contract/ledger/compare-with-model.ts";
import { createModel as createRules } from "../ledger/rules/model.ts";
import {
  balanceOf,
  lifetimeGrantsOf,
  type ModelAccount,
  type ModelGrant,
  remainingOf,
  spendableOf,
} from "../ledger/rules/model-account.ts";
import { viewOf } from "../ledger/rules/model-grants.ts";
import { totalsOf } from "../ledger/rules/model-sums.ts";

/** `id`: as the ledger has named it, once the model has seen it. */
export type Told = { id: string | null; account: string; at: number; content: EventContent };

export type Operations = Pick<
  SyncLedger,
  | ("openAccount" | "changeAccount" | "findAccount")
  | ("createKey" | "revokeKey" | "grant" | "clawback" | "credits" | "debit" | "reverse")
>;
export type Model = ReturnType<typeof createModel>;

export function createModel() {
  const { operations: rules, find, accounts } = createRules();
  let waiting: Told[] = [];

  /** Carries out an order, and keeps the events that it causes. */
  function act<Order extends { account: string; now: number }, Outcome>(
    rule: (order: Order) => Outcome,
  ): (order: Order) => Outcome {
    return (order) => {
      const { account, now: at } = order;
      const before = find(account)?.events.length ?? 0;
      const outcome = rule(order);
      const events = find(account)?.events.slice(before) ?? [];
      waiting.push(...events.map((content) => ({ id: null, account, at, content })));
      return outcome;
    };
  }

  const recordDue = act(rules.recordDue);
  const operations: Operations = {
    openAccount: act(rules.openAccount),
    createKey: act(rules.createKey),
    revokeKey: act(rules.revokeKey),
    grant: act(rules.grant),
    clawback: act(rules.clawback),
    debit: act(rules.debit),
    reverse: act(rules.reverse),
    changeAccount(order) {
      const outcome = rules.changeAccount(order);
      if (order.state === "closed")
        waiting = waiting.filter(({ account }) => account !== order.account);
      return outcome;
    },
    findAccount({ account, now }) {
      const found = find(account);
      return found === undefined ? null : statusOf(found, now);
    },
    credits: ({ account, now }) => creditsOf(find(account), now),
  };
  /** Writes the events of at most `max` grants that expire. */
  const look = (now: number, max: number): number => {
    const due = [...accounts.values()]
      .flatMap(({ id: account, grants }) => grants.map((grant) => ({ account, ...grant })))
      .filter((grant): grant is typeof grant & { dueAt: number } => grant.dueAt !== null)
      .filter(({ dueAt }) => dueAt <= now)
      .sort((one, other) => one.dueAt - other.dueAt || one.no - other.no);
    return due
      .slice(0, max)
      .filter(({ account, no }) => recordDue({ account, grantNo: no, now }).recorded).length;
  };
  return {
    operations,
    look,
    find,
    grants: (): ModelGrant[] => [...accounts.values()].flatMap(({ grants }) => grants),
    /** Events that are not settled. */
    waiting: () => waiting,
    /** Returns those of these that it knows, and removes them. */
    settle(ids: readonly string[]): Told[] {
      const gone = waiting.filter(({ id }) => id !== null && ids.includes(id));
      waiting = waiting.filter((told) => !gone.includes(told));
      return gone;
    },
    totals: (now: number): LedgerTotals => totalsOf(accounts.values(), now),
  };
}

function creditsOf(account: ModelAccount | undefined, now: number) {
  const none = { held: 0, permanent: 0, nextExpiry: null, next: null };
  if (account === undefined)
    return { ...none, balance: 0, lifetime: false, hasGrants: false, grants: [] };
  const first = spendableOf(account, now);
  const rest = account.grants.filter((grant) => !first.includes(grant));
  const leftUntil = (at: number | null) =>
    first.reduce((sum, grant) => sum + (grant.end === at ? remainingOf(grant) : 0), 0);
  const soonest = first[0]?.end ?? null;
  return {
    ...none,
    ...{ balance: balanceOf(account, now), lifetime: lifetimeGrantsOf(account) > 0 },
    permanent: leftUntil(null),
    nextExpiry: soonest === null ? null : { credits: leftUntil(soonest), at: soonest },
    hasGrants: account.grants.length > 0,
    grants: [...first, ...rest].map(viewOf),
  };
}
