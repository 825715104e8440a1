import { type CallRecord, type GrantKind, hourOf } from "#ledger/port.ts";
import type { DebitPart } from "#ledger/rules/rows.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { rowOf } from "../stored-row.ts";
import { accountNoSql } from "./grant-sql.ts";
import type { LedgerRead } from "./ledger-read.ts";
import { readNumber, type SqlDialect, sql } from "./sql-database.ts";

/** Whether the call of the idempotency record `record` was reversed, as an SQL condition. Such a record is not replayed. */
export const isReversedSql = (record: string): string =>
  `EXISTS (SELECT 1 FROM reversal v
    WHERE v.account_no = ${record}.account_no AND v.debit_at = ${record}.at AND v.call_id = ${record}.call_id)`;

/**
 * Finds a call by the primary keys of its tables. Scalar subqueries instead of joins: SQLite looks both halves of the view `debit`
 * up by key then.
 */
export const createFindCall = (dialect: SqlDialect): LedgerRead<"findCall"> => ({
  queries({ account, at, callId }) {
    const accountNo = accountNoSql(account);
    return [
      sql`SELECT key_no, tool, credits, is_free, parts, reversed_at,
          (SELECT id FROM api_key WHERE no = key_no) AS key,
          (SELECT id FROM credit_grant WHERE no = grant_no) AS grant_id,
          (SELECT kind FROM credit_grant WHERE no = grant_no) AS grant_kind
        FROM debit WHERE account_no = ${accountNo} AND at = ${at} AND call_id = ${callId}`,
      // In PostgreSQL, a record may have a later time than its debit.
      sql`SELECT count(*) AS records FROM idempotency WHERE account_no = ${accountNo} AND call_id = ${callId}
        ${dialect === "sqlite" ? sql`AND at = ${at}` : sql``}`,
      sql`SELECT state FROM kept_call WHERE account_no = ${accountNo} AND call_id = ${callId}`,
      sql`SELECT tool, credits, is_free, (SELECT id FROM api_key WHERE no = key_no) AS key FROM hold
        WHERE account_no = ${accountNo} AND at = ${at} AND call_id = ${callId}`,
      sql`SELECT reversed_at FROM reversal
        WHERE account_no = ${accountNo} AND debit_at = ${at} AND call_id = ${callId}`,
      sql`SELECT 1 AS found FROM usage_hour
        WHERE account_no = ${accountNo} AND hour = ${hourOf(at)} LIMIT 1`,
    ];
  },
  outcome([debits = [], records = [], keptCalls = [], holds = [], ...rest]): CallRecord {
    const [reversals = [], rolledUp = []] = rest;
    const [[debit], [record], [kept], [hold]] = [debits, records, keptCalls, holds];
    const [reversal] = reversals;
    const isUnknown = kept?.["state"] === "unknown";
    if (debit !== undefined) {
      const isKept = Number(record?.["records"] ?? 0) > 0 || kept?.["state"] === "kept";
      return { ...readCall(debit, isKept), ...(isUnknown && { mayHaveActed: true }) };
    }
    if (hold !== undefined) return { outcome: "held", ...CALL.read(hold) };
    if (isUnknown) return { outcome: "unknown" };
    if (reversal !== undefined)
      return { outcome: "rolled_up", reversedAt: Number(reversal["reversed_at"]) };
    return rolledUp.length > 0
      ? { outcome: "rolled_up", reversedAt: null }
      : { outcome: "not_found" };
  },
});

const CALL = rowOf<{ key: string; tool: string; credits: number; isFree: boolean }>(
  "key, tool, credits, is_free",
);

/** `isKept`: its response is kept, or the record from which it is made again. */
function readCall(row: SqlRow, isKept: boolean) {
  const reversedAt = readNumber(row["reversed_at"]);
  const isMark = Number(row["key_no"]) === 0 && reversedAt !== null;
  if (isMark) return { outcome: "never_charged" as const, reversedAt };
  const call = CALL.read(row);
  return {
    ...{ outcome: "found" as const, ...call, parts: readParts(row, call.credits), reversedAt },
    isRepeatable: isKept && reversedAt === null,
  };
}

function readParts(row: SqlRow, credits: number) {
  const { parts, grant_id: grant, grant_kind: kind } = row;
  if (typeof parts === "string")
    return (JSON.parse(parts) as DebitPart[]).map(({ id, ...part }) => ({ grant: id, ...part }));
  return typeof grant === "string" ? [{ grant, kind: kind as GrantKind, credits }] : [];
}
