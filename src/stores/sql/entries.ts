import {
  checkEntriesOrder,
  compareEntries,
  cutPage,
  ENTRY_KINDS,
  type EntriesFilter,
  type EntriesOrder,
  type EntriesPage,
  type Entry,
  type EntryKind,
  type EntryPosition,
  entryId,
  invalidCursor,
  isSelective,
  parseCursor,
} from "#ledger/entries.ts";
import type { GrantKind } from "#ledger/port.ts";
import type { DebitPart } from "#ledger/rules/rows.ts";
import { ENTRIES_SCANNED_MAX } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { addBalances } from "./entry-balances.ts";
import { type Bound, entryLists, ORDER_COLUMNS, PART_COLUMNS } from "./entry-lists.ts";
import { accountNoSql } from "./grant-sql.ts";
import type { LedgerRead } from "./ledger-read.ts";
import { limitSql, type SqlDialect, type SqlQuery, sql, textSql } from "./sql-database.ts";

/**
 * Reads the list of entries, merged from one list per kind. Each list is read along an index from the end of the previous page. So
 * the cost of a page depends only on its length, not on the number of calls (`test/stores/sqlite/entries.test.ts`).
 */
export function createEntriesRead(dialect: SqlDialect): LedgerRead<"entries"> {
  const lists = entryLists(dialect);
  return {
    queries(order) {
      checkEntriesOrder(order);
      const after = positionOf(order);
      const accountNo = accountNoSql(order.account);
      const rowsMax = order.max + 1;
      const pages = kindsOf(order).flatMap((kind) => {
        const below = boundOf(kind, after, order);
        const { filter } = order;
        if (filter === undefined || !isSelective(filter))
          return [lists[kind](accountNo, below, rowsMax)];
        const looked = lists[kind](accountNo, below, ENTRIES_SCANNED_MAX);
        return [
          matchingSql(kind, looked, filter, rowsMax),
          sql`SELECT *, count(*) OVER () AS looked FROM (${looked}) looked ${oldestFirst(kind)} ${limitSql(1)}`,
        ];
      });
      // Rows refer to keys by number, so a cursor with a key of another account must be detected here.
      const [keyId = null] = after?.kind === "usage" ? after.parts : [];
      const known = sql`SELECT a.no, k.no AS key_no FROM account a
        LEFT JOIN api_key k ON k.account_no = a.no AND k.id = ${keyId} WHERE a.id = ${order.account}`;
      return [known, ...pages];
    },
    outcome([known = [], ...pages], order) {
      const [account] = known;
      if (account?.["key_no"] === null && positionOf(order)?.kind === "usage")
        throw invalidCursor();
      const isFiltered = isSelective(order.filter);
      const entries: Entry[] = [];
      let floor: Entry | null = null;
      for (const [index, kind] of kindsOf(order).entries()) {
        const [rows = [], oldest = []] = pages.slice(isFiltered ? index * 2 : index);
        entries.push(...rows.map((row) => readEntry(kind, row)));
        const [row] = isFiltered ? oldest : [];
        // There may be more behind the oldest row that was looked at.
        if (row === undefined || Number(row["looked"]) < ENTRIES_SCANNED_MAX) continue;
        const end = readEntry(kind, row);
        if (floor === null || compareEntries(end, floor) > 0) floor = end;
      }
      // The sort is stable, and the rows of each kind are already in order.
      entries.sort((one, other) => compareEntries(other, one));
      return cutAt(order, cutPage(aboveFloor(entries, floor), order.max), floor);
    },
    addition: (page, order) =>
      order.withBalances === true && page.entries.length > 0 ? addBalances(page, order) : null,
  };
}

/** Entries about calls have a tool and a key. */
const CALL_KINDS: readonly EntryKind[] = ["usage", "debit", "reversal"];

const kindsOf = ({ filter = {} }: EntriesOrder): readonly EntryKind[] =>
  ENTRY_KINDS.filter(
    (kind) =>
      (filter.kinds?.includes(kind) ?? true) && (!isSelective(filter) || CALL_KINDS.includes(kind)),
  );

/** The rows of a list that match, in its order. */
function matchingSql(kind: EntryKind, looked: SqlQuery, filter: EntriesFilter, max: number) {
  const { key = null, tool = null } = filter;
  const byKey = key === null ? sql`` : sql`AND "key" = ${key}`;
  const byTool = tool === null ? sql`` : sql`AND tool = ${tool}`;
  return sql`SELECT * FROM (${looked}) looked WHERE 1 = 1 ${byKey} ${byTool} ${newestFirst(kind)} ${limitSql(max)}`;
}

const inOrder = (kind: EntryKind, direction: "ASC" | "DESC"): SqlQuery => {
  const columns = ["at", ...ORDER_COLUMNS[kind]].map((column) => `${column} ${direction}`);
  return textSql(`ORDER BY ${columns.join(", ")}`);
};
const newestFirst = (kind: EntryKind) => inOrder(kind, "DESC");
const oldestFirst = (kind: EntryKind) => inOrder(kind, "ASC");

/** Below the floor there may be entries of another kind that were not looked at. */
const aboveFloor = (entries: Entry[], floor: Entry | null): Entry[] =>
  floor === null ? entries : entries.filter((entry) => compareEntries(entry, floor) >= 0);

/** Ends the list at the filter's first time, or continues it from where this page stopped looking. */
function cutAt({ filter }: EntriesOrder, page: EntriesPage, floor: Entry | null): EntriesPage {
  const from = filter?.from ?? Number.MIN_SAFE_INTEGER;
  const entries = page.entries.filter(({ at }) => at >= from);
  if (entries.length < page.entries.length) return { entries, next: null };
  if (page.next !== null || floor === null) return page;
  return { entries, next: floor.at < from ? null : floor.id };
}

const positionOf = ({ after }: EntriesOrder): EntryPosition | null =>
  after === null ? null : parseCursor(after);

/** Returns the bound below which the page's rows of this kind are. */
function boundOf(
  kind: EntryKind,
  after: EntryPosition | null,
  { now, until = null }: EntriesOrder,
): Bound {
  const bound = boundOfPosition(kind, after, until);
  // A later expiry has not happened yet.
  return kind === "expiry" && bound.at > now ? { at: now + 1, parts: null } : bound;
}

function boundOfPosition(
  kind: EntryKind,
  after: EntryPosition | null,
  until: number | null,
): Bound {
  if (after === null) return { at: until ?? Number.MAX_SAFE_INTEGER, parts: null };
  if (kind === after.kind) return after;
  // Within a millisecond, kinds that sort earlier follow the cursor.
  const isBelow = compareEntries({ kind, at: after.at }, after) < 0;
  return { at: isBelow ? after.at + 1 : after.at, parts: null };
}

function readEntry(kind: EntryKind, row: SqlRow): Entry {
  const [at, credits] = [row["at"] as number, row["credits"] as number];
  return {
    id: entryId({ kind, at, parts: PART_COLUMNS[kind].map((column) => String(row[column])) }),
    at,
    kind,
    credits,
    grant: readGrant(row),
    parts: readParts(row, Math.sign(credits)),
    tool: (row["tool"] ?? null) as string | null,
    key: (row["key"] ?? null) as string | null,
    calls: (row["calls"] ?? null) as number | null,
  };
}

function readGrant(row: SqlRow): Entry["grant"] {
  const id = row["grant"] ?? null;
  return id === null ? null : { id: id as string, kind: row["grant_kind"] as GrantKind };
}

function readParts(row: SqlRow, sign: number): Entry["parts"] {
  const text = row["parts"] ?? null;
  if (text === null) return null;
  const parts: DebitPart[] = JSON.parse(text as string);
  return parts.map(({ id, kind, credits }) => ({ grant: { id, kind }, credits: sign * credits }));
}
