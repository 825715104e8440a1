/** Sums over what the model has seen. */

import type { Level } from "#ledger/events.ts";
import { type Books, type CallRef, type DebitOrder, hourOf, type UsageRow } from "#ledger/port.ts";
import type { GrantOrder } from "./model.ts";

export type Call = {
  order: DebitOrder;
  key: string;
  grant: string | null;
  reversedAt: number | null;
};
export type Loss = { grant: string; credits: number; at: number };
/** `expiresAt` and `waivedExpiresAt` as they are now. */
export type Made = GrantOrder & {
  number: number;
  waivedExpiresAt: number | null;
  clawback: number;
  clawbackVersion: number;
  lookAt: number | null;
};
export type Account = {
  id: string;
  state: "open" | "suspended" | "closed";
  firstIsFree: boolean;
  lowBalance: number;
  told: Level;
  keys: { id: string; sha256: string; label: string; revoked: boolean }[];
  grants: Made[];
  calls: Call[];
  losses: Loss[];
  /** Given back before they were debited. */
  given: CallRef[];
};

export const remainingOf = ({ grants, calls, losses }: Account, id: string) =>
  sum(grants.filter((grant) => grant.id === id).map(({ amount }) => amount)) -
  calls.filter(({ grant, reversedAt }) => grant === id && reversedAt === null).length -
  sum(losses.filter(({ grant }) => grant === id).map(({ credits }) => credits));

export const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

export function spendable(account: Account, now: number): Made[] {
  const end = (grant: Made) => grant.expiresAt ?? Number.POSITIVE_INFINITY;
  return account.grants
    .filter((grant) => now < end(grant) && remainingOf(account, grant.id) > 0)
    .sort((one, other) => {
      if (end(one) !== end(other)) return end(one) < end(other) ? -1 : 1;
      return one.now - other.now || one.number - other.number;
    });
}

export const lostOf = ({ losses }: Account, id: string) =>
  sum(losses.filter(({ grant }) => grant === id).map(({ credits }) => credits));

export const isOnPlan = ({ grants }: Account) =>
  grants.some(({ kind, clawback, amount }) => kind === "lifetime" && clawback < amount);

export const balanceOf = (account: Account, now: number) =>
  sum(spendable(account, now).map(({ id }) => remainingOf(account, id)));

/** What expired and what was voided are one figure here: both are lost. */
export function booksOf(
  accounts: Account[],
  now: number,
): Omit<Books, "expired" | "voided"> & { lost: number } {
  const paid = accounts.flatMap(({ calls }) => calls).filter(({ grant }) => grant !== null);
  const granted = sum(accounts.flatMap(({ grants }) => grants.map(({ amount }) => amount)));
  const debited = paid.length;
  const reversed = paid.filter(({ reversedAt }) => reversedAt !== null).length;
  const remaining = sum(accounts.map((account) => balanceOf(account, now)));
  const expired = accounts.flatMap((account) =>
    account.grants
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)
      .map(({ id }) => remainingOf(account, id)),
  );
  const voided = accounts.flatMap(({ losses }) => losses.map(({ credits }) => credits));
  return { granted, debited, reversed, remaining, lost: sum(expired) + sum(voided) };
}

/** One line for each entry that a fold leaves alone, and for each call that it may take. */
export function entriesOf(account: Account, now: number): string[] {
  const { grants, calls, losses } = account;
  return [
    ...grants.map(({ id, amount, now: at }) => `grant ${at} ${id} ${amount}`),
    ...grants.flatMap(({ id, expiresAt }) => {
      const expired = expiresAt !== null && expiresAt <= now ? remainingOf(account, id) : 0;
      return expired > 0 ? [`expiry ${expiresAt} ${id} ${-expired}`] : [];
    }),
    ...grants.flatMap(({ id }) => {
      const own = losses.filter(({ grant }) => grant === id);
      const lost = sum(own.map(({ credits }) => credits));
      return lost > 0 ? [`void ${own[0]?.at} ${id} ${-lost}`] : [];
    }),
    ...calls.flatMap(({ order: { tool, now: at }, key, grant, reversedAt }) => {
      const call = `${tool} ${key} ${grant === null ? 0 : 1}`;
      if (reversedAt === null) return [`call ${hourOf(at)} ${call}`];
      return [`reversed ${at} ${call} ${grant}`, `reversal ${reversedAt} ${call} ${grant}`];
    }),
  ].sort();
}

export function usageOf(accounts: Account[]): UsageRow[] {
  const rows: UsageRow[] = [];
  for (const { id: account, calls } of accounts)
    for (const { order, key, grant, reversedAt } of calls) {
      if (reversedAt !== null) continue;
      const { tool, now } = order;
      const hour = hourOf(now);
      let row = rows.find(
        (each) =>
          each.account === account && each.key === key && each.tool === tool && each.hour === hour,
      );
      if (row === undefined) {
        row = { account, key, tool, hour, calls: 0, credits: 0 };
        rows.push(row);
      }
      row.calls += 1;
      row.credits += grant === null ? 0 : 1;
    }
  return rows;
}
