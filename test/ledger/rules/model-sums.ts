/** Usage, totals and entries, as sums over what the model has seen. No code is shared with `src/ledger`. */
import type { LedgerTotals, UsageRow } from "#ledger/port.ts";
import {
  heldOf,
  isUnexpired,
  MINUTE,
  type ModelAccount,
  type ModelCall,
  remainingOf,
  voidedAtOf,
  voidedOf,
} from "./model-account.ts";

const hourStartOf = (at: number) => at - (at % (60 * MINUTE));

export function totalsOf(accounts: Iterable<ModelAccount>, now: number): LedgerTotals {
  const spent = { debited: 0, reversed: 0, held: 0 };
  const totals = { granted: 0, ...spent, remaining: 0, expired: 0, voided: 0 };
  for (const account of accounts) {
    const { grants, calls } = account;
    totals.held += heldOf(account);
    for (const grant of grants) {
      totals.granted += grant.amount;
      totals.voided += voidedOf(grant);
      totals[isUnexpired(grant, now) ? "remaining" : "expired"] += remainingOf(grant);
    }
    for (const { charged, reversedAt } of calls) {
      totals.debited += charged;
      if (reversedAt !== null) totals.reversed += charged;
    }
  }
  return totals;
}

/** One row for each hour, account, key and tool, in the order in which the first calls were made. */
export function usageOf(accounts: Iterable<ModelAccount>): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const { id: account, calls } of accounts)
    for (const { at, keyId: key, tool, charged, reversedAt } of calls) {
      if (reversedAt !== null) continue;
      const hour = hourStartOf(at);
      const name = `${hour} ${account} ${key} ${tool}`;
      const row = rows.get(name) ?? { account, key, tool, hour, calls: 0, credits: 0 };
      rows.set(name, row);
      row.calls += 1;
      row.credits += charged;
    }
  return [...rows.values()];
}

/** Every entry but those of debits. */
export function entriesOf({ grants, calls }: ModelAccount, now: number): string[] {
  const lines: string[] = [];
  for (const grant of grants) {
    const { id, kind, grantedAt, amount, end } = grant;
    lines.push(`grant ${grantedAt} ${kind} ${id} ${amount}`);
    const [remaining, voided] = [remainingOf(grant), voidedOf(grant)];
    if (!isUnexpired(grant, now) && remaining > 0)
      lines.push(`expiry ${end} ${kind} ${id} ${-remaining}`);
    if (voided > 0) lines.push(`void ${voidedAtOf(grant)} ${kind} ${id} ${-voided}`);
  }
  for (const call of calls)
    if (call.reversedAt !== null)
      lines.push(`reversal ${call.reversedAt}:${call.at}:${call.callId} ${paidBy(call, 1)}`);
  return lines.sort();
}

/** The entry of a call that has not been rolled up. */
export const lineOfCall = (call: ModelCall) =>
  `debit ${call.at}:${call.callId} ${paidBy(call, -1)}`;

function paidBy({ tool, keyId, charged, paid }: ModelCall, sign: 1 | -1): string {
  const parts = paid.map(({ grant, credits }) => `${grant.kind} ${grant.id} ${sign * credits}`);
  return [tool, keyId, sign * charged, ...parts].join(" ");
}

/** What rolling up makes of calls: one line for each hour, tool and key. */
export const linesOfUsage = (account: ModelAccount, calls: readonly ModelCall[]): string[] =>
  usageOf([{ ...account, calls: [...calls] }])
    .map(
      ({ hour, tool, key, calls, credits }) => `usage ${hour} ${tool} ${key} ${calls} ${-credits}`,
    )
    .sort();
