import {
  checkEntriesOrder,
  compareEntries,
  cutPage,
  ENTRY_KINDS,
  type EntriesOrder,
  type Entry,
  type EntryKind,
  type EntryPosition,
  entryId,
  invalidCursor,
  parseCursor,
} from "#ledger/entries.ts";
import type { GrantKind } from "#ledger/port.ts";
import type { DebitPart } from "#ledger/rules/rows.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { type Bound, entryLists, PART_COLUMNS } from "./entry-lists.ts";
import { accountNoSql } from "./grant-sql.ts";
import type { LedgerRead } from "./ledger-read.ts";
import { type SqlDialect, sql } from "./sql-database.ts";

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
      const pages = ENTRY_KINDS.map((kind) =>
        lists[kind](accountNo, boundOf(kind, after, order), order.max + 1),
      );
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
      const entries = ENTRY_KINDS.flatMap((kind, index) =>
        (pages[index] ?? []).map((row) => readEntry(kind, row)),
      );
      // The sort is stable, and the rows of each kind are already in order.
      entries.sort((one, other) => compareEntries(other, one));
      return cutPage(entries, order.max);
    },
  };
}

const positionOf = ({ after }: EntriesOrder): EntryPosition | null =>
  after === null ? null : parseCursor(after);

/** Returns the bound below which the page's rows of this kind are. */
function boundOf(kind: EntryKind, after: EntryPosition | null, { now }: EntriesOrder): Bound {
  const bound = boundOfPosition(kind, after);
  // A later expiry has not happened yet.
  return kind === "expiry" && bound.at > now ? { at: now + 1, parts: null } : bound;
}

function boundOfPosition(kind: EntryKind, after: EntryPosition | null): Bound {
  if (after === null) return { at: Number.MAX_SAFE_INTEGER, parts: null };
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
