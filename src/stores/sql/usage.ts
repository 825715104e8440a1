import { hourOf, type KeyCalls, type UsageRow } from "#ledger/port.ts";
import { HOUR_MS } from "#limits.ts";
import { accountNoSql } from "./grant-sql.ts";
import type { LedgerRead } from "./ledger-read.ts";
import { type SqlQuery, sql } from "./sql-database.ts";

/** What keys were used for: sums over the hours that are rolled up and the debits that are kept one by one. */

/** Hours are summed in `usage_hour`, so their length is text of the query: it never changes. */
const hourSql: SqlQuery = { sql: `at - at % ${HOUR_MS}`, values: [] };

export const usage: LedgerRead<"usage"> = {
  isReport: ({ account }) => account === null,
  queries({ account, ...order }) {
    // An hour counts where its start lies within the bounds, whether its calls were rolled up or not.
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
