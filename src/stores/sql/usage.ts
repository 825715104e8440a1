import { hourOf, type Order, UsageNotSummed, type UsageRow } from "#ledger/port.ts";
import { HOUR_MS, UNSUMMED_DEBITS_MAX, USAGE_ROWS_MAX } from "#limits.ts";
import { accountNoSql } from "./grant-sql.ts";
import type { LedgerRead } from "./ledger-read.ts";
import { limitSql, type SqlQuery, sql, textSql } from "./sql-database.ts";

/**
 * Usage is the total of three parts, each by account, hour, key and tool:
 *
 * - `usage_hour` has the sums of the debits that were rolled up, that is deleted.
 * - `usage_kept` has the sums of the kept debits before `account.summed_until`. A step (`SumUsage`) moves that time forward. A
 *   debit that arrives later with an earlier time changes the sums in its own transaction, as its reversal does, and a roll-up
 *   subtracts what it moves. All of them hold the account's lock, so the sums are exact.
 * - The kept debits since then are read one by one. So reading costs as much as there are hours, keys and tools, not calls.
 *
 * Debits that are reversed do not count.
 */

/** The start of the hour of a debit. The length of an hour is part of the query's text, because `usage_hour` is stored by it. */
export const HOUR_SQL = `at - at % ${HOUR_MS}`;

/** Adds sums to the usage of rolled-up hours. `sums`: a query or VALUES with account_no, hour, key_no, tool, calls, free_calls and credits. */
export const addUsageSql = (sums: string): string =>
  `INSERT INTO usage_hour AS u (account_no, hour, key_no, tool, calls, free_calls, credits)
   ${sums}
   ON CONFLICT (account_no, hour, key_no, tool)
   DO UPDATE SET calls = u.calls + excluded.calls,
     free_calls = u.free_calls + excluded.free_calls, credits = u.credits + excluded.credits`;

/** Adds to the sums of kept debits. `sums`: a query or VALUES with account_no, hour, key_no, tool, calls and credits. */
export const addKeptSql = (sums: string): string =>
  `INSERT INTO usage_kept AS u (account_no, hour, key_no, tool, calls, credits)
   ${sums}
   ON CONFLICT (account_no, hour, key_no, tool)
   DO UPDATE SET calls = u.calls + excluded.calls, credits = u.credits + excluded.credits`;

/** Adds debits to the usage of their hours. `debits`: a table expression with the columns of `debit`. */
export const rollUpSql = (debits: string): string =>
  addUsageSql(`SELECT account_no, ${HOUR_SQL}, key_no, tool, count(*), sum(is_free), sum(credits)
   FROM ${debits} WHERE reversed_at IS NULL GROUP BY 1, 2, 3, 4`);

const positionOf = ({ from, after }: Order<"usage">): SqlQuery => {
  // Keys are numbered from 1.
  const first = hourOf(from + HOUR_MS - 1);
  if (after == null) return sql`(${first}, 0, '')`;
  return sql`(${after.hour}, coalesce((SELECT no FROM api_key WHERE id = ${after.key}), 0), ${after.tool})`;
};

export const usage: LedgerRead<"usage"> = {
  queries(order) {
    const { account, from, after, max = USAGE_ROWS_MAX } = order;
    const rowsMax = Math.min(max, USAGE_ROWS_MAX);
    const accountNo = accountNoSql(account);
    // An hour counts if its start lies within the bounds, whether or not its calls are rolled up.
    const first = hourOf((after?.hour ?? from) + HOUR_MS - 1);
    const to = hourOf(Math.min(order.to, LATEST) + HOUR_MS - 1);
    const inBounds = sql`account_no = ${accountNo} AND (hour, key_no, tool) > ${positionOf(order)} AND hour < ${to}`;
    const byPosition = sql`ORDER BY hour, key_no, tool ${limitSql(rowsMax)}`;
    const unsummed = sql`SELECT at, key_no, tool, credits, reversed_at FROM debit
      WHERE account_no = ${accountNo} AND at >= (SELECT summed_until FROM account WHERE id = ${account})
        AND at >= ${first} AND at < ${to} ${limitSql(UNSUMMED_DEBITS_MAX + 1)}`;
    const part = (query: SqlQuery, name: string) =>
      sql`SELECT * FROM (${query} ${byPosition}) ${textSql(name)}`;
    const unsummedHours = sql`SELECT * FROM (SELECT ${textSql(HOUR_SQL)} AS hour, key_no, tool, count(*) AS calls,
        sum(credits) AS credits FROM (${unsummed}) d WHERE reversed_at IS NULL GROUP BY 1, 2, 3) hours
      WHERE (hour, key_no, tool) > ${positionOf(order)}`;
    return [
      sql`SELECT count(*) AS unsummed FROM (${unsummed}) d`,
      // Each part is read along its key and only as far as the page may reach.
      sql`SELECT (SELECT id FROM api_key WHERE no = key_no) AS "key", tool, hour,
          CAST(sum(calls) AS BIGINT) AS calls, CAST(sum(credits) AS BIGINT) AS credits
        FROM (
          ${part(sql`SELECT hour, key_no, tool, calls, credits FROM usage_hour WHERE ${inBounds}`, "rolled_up")}
          UNION ALL
          ${part(sql`SELECT hour, key_no, tool, calls, credits FROM usage_kept WHERE ${inBounds} AND calls > 0`, "kept")}
          UNION ALL
          ${part(unsummedHours, "unsummed")}
        ) u GROUP BY hour, key_no, tool ${byPosition}`,
    ];
  },
  outcome([counted = [], rows = []], { account }) {
    if (Number(counted[0]?.["unsummed"]) > UNSUMMED_DEBITS_MAX)
      throw new UsageNotSummed(NOT_SUMMED);
    return rows.map((row) => ({ account, ...row }) as unknown as UsageRow);
  },
};

/** The latest time of which the next hour is still a safe integer. */
const LATEST = Number.MAX_SAFE_INTEGER - 2 * HOUR_MS;
const NOT_SUMMED = "Many calls are not summed yet";
