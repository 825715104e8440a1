/** The list of an account's entries in memory. A page is found by going through all there is. */
import {
  checkEntriesOrder,
  compareEntries,
  cutPage,
  type EntriesOrder,
  type EntriesPage,
  type Entry,
  type EntryPlace,
  entryId,
  noSuchPage,
  readPlace,
} from "#ledger/entries.ts";
import type { Grant, Ledger } from "#ledger/port.ts";
import type { AccountRow, DebitRow, Rows } from "./rows.ts";

type Placed = { place: EntryPlace; entry: Entry };

export function entryOperations(rows: Rows): Pick<Ledger, "entries"> {
  return { entries: async (order) => listEntries(rows, order) };
}

function listEntries(rows: Rows, order: EntriesOrder): EntriesPage {
  checkEntriesOrder(order);
  const after = order.after === null ? null : readPlace(order.after);
  const account = rows.accounts.get(order.account);
  if (account === undefined) return { entries: [], next: null };
  const isOfNoKey =
    after?.kind === "usage" && !account.keys.some(({ id }) => id === after.parts[0]);
  if (isOfNoKey) throw noSuchPage();
  const all = [
    ...entriesOfGrants(account, order.now),
    ...entriesOfCalls(account),
    ...entriesOfHours(rows, account),
  ];
  const below = all
    .filter(({ place }) => after === null || comparePlaces(place, after) < 0)
    .sort((one, other) => comparePlaces(other.place, one.place));
  return cutPage(
    below.map(({ entry }) => entry),
    order.max,
  );
}

function comparePlaces(one: EntryPlace, other: EntryPlace): number {
  const difference = compareEntries(one, other);
  if (difference !== 0) return difference;
  for (const [index, part] of one.parts.entries()) {
    const counterpart = other.parts[index] as string;
    if (part !== counterpart) return part < counterpart ? -1 : 1;
  }
  return 0;
}

type Rest = Partial<Pick<Entry, "tool" | "key" | "calls">>;

function placed(place: EntryPlace, credits: number, grant: Grant | null, rest: Rest = {}): Placed {
  const { kind, at } = place;
  const from = grant === null ? null : { id: grant.id, kind: grant.kind };
  const entry = { id: entryId(place), at, kind, credits, grant: from };
  return { place, entry: { ...entry, tool: null, key: null, calls: null, ...rest } };
}

function* entriesOfGrants({ grants, voids }: AccountRow, now: number): Generator<Placed> {
  for (const grant of grants) {
    const { id, amount, remaining, grantedAt, expiresAt } = grant;
    const parts = [id];
    yield placed({ kind: "grant", at: grantedAt, parts }, amount, grant);
    if (expiresAt !== null && expiresAt <= now && remaining > 0)
      yield placed({ kind: "expiry", at: expiresAt, parts }, -remaining, grant);
    const lost = voids.get(grant);
    if (lost !== undefined)
      yield placed({ kind: "void", at: lost.at, parts }, -lost.credits, grant);
  }
}

function* entriesOfCalls({ calls, reversals }: AccountRow): Generator<Placed> {
  const debitOf = ({ at, callId, charged, grant, tool, key }: DebitRow) =>
    placed({ kind: "debit", at, parts: [callId] }, 0 - charged, grant, { tool, key, calls: 1 });
  for (const debit of calls.values()) yield debitOf(debit);
  for (const debit of reversals) {
    const { at, callId, reversedAt, charged, grant, tool, key } = debit;
    const parts = [String(at), callId];
    yield placed({ kind: "reversal", at: reversedAt ?? at, parts }, charged, grant, { tool, key });
    // Folded, it is in no sum of an hour: it goes on by itself.
    if (debit.folded) yield debitOf(debit);
  }
}

function* entriesOfHours({ folded }: Rows, account: AccountRow): Generator<Placed> {
  for (const row of folded.values()) {
    if (row.account !== account.id || row.calls === 0) continue;
    const { key, tool, hour: at, calls, credits } = row;
    yield placed({ kind: "usage", at, parts: [key, tool] }, 0 - credits, null, {
      tool,
      key,
      calls,
    });
  }
}
