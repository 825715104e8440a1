import { DAY_MS, EXPIRY_WARNING_DAYS } from "#limits.ts";
import { type SqlQuery, sql } from "./sql-database.ts";

/** SQL expressions about grants that every database uses. */

/** The rule `nextEventAt` (ledger/events.ts) in SQL. */
export function eventDueSql(end: string, now: string): string {
  const ahead = EXPIRY_WARNING_DAYS.map((days) => `${end} - ${days * DAY_MS}`);
  const cases = [...ahead, end].map((at) => `WHEN ${at} > ${now} THEN ${at}`);
  return `CASE ${cases.join(" ")} END`;
}

/** The expiry of a grant as in the index of spendable grants: a grant without an expiry sorts after all others. */
export const EXPIRY_SQL = "coalesce(expires_at, 9007199254740991)";

/** The balance of the account with this number (an SQL expression), as a sum along an index. */
export const balanceSql = (accountNo: string, now: number): SqlQuery => ({
  sql: `(SELECT coalesce(CAST(sum(remaining) AS BIGINT), 0) FROM credit_grant
    WHERE account_no = ${accountNo} AND spent = 0 AND ${EXPIRY_SQL} > ?)`,
  values: [now],
});

/** The number of an account. */
export const accountNoSql = (account: string): SqlQuery =>
  sql`(SELECT no FROM account WHERE id = ${account})`;
