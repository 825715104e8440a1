/** Usage, maintenance and the audit in memory. */
import { addBooks, noBooks } from "#ledger/books.ts";
import {
  type Books,
  hourOf,
  type KeyCalls,
  type Ledger,
  type LedgerOperations,
  type UsageRow,
} from "#ledger/port.ts";
import { forgetAnswer, isForgettable } from "./debits.ts";
import {
  type AccountRow,
  balanceOf,
  type DebitRow,
  type FoldedRow,
  isSpendable,
  type Rows,
} from "./rows.ts";

export function reportOperations(
  rows: Rows,
): Pick<Ledger, "usage" | "recentCalls" | "maintain" | "audit"> {
  return {
    usage: async ({ account, from, to }) =>
      [...foldedAndNot(rows).values()]
        .filter((row) => account === null || row.account === account)
        .filter((row) => row.calls > 0 && from <= row.hour && row.hour < to)
        .map(({ reversed: _, ...row }): UsageRow => row),
    recentCalls: async (order) => recentCalls(rows, order),
    maintain: async (order) => maintain(rows, order),
    audit: async ({ now }) => audit(rows, now),
  };
}

function recentCalls(
  { accounts }: Rows,
  { account, from }: LedgerOperations["recentCalls"][0],
): KeyCalls[] {
  const byKey = new Map<string, KeyCalls>();
  for (const { key, at, charged, reversedAt } of accounts.get(account)?.calls.values() ?? []) {
    if (at < from || reversedAt !== null) continue;
    const { calls, credits } = byKey.get(key) ?? { calls: 0, credits: 0 };
    byKey.set(key, { key, calls: calls + 1, credits: credits + charged });
  }
  return [...byKey.values()];
}

/** Adds one debit to the row of its account, key, tool and hour. A reversed call is none that was used. */
function addTo(folded: Map<string, FoldedRow>, debit: DebitRow): void {
  const { key, tool, charged, reversedAt } = debit;
  const account = debit.account.id;
  const hour = hourOf(debit.at);
  const name = JSON.stringify([account, key, tool, hour]);
  const row = folded.get(name) ?? { account, key, tool, hour, calls: 0, credits: 0, reversed: 0 };
  if (reversedAt !== null) row.reversed += charged;
  else {
    row.calls += 1;
    row.credits += charged;
  }
  folded.set(name, row);
}

function foldedAndNot({ folded, debits }: Rows): Map<string, FoldedRow> {
  const all = new Map([...folded].map(([name, row]) => [name, { ...row }]));
  for (const debit of debits.values()) if (!debit.folded) addTo(all, debit);
  return all;
}

/** Walks the debits by number. A row is done with when it is folded and holds no answer for a repeat. */
function maintain(
  rows: Rows,
  { now, foldBefore, rowsMax, after }: LedgerOperations["maintain"][0],
): LedgerOperations["maintain"][1] {
  if (!(rowsMax >= 1)) throw new RangeError(`a step touches at least one row; got ${rowsMax}`);
  const { debits } = rows;
  const isFoldable = (debit: DebitRow) => !debit.folded && debit.at < foldBefore;
  let [touched, folded, forgotten] = [0, 0, 0];
  let number = Math.max((after ?? 0) + 1, debits.keys().next().value ?? 0);
  while (number <= rows.debitsMade && touched < rowsMax) {
    const debit = debits.get(number);
    if (debit !== undefined) {
      touched += 1;
      if (isFoldable(debit)) {
        addTo(rows.folded, debit);
        debit.folded = true;
        debit.account.calls.delete(debit.callId);
        folded += 1;
      } else if (isForgettable(debit, now)) {
        forgetAnswer(debit);
        forgotten += 1;
      }
      if (debit.folded && debit.idempotency === null) debits.delete(number);
      // Both are to be done to one row, and the step may have ended between them.
      if (isFoldable(debit) || isForgettable(debit, now)) continue;
    }
    number += 1;
  }
  return { folded, forgotten, after: number > rows.debitsMade ? null : number - 1 };
}

function audit(rows: Rows, now: number): LedgerOperations["audit"][1] {
  const books = new Map<string, Books>();
  const freeCalls = new Map<string, number>();
  const faults: string[] = [];
  for (const account of rows.accounts.values()) {
    books.set(account.id, grantsOf(account, now));
    for (const { id, remaining, amount } of account.grants) {
      if (remaining >= 0 && remaining <= amount) continue;
      faults.push(`Grant ${id} of ${account.id} has ${remaining} of ${amount} remaining.`);
    }
  }
  for (const { account, calls, credits, reversed } of foldedAndNot(rows).values()) {
    freeCalls.set(account, (freeCalls.get(account) ?? 0) + calls - credits);
    const each = books.get(account);
    if (each === undefined) continue;
    each.debited += credits + reversed;
    each.reversed += reversed;
  }
  for (const { id, freeCall } of rows.accounts.values()) {
    const [made, right] = [freeCalls.get(id) ?? 0, freeCall === "used" ? 1 : 0];
    if (made !== right) faults.push(`Account ${id} made ${made} free calls; ${right} is right.`);
  }
  const total = noBooks();
  for (const [account, each] of books) {
    const known = each.debited - each.reversed + each.remaining + each.expired + each.voided;
    if (each.granted !== known)
      faults.push(
        `Account ${account} was granted ${each.granted}, but ${known} are accounted for.`,
      );
    addBooks(total, each);
  }
  return { ok: faults.length === 0, accounts: rows.accounts.size, books: total, faults };
}

function grantsOf(account: AccountRow, now: number): Books {
  const books = noBooks();
  for (const { credits } of account.voids.values()) books.voided += credits;
  books.remaining = balanceOf(account, now);
  for (const grant of account.grants) {
    books.granted += grant.amount;
    if (!isSpendable(grant, now)) books.expired += grant.remaining;
  }
  return books;
}
