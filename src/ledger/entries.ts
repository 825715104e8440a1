import { type GrantKind, OrderRefused } from "./port.ts";

/**
 * The books of an account as a list: everything that ever changed its balance, newest first. The sum of `credits`
 * over the whole list is the balance at `now`.
 *
 * Pages are parted by place, not by number: a cursor is the name of the last entry of a page, which says where in
 * the list it stands. So what is added above it shifts nothing, and an entry may be gone by the time it is named.
 */

/** In the order in which entries of the same millisecond come about. */
export const ENTRY_KINDS = ["grant", "usage", "debit", "reversal", "expiry", "void"] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export type Entry = {
  /** Unique within the account, and the same whenever it is listed. */
  id: string;
  /** An expiry lies at the grant's `expiresAt`, a usage at the start of its hour. */
  at: number;
  /**
   * `usage`: the folded debits of one UTC hour, key and tool. A debit that was reversed is never in it: that one is
   * listed by itself before and after the fold, and its reversal too.
   */
  kind: EntryKind;
  /** With its sign: what the entry adds to the balance. 0 for a call that was free of charge and for its reversal. */
  credits: number;
  /**
   * The grant that was made, taken from, given back to or lost; null for `usage` and where nothing was taken. The first one
   * of a debit that several grants paid.
   */
  grant: { id: string; kind: GrantKind } | null;
  /** What each of several grants paid or got back, with the sign of `credits`, in burn order; null where it was one or none. */
  parts: { grant: { id: string; kind: GrantKind }; credits: number }[] | null;
  /** Of the call that was made or reversed. Null for what is no call. */
  tool: string | null;
  /** The id of the call's key. */
  key: string | null;
  /** 1 for a debit, as many as there were for `usage`, null for what is no call. */
  calls: number | null;
};

export type EntriesOrder = {
  account: string;
  /** `next` of the page before; null for the first page. Any other text is refused. */
  after: string | null;
  /** How many entries a page may have, at least one. */
  max: number;
  now: number;
};
export type EntriesPage = { entries: Entry[]; next: string | null };

/** Where an entry stands. `parts` tell apart what happened in the same millisecond. */
export type EntryPlace = { kind: EntryKind; at: number; parts: string[] };

/** Grant; key and tool; call; time of the debit and call; grant; grant. */
const PARTS: Record<EntryKind, number> = {
  grant: 1,
  usage: 2,
  debit: 1,
  reversal: 2,
  expiry: 1,
  void: 1,
};

export const entryId = ({ kind, at, parts }: EntryPlace) =>
  [kind, at, ...parts.map((part) => encodeURIComponent(part))].join(":");

export const noSuchPage = () => new OrderRefused("The list of entries has no such page");

/** The place that a cursor names; throws `OrderRefused` for a text that is none. */
export function readPlace(cursor: string): EntryPlace {
  const place = parsePlace(cursor);
  if (place === null) throw noSuchPage();
  return place;
}

function parsePlace(cursor: string): EntryPlace | null {
  const [name, time, ...encoded] = cursor.split(":");
  const kind = ENTRY_KINDS.find((each) => each === name);
  if (kind === undefined || encoded.length !== PARTS[kind]) return null;
  try {
    const place = {
      kind,
      at: Number(time),
      parts: encoded.map((part) => decodeURIComponent(part)),
    };
    if (!Number.isSafeInteger(place.at)) return null;
    if (kind === "reversal" && !isTime(place.parts[0])) return null;
    // One text for each place: what is written in another way was not written here.
    return entryId(place) === cursor ? place : null;
  } catch {
    return null;
  }
}

const isTime = (text = "") => Number.isSafeInteger(Number(text)) && String(Number(text)) === text;

/** Later things are the greater ones; nothing is said about two of one kind and millisecond. */
export const compareEntries = (
  one: Pick<Entry, "at" | "kind">,
  other: Pick<Entry, "at" | "kind">,
) => one.at - other.at || ENTRY_KINDS.indexOf(one.kind) - ENTRY_KINDS.indexOf(other.kind);

/** The page that begins the list; `entries` holds at least one more than the page, where there are more. */
export function cutPage(entries: Entry[], max: number): EntriesPage {
  const page = entries.slice(0, max);
  return { entries: page, next: entries.length > max ? (page.at(-1)?.id ?? null) : null };
}

export function checkEntriesOrder({ max }: EntriesOrder): void {
  if (!(Number.isSafeInteger(max) && max >= 1))
    throw new OrderRefused(`A page has at least one entry; got ${max}`);
}
