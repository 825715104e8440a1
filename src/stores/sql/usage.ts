import { hourOf, type KeyCalls, type UsageRow } from "#ledger/port.ts";
import { HOUR_MS } from "#limits.ts";
import { accountNoSql } from "./grant-sql.ts";
import type { LedgerRead } from "./ledger-read.ts";
import { type SqlQuery, sql } from "./sql-database.ts";

/** Usage: sums of the rolled-up hours and of the debits that are not rolled up. */

/** The start of the hour of a debit. The length of an hour is part of the query's text, because `usage_hour` is stored by it. */
const hourSql: SqlQuery = { sql: `at - at % ${HOUR_MS}`, values: [] };

/** Adds sums to the usage of their hours. `sums`: a query or VALUES with account_no, hour, key_no, tool, calls, free_calls and credits. */
export const addUsageSql = (sums: string): string =>
  `INSERT INTO usage_hour AS u (account_no, hour, key_no, tool, calls, free_calls, credits)
   ${sums}
   ON CONFLICT (account_no, hour, key_no, tool)
   DO UPDATE SET calls = u.calls + excluded.calls,
     free_calls = u.free_calls + excluded.free_calls, credits = u.credits + excluded.credits`;

/** Adds debits to the usage of their hours. `debits`: a table expression with the columns of `debit`. Reversed debits do not count. */
export const rollUpSql = (debits: string): string =>
  addUsageSql(`SELECT account_no, ${hourSql.sql}, key_no, tool, count(*), sum(is_free), sum(credits)
   FROM ${debits} WHERE reversed_at IS NULL GROUP BY 1, 2, 3, 4`);

export const usage: LedgerRead<"usage"> = {
  isReport: ({ account }) => account === null,
  queries({ account, ...order }) {
    // An hour counts if its start lies within the bounds, whether or not its calls are rolled up.
    const [from, to] = [hourOf(order.from + HOUR_MS - 1), hourOf(order.to + HOUR_MS - 1)];
    const ofAccount = account === null ? sql`` : sql`AND account_no = ${accountNoSql(account)}`;
    return [
      sql`SELECT a.id AS account, k.id AS "key", u.tool, u.hour,
          CAST(sum(u.calls) AS BIGINT) AS calls, CAST(sum(u.credits) AS BIGINT) AS credits
        FROM (
          SELECT account_no, key_no, tool, hour, calls, credits FROM usage_hour
          WHERE hour >= ${from} AND hour < ${to} ${ofAccount}
          UNION ALL
          SELECT account_no, key_no, tool, ${hourSql}, 1, credits FROM debit
          WHERE at >= ${from} AND at < ${to} AND reversed_at IS NULL ${ofAccount}
        ) u JOIN account a ON a.no = u.account_no JOIN api_key k ON k.no = u.key_no
        GROUP BY a.id, u.hour, k.id, u.tool ORDER BY u.hour, a.id, k.id, u.tool`,
    ];
  },
  outcome: ([rows = []]) => rows as unknown as UsageRow[],
};

export const recentCalls: LedgerRead<"recentCalls"> = {
  queries: ({ account, from }) => [
    sql`SELECT (SELECT id FROM api_key WHERE no = key_no) AS "key", count(*) AS calls,
        CAST(sum(credits) AS BIGINT) AS credits
      FROM debit WHERE account_no = ${accountNoSql(account)} AND at >= ${from} AND reversed_at IS NULL
      GROUP BY key_no`,
  ],
  outcome: ([rows = []]) => rows as unknown as KeyCalls[],
};
