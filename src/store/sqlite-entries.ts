import {
  checkEntriesOrder,
  compareEntries,
  cutPage,
  ENTRY_KINDS,
  type EntriesOrder,
  type EntriesPage,
  type Entry,
  type EntryKind,
  type EntryPlace,
  entryId,
  noSuchPage,
  readPlace,
} from "#credits/entries.ts";
import type { GrantKind } from "#credits/ledger.ts";
import type { SqlDriver, SqlRow, SqlStatement, SqlValue } from "./sqlite-driver.ts";

/**
 * The list of entries, merged from one list for each kind. Each is read down an index from where the page before
 * ended, so that a page costs by its length, however many calls there were (`test/store/sqlite-entries.test.ts`).
 */
export function createSqliteEntries(driver: SqlDriver) {
  const findAccount = driver.prepare("SELECT no FROM account WHERE id = ?");
  const findKey = driver.prepare("SELECT no FROM api_key WHERE id = ? AND account_no = ?");
  const pages = ENTRY_KINDS.map((kind) => ({ kind, page: driver.prepare(LISTS[kind].page) }));

  /** The place in terms of rows, which name keys by small integers. */
  function partsOf({ kind, parts }: EntryPlace, accountNo: number): SqlValue[] {
    const [first = "", ...rest] = parts;
    if (kind === "reversal") return [Number(first), ...rest];
    if (kind !== "usage") return parts;
    const key = findKey.get(first, accountNo);
    if (key === undefined) throw noSuchPage();
    return [key["no"] as number, ...rest];
  }

  return {
    entries(order: EntriesOrder): EntriesPage {
      checkEntriesOrder(order);
      const after = order.after === null ? null : readPlace(order.after);
      const accountNo = findAccount.get(order.account)?.["no"] as number | undefined;
      if (accountNo === undefined) return { entries: [], next: null };
      const parts = after === null ? [] : partsOf(after, accountNo);
      const entries = pages.flatMap(({ kind, page }) => {
        const bound = boundOf(kind, after, parts);
        // What ends later has not expired yet.
        const isLater = kind === "expiry" && (bound[0] as number) > order.now;
        const from = isLater ? [order.now + 1, ...LISTS[kind].lowest] : bound;
        return readPage(page, kind, [accountNo, order.max + 1, ...from]);
      });
      // The sort is stable, and each kind is in the order of its index already.
      entries.sort((one, other) => compareEntries(other, one));
      return cutPage(entries, order.max);
    },
  };
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

function readPage(page: SqlStatement, kind: EntryKind, values: SqlValue[]): Entry[] {
  return page.all(...values).map((row) => {
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
  });
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

const LISTS: Record<EntryKind, List> = {
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
  // A reversed debit that was folded is known by its reversal; in the sums of the hours it is not.
  debit: {
    page: `SELECT at, call_id, -credits AS credits, 1 AS calls, ${ofCall} FROM debit
      WHERE account_no = ?1 AND (at, call_id) < (?3, ?4)
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
