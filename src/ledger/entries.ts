import { callRef } from "#ids.ts";
import type { GrantKind } from "./model.ts";
import { OrderRejected } from "./outcome-errors.ts";

/**
 * The ledger entries of an account: everything that ever changed its balance, newest first. The sum of `credits` over the
 * whole list is the balance at `now` and what running calls hold: a call has its entry when it is settled, at the time of its hold.
 *
 * A cursor is the id of the last entry of a page, and the id contains the entry's position in the list. So new entries do not
 * shift the pages that follow, and a cursor stays valid after its entry was rolled up.
 */

/** In the order in which entries of the same millisecond occur. */
export const ENTRY_KINDS = ["grant", "usage", "debit", "reversal", "expiry", "void"] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export type Entry = {
  /** Unique within the account, and stable. */
  id: string;
  /** Milliseconds since 1970 UTC. The time of an expiry is the grant's `expiresAt`, that of usage the start of its hour. */
  at: number;
  /**
   * `usage`: the rolled-up debits of one UTC hour, key and tool. It does not include reversed debits, which keep an entry of
   * their own, as do their reversals.
   */
  kind: EntryKind;
  /** What the entry adds to the balance; negative for a debit, and 0 for a free call and its reversal. */
  credits: number;
  /**
   * The grant that the entry concerns; the first one if several grants paid a debit. Null for `usage` and for a debit that
   * took nothing.
   */
  grant: { id: string; kind: GrantKind } | null;
  /**
   * What each grant paid or got back, in the order in which grants are spent and with the sign of `credits`. Null if fewer
   * than two grants paid.
   */
  parts: { grant: { id: string; kind: GrantKind }; credits: number }[] | null;
  /** The tool that was called; null if the entry is not about calls. */
  tool: string | null;
  /** The id of the key that the call used; null if the entry is not about calls. */
  key: string | null;
  /** The number of calls: 1 for a debit, several for `usage`, null for all other kinds. */
  calls: number | null;
  /**
   * The balance after it: the sum of it and all older entries. Null where too many entries follow in its hour (BALANCE_ENTRIES_MAX);
   * absent unless the order asks for it.
   */
  balance?: number | null;
};

export type EntriesOrder = {
  account: string;
  /** The `next` of the previous page; null for the first page. Any other text is rejected with `OrderRejected`. */
  after: string | null;
  /** The maximum number of entries in the page, at least 1. */
  max: number;
  now: number;
  /** Only entries before this time; null or left out: all. */
  until?: number | null | undefined;
  filter?: EntriesFilter | undefined;
  /** Whether each entry has its balance. Rejects with `UsageNotSummed` like `usage`. */
  withBalances?: boolean | undefined;
};
/** Which entries are listed; null or left out: all. A key or a tool selects entries about calls. */
export type EntriesFilter = {
  kinds?: readonly EntryKind[] | null | undefined;
  tool?: string | null | undefined;
  /** The id of a key. */
  key?: string | null | undefined;
  /** Only entries since this time. */
  from?: number | null | undefined;
};
/**
 * With a filter by key or tool, a page may have few entries, or none, although more follow: it looks at ENTRIES_SCANNED_MAX entries
 * of each kind. `next` then says how far it looked.
 */
export type EntriesPage = { entries: Entry[]; next: string | null };

/** The position of an entry in the list. `parts` distinguish entries of the same kind and millisecond. */
export type EntryPosition = { kind: EntryKind; at: number; parts: string[] };

/**
 * The number of parts of a position. They are the grant for `grant`, `expiry` and `void`; the key and the tool for `usage`; the
 * call for `debit`; the time of the debit and the call for `reversal`.
 */
const PARTS: Record<EntryKind, number> = {
  grant: 1,
  usage: 2,
  debit: 1,
  reversal: 2,
  expiry: 1,
  void: 1,
};

export const entryId = ({ kind, at, parts }: EntryPosition) =>
  [kind, at, ...parts.map((part) => encodeURIComponent(part))].join(":");

/** The id of the call that an entry is about, as errors and logs have it (`callRef`); null if it is about none, or about several. */
export function callOfEntry(account: string, id: string): string | null {
  const { kind, at, parts } = parseCursor(id);
  const [first = "", second = ""] = parts;
  if (kind === "debit") return callRef({ account, callId: first, at });
  return kind === "reversal" ? callRef({ account, callId: second, at: Number(first) }) : null;
}

export const invalidCursor = () =>
  new OrderRejected(
    "The cursor of the list of entries is invalid: pass the `next` of the previous page",
  );

/** Parses a cursor; throws `OrderRejected` if it is invalid. */
export function parseCursor(cursor: string): EntryPosition {
  const position = parsePosition(cursor);
  if (position === null) throw invalidCursor();
  return position;
}

function parsePosition(cursor: string): EntryPosition | null {
  const [name, time, ...encoded] = cursor.split(":");
  const kind = ENTRY_KINDS.find((each) => each === name);
  if (kind === undefined || encoded.length !== PARTS[kind]) return null;
  try {
    const position = {
      kind,
      at: Number(time),
      parts: encoded.map((part) => decodeURIComponent(part)),
    };
    if (!Number.isSafeInteger(position.at)) return null;
    if (kind === "reversal" && !isTime(position.parts[0])) return null;
    // Each position has exactly one text, so any other spelling is invalid.
    return entryId(position) === cursor ? position : null;
  } catch {
    return null;
  }
}

const isTime = (text = "") => Number.isSafeInteger(Number(text)) && String(Number(text)) === text;

/** Compares entries by time, the later one being greater. Entries of one kind and millisecond compare as equal. */
export const compareEntries = (
  one: Pick<Entry, "at" | "kind">,
  other: Pick<Entry, "at" | "kind">,
) => one.at - other.at || ENTRY_KINDS.indexOf(one.kind) - ENTRY_KINDS.indexOf(other.kind);

/** Whether entries may be left out between two that are listed. */
export const hasGaps = (filter: EntriesFilter = {}): boolean =>
  isSelective(filter) || filter.kinds != null;

/** Whether a filter selects by something that no index has. */
export const isSelective = ({ tool = null, key = null }: EntriesFilter = {}): boolean =>
  tool !== null || key !== null;

/** Returns the first page of a list. `entries` must contain at least one entry more than the page if there are more. */
export function cutPage(entries: Entry[], max: number): EntriesPage {
  const page = entries.slice(0, max);
  return { entries: page, next: entries.length > max ? (page.at(-1)?.id ?? null) : null };
}

export function checkEntriesOrder({ max }: EntriesOrder): void {
  if (!(Number.isSafeInteger(max) && max >= 1))
    throw new OrderRejected(`The page size must be at least 1; it was ${max}`);
}
