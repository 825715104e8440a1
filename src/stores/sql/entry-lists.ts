import {
  compareEntries,
  cutPage,
  type EntriesOrder,
  type EntriesPage,
  type Entry,
  type EntryKind,
  type EntryPlace,
  entryId,
} from "#ledger/entries.ts";
import type { GrantKind } from "#ledger/port.ts";
import type { SqlRow, SqlValue } from "#stores/sqlite/driver.ts";

/**
 * The list of entries is merged from one list for each kind. Each is read down an index from where the page before
 * ended, so that a page costs by its length, however many calls there were (`test/store/sqlite-entries.test.ts`).
 */

/** The values with which the rows of a kind are asked for: account, how many, and what they are to lie below. */
export function pageValues(
  kind: EntryKind,
  order: EntriesOrder,
  accountNo: number,
  from: { after: EntryPlace | null; parts: SqlValue[] },
): SqlValue[] {
  const bound = boundOf(kind, from.after, from.parts);
  // What ends later has not expired yet.
  const isLater = kind === "expiry" && (bound[0] as number) > order.now;
  const below = isLater ? [order.now + 1, ...LISTS[kind].lowest] : bound;
  return [accountNo, order.max + 1, ...below];
}

/** The page that the rows of all kinds make, each kind in the order of its index. */
export function mergePage(rows: { kind: EntryKind; row: SqlRow }[], max: number): EntriesPage {
  const entries = rows.map(({ kind, row }) => readEntry(kind, row));
  // The sort is stable.
  entries.sort((one, other) => compareEntries(other, one));
  return cutPage(entries, max);
}

/** What the rows of this kind are to lie below: time and parts. */
function boundOf(kind: EntryKind, after: EntryPlace | null, parts: SqlValue[]): SqlValue[] {
  const { lowest } = LISTS[kind];
  if (after === null) return [Number.MAX_SAFE_INTEGER, ...lowest];
  if (kind === after.kind) return [after.at, ...parts];
  // Of the same millisecond, those kinds come after the place that come about before its own.
  const isBelow = compareEntries({ kind, at: after.at }, after) < 0;
  return [isBelow ? after.at + 1 : after.at, ...lowest];
}

function readEntry(kind: EntryKind, row: SqlRow): Entry {
  const at = row["at"] as number;
  const parts = LISTS[kind].parts.map((column) => String(row[column]));
  return {
    id: entryId({ kind, at, parts }),
    at,
    kind,
    credits: row["credits"] as number,
    grant: readGrant(row),
    tool: (row["tool"] ?? null) as string | null,
    key: (row["key"] ?? null) as string | null,
    calls: (row["calls"] ?? null) as number | null,
  };
}

function readGrant(row: SqlRow): Entry["grant"] {
  const id = row["grant"] ?? null;
  return id === null ? null : { id: id as string, kind: row["grant_kind"] as GrantKind };
}

/**
 * `page`: account, how many rows, then what they lie below. `lowest`: parts that no row lies below. `parts`: the
 * columns that tell apart rows of the same millisecond.
 */
type List = { page: string; lowest: SqlValue[]; parts: string[] };

const grantsBy = (column: string, credits: string, where: string): List => ({
  page: `SELECT ${column} AS at, ${credits} AS credits, id AS "grant", kind AS grant_kind FROM credit_grant
    WHERE account_no = ?1 AND (${column}, id) < (?3, ?4) ${where} ORDER BY ${column} DESC, id DESC LIMIT ?2`,
  lowest: [""],
  parts: ["grant"],
});

const keyId = `(SELECT id FROM api_key WHERE no = key_no) AS "key"`;
const ofCall = `tool, ${keyId},
  (SELECT id FROM credit_grant WHERE no = grant_no) AS "grant",
  (SELECT kind FROM credit_grant WHERE no = grant_no) AS grant_kind`;

export const LISTS: Record<EntryKind, List> = {
  grant: grantsBy("granted_at", "amount", ""),
  expiry: grantsBy("expires_at", "-remaining", "AND expires_at IS NOT NULL AND remaining > 0"),
  void: grantsBy("voided_at", "-voided", "AND voided_at IS NOT NULL"),
  usage: {
    page: `SELECT hour AS at, -credits AS credits, calls, tool, ${keyId} FROM usage_hour
      WHERE account_no = ?1 AND (hour, key_no, tool) < (?3, ?4, ?5)
      ORDER BY hour DESC, key_no DESC, tool DESC LIMIT ?2`,
    lowest: [0, ""],
    parts: ["key", "tool"],
  },
  // A reversed debit that was folded is known by its reversal; in the sums of the hours it is not. Without a key it is none:
  // it marks a call that was given back before its debit came.
  debit: {
    page: `SELECT at, call_id, -credits AS credits, 1 AS calls, ${ofCall} FROM debit
      WHERE account_no = ?1 AND (at, call_id) < (?3, ?4) AND key_no > 0
      UNION ALL
      SELECT debit_at, call_id, -credits, 1, ${ofCall} FROM reversal INDEXED BY reversal_folded
      WHERE account_no = ?1 AND (debit_at, call_id) < (?3, ?4) AND debit_kept = 0
      ORDER BY at DESC, call_id DESC LIMIT ?2`,
    lowest: [""],
    parts: ["call_id"],
  },
  reversal: {
    page: `SELECT reversed_at AS at, debit_at, call_id, credits, ${ofCall} FROM reversal
      WHERE account_no = ?1 AND (reversed_at, debit_at, call_id) < (?3, ?4, ?5)
      ORDER BY reversed_at DESC, debit_at DESC, call_id DESC LIMIT ?2`,
    lowest: [Number.MIN_SAFE_INTEGER, ""],
    parts: ["debit_at", "call_id"],
  },
};
