import { DAY_MS, EXPIRY_WARNING_DAYS } from "#limits.ts";
import { type SqlQuery, sql, textSql } from "./sql-database.ts";

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
const summedBalanceSql = (accountNo: string, now: number): SqlQuery => ({
  sql: `(SELECT coalesce(CAST(sum(remaining) AS BIGINT), 0) FROM credit_grant
    WHERE account_no = ${accountNo} AND spent = 0 AND ${EXPIRY_SQL} > ?)`,
  values: [now],
});

/** The spendable grants of the account `a`: a range of the index in the order in which they are spent. */
const spendableSql = (now: number): SqlQuery => ({
  sql: `FROM credit_grant WHERE account_no = a.no AND spent = 0 AND ${EXPIRY_SQL} > ?`,
  values: [now],
});

/** A column of the first spendable grant of the account `a`. */
export const frontSql = (column: string, now: number): SqlQuery =>
  sql`(SELECT ${textSql(column)} ${spendableSql(now)} ${textSql(`ORDER BY ${EXPIRY_SQL}, granted_at, no LIMIT 1`)})`;

/**
 * The balance of the account `a`. As in `rules/balance.ts`, its row determines the balance while its front grant is the first
 * spendable one. Otherwise all spendable grants are summed.
 */
export const balanceSql = (now: number): SqlQuery => sql`CASE
  WHEN a.rest >= 0 AND coalesce(a.front_grant, '') = coalesce(${frontSql("id", now)}, '')
    THEN a.rest + coalesce(${frontSql("remaining", now)}, 0)
  ELSE ${summedBalanceSql("a.no", now)} END`;

/**
 * What the spendable grants of the account `a` hold that expire at this time (SQL), which is later than `now`, or never. Nothing is
 * summed if these are all spendable grants. `expiry` must be EXPIRY_SQL of a grant or a number: SQLite does not use the index for the
 * value of the column itself, which has a type of its own.
 */
export const expiringSql = (expiry: SqlQuery, now: number): SqlQuery => {
  const lastInOrder = `ORDER BY ${EXPIRY_SQL} DESC, granted_at DESC, no DESC LIMIT 1`;
  const last = sql`(SELECT ${textSql(EXPIRY_SQL)} ${spendableSql(now)} ${textSql(lastInOrder)})`;
  const first = frontSql(EXPIRY_SQL, now);
  return sql`CASE WHEN ${first} = ${expiry} AND ${last} = ${expiry} THEN ${balanceSql(now)}
    ELSE (SELECT coalesce(CAST(sum(remaining) AS BIGINT), 0) FROM credit_grant
      WHERE account_no = a.no AND spent = 0 AND ${textSql(EXPIRY_SQL)} = ${expiry}) END`;
};

/** The expiry of a grant that never expires, as in the index. */
export const NEVER = 9007199254740991;

/** What the running calls of the account `a` hold: a few rows. */
export const HELD_SQL = sql`(SELECT coalesce(CAST(sum(credits) AS BIGINT), 0) FROM hold WHERE account_no = a.no)`;

/** The number of an account. */
export const accountNoSql = (account: string): SqlQuery =>
  sql`(SELECT no FROM account WHERE id = ${account})`;
