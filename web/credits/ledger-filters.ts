import { isDay } from "../parts/numbers.ts";

/** The filters of the ledger, in the query string of the page, so that they can be bookmarked and shared. */
export type LedgerSearch = Partial<Record<"show" | "tool" | "key" | "from" | "to", string>>;

/** What the list of kinds offers, and the kinds of entries that each is. */
export const SHOWN: Record<string, { label: string; kinds: string }> = {
  calls: { label: "Calls", kinds: "debit,usage" },
  grants: { label: "Grants", kinds: "grant" },
  reversals: { label: "Reversals", kinds: "reversal" },
  expiries: { label: "Expiries", kinds: "expiry" },
  removals: { label: "Removals", kinds: "void" },
};

/** Leaves out what is empty or cannot be a filter, such as a day that does not exist. */
export function readLedgerSearch(search: Record<string, unknown>): LedgerSearch {
  const found: LedgerSearch = {};
  for (const name of ["show", "tool", "key", "from", "to"] as const) {
    // The router reads a value such as 2026 as a number.
    const text = String(search[name] ?? "");
    if (text === "" || text.length > 200) continue;
    if (name === "show" && !Object.hasOwn(SHOWN, text)) continue;
    if ((name === "from" || name === "to") && !isDay(text)) continue;
    found[name] = text;
  }
  return found;
}

/** The query string of the request, with its question mark; empty without filters. */
export function entriesQuery({ show, ...others }: LedgerSearch): string {
  const kind = show === undefined ? undefined : SHOWN[show]?.kinds;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ kind, ...others }))
    if (value !== undefined) query.set(name, value);
  return query.size === 0 ? "" : `?${query}`;
}

export const hasFilters = (search: LedgerSearch): boolean => Object.keys(search).length > 0;
