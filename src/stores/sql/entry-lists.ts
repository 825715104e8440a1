import type { EntryKind } from "#ledger/entries.ts";
import { type SqlDialect, type SqlQuery, sql, textSql } from "./sql-database.ts";

/** The rows of a list are below its bound: a time and the parts of a position. If `parts` is null, rows of that time are excluded. */
export type Bound = { at: number; parts: readonly string[] | null };

/** Queries the newest rows of one kind of entry below a bound, newest first. */
type List = (accountNo: SqlQuery, below: Bound, max: number) => SqlQuery;

/** The columns that distinguish entries of one kind and millisecond: the parts of their positions. */
export const PART_COLUMNS: Record<EntryKind, readonly string[]> = {
  grant: ["grant"],
  expiry: ["grant"],
  void: ["grant"],
  usage: ["key", "tool"],
  debit: ["call_id"],
  reversal: ["debit_at", "call_id"],
};

/** The columns by which a list is ordered within a millisecond. */
export const ORDER_COLUMNS: Record<EntryKind, readonly string[]> = {
  ...PART_COLUMNS,
  grant: ['"grant"'],
  expiry: ['"grant"'],
  void: ['"grant"'],
  usage: ["key_no", "tool"],
};

/** Lists grants by the time in this column: when they were made, expire, or were first voided. */
const grantsBy = (column: string, credits: string, where: string): List => {
  const [at, amount, condition] = [textSql(column), textSql(credits), textSql(where)];
  return (accountNo, below, max) =>
    sql`SELECT ${at} AS at, ${amount} AS credits, id AS "grant", kind AS grant_kind FROM credit_grant
      WHERE account_no = ${accountNo} AND (${at}, id) < (${below.at}, ${below.parts?.[0] ?? ""}) ${condition}
      ORDER BY ${at} DESC, id DESC LIMIT ${max}`;
};

const KEY = textSql(`(SELECT id FROM api_key WHERE no = key_no) AS "key"`);
const CALL = textSql(`tool, (SELECT id FROM api_key WHERE no = key_no) AS "key", parts,
  (SELECT id FROM credit_grant WHERE no = grant_no) AS "grant",
  (SELECT kind FROM credit_grant WHERE no = grant_no) AS grant_kind`);

const usage: List = (accountNo, { at, parts }, max) => {
  const [key = "", tool = ""] = parts ?? [];
  return sql`SELECT hour AS at, -credits AS credits, calls, tool, key_no, ${KEY} FROM usage_hour
    WHERE account_no = ${accountNo}
      AND (hour, key_no, tool) < (${at}, coalesce((SELECT no FROM api_key WHERE id = ${key}), 0), ${tool})
    ORDER BY hour DESC, key_no DESC, tool DESC LIMIT ${max}`;
};

const reversal: List = (accountNo, { at, parts }, max) => {
  const [debitAt, callId] = parts ?? [Number.MIN_SAFE_INTEGER, ""];
  return sql`SELECT reversed_at AS at, debit_at, call_id, credits, ${CALL} FROM reversal
    WHERE account_no = ${accountNo}
      AND (reversed_at, debit_at, call_id) < (${at}, ${Number(debitAt)}, ${callId ?? ""})
    ORDER BY reversed_at DESC, debit_at DESC, call_id DESC LIMIT ${max}`;
};

/**
 * Lists debits. A reversed debit that was rolled up is read from its reversal, because the sums of the hours do not include it. A
 * debit without a key is left out: it marks a call that was reversed before its debit arrived.
 */
function debit(dialect: SqlDialect): List {
  // Otherwise SQLite uses the primary key, and reads all reversals whose debits are not rolled up.
  const index = textSql(dialect === "sqlite" ? "INDEXED BY reversal_rolled_up" : "");
  return (accountNo, { at, parts }, max) => {
    const below = sql`(${at}, ${parts?.[0] ?? ""})`;
    const newest = sql`ORDER BY at DESC, call_id DESC LIMIT ${max}`;
    // SQLite merges the two parts by itself. PostgreSQL would read and sort all debits of the account.
    const part = (query: SqlQuery, name: string) =>
      dialect === "sqlite" ? query : sql`SELECT * FROM (${query} ${newest}) ${textSql(name)}`;
    const kept = sql`SELECT at, call_id, -credits AS credits, 1 AS calls, ${CALL} FROM debit
      WHERE account_no = ${accountNo} AND (at, call_id) < ${below} AND key_no > 0`;
    const rolledUp = sql`SELECT debit_at AS at, call_id, -credits AS credits, 1 AS calls, ${CALL} FROM reversal ${index}
      WHERE account_no = ${accountNo} AND (debit_at, call_id) < ${below} AND debit_kept = 0`;
    return sql`${part(kept, "kept")} UNION ALL ${part(rolledUp, "rolled_up")} ${newest}`;
  };
}

export const entryLists = (dialect: SqlDialect): Record<EntryKind, List> => ({
  grant: grantsBy("granted_at", "amount", ""),
  expiry: grantsBy("expires_at", "-remaining", "AND expires_at IS NOT NULL AND spent = 0"),
  void: grantsBy("voided_at", "-voided", "AND voided_at IS NOT NULL"),
  usage,
  debit: debit(dialect),
  reversal,
});
