import { type AccountSums, reconcile } from "#ledger/reconcile.ts";
import { accountNoSql, EXPIRY_SQL } from "./grant-sql.ts";
import type { LedgerRead } from "./ledger-read.ts";
import { type SqlQuery, sql } from "./sql-database.ts";

/** A column of the first spendable grant of the account `a`. */
const frontSql = (column: string, now: number): SqlQuery => ({
  sql: `(SELECT ${column} FROM credit_grant
    WHERE account_no = a.no AND spent = 0 AND ${EXPIRY_SQL} > ? ORDER BY ${EXPIRY_SQL}, granted_at, no LIMIT 1)`,
  values: [now],
});

/** The sums of all accounts or of one, the balance that their rows store, and the number of rows that belong to no account. */
export const audit: LedgerRead<"audit"> = {
  isReport: ({ account }) => account === undefined,
  queries: ({ account, now }) => {
    const isIncluded =
      account === undefined ? sql`1 = 1` : sql`account_no = ${accountNoSql(account)}`;
    const sums = sql`WITH grants AS (
        SELECT account_no, sum(amount) AS granted, sum(voided) AS voided,
          sum(CASE WHEN expires_at <= ${now} THEN 0 ELSE remaining END) AS remaining,
          sum(CASE WHEN expires_at <= ${now} THEN remaining ELSE 0 END) AS expired
        FROM credit_grant WHERE ${isIncluded} GROUP BY account_no
      ), spending AS (
        SELECT account_no, sum(credits) AS debited, sum(free) AS free_calls FROM (
          SELECT account_no, credits, CASE WHEN is_free = 1 AND reversed_at IS NULL THEN 1 ELSE 0 END AS free FROM debit WHERE ${isIncluded}
          UNION ALL SELECT account_no, credits, free_calls FROM usage_hour WHERE ${isIncluded}
          UNION ALL SELECT account_no, credits, 0 FROM reversal WHERE debit_kept = 0 AND ${isIncluded}
        ) calls GROUP BY account_no
      ), reversals AS (
        SELECT account_no, sum(credits) AS reversed FROM reversal WHERE ${isIncluded} GROUP BY account_no
      )
      SELECT a.id, a.free_call AS "freeCall", CAST(coalesce(granted, 0) AS BIGINT) AS granted,
        CAST(coalesce(voided, 0) AS BIGINT) AS voided, CAST(coalesce(remaining, 0) AS BIGINT) AS remaining,
        CAST(coalesce(expired, 0) AS BIGINT) AS expired, CAST(coalesce(debited, 0) AS BIGINT) AS debited,
        CAST(coalesce(free_calls, 0) AS BIGINT) AS "freeCalls", CAST(coalesce(reversed, 0) AS BIGINT) AS reversed,
        CASE WHEN a.rest >= 0 AND coalesce(a.front_grant, '') = coalesce(${frontSql("id", now)}, '')
          THEN a.rest + coalesce(${frontSql("remaining", now)}, 0) END AS "storedBalance",
        a.lifetime_grants AS "storedLifetimeGrants", (SELECT count(*) FROM credit_grant
          WHERE account_no = a.no AND kind = 'lifetime' AND clawback < amount) AS "lifetimeGrants"
      FROM account a LEFT JOIN grants g ON g.account_no = a.no LEFT JOIN spending s ON s.account_no = a.no
        LEFT JOIN reversals r ON r.account_no = a.no
      WHERE ${account === undefined ? sql`1 = 1` : sql`a.id = ${account}`} ORDER BY a.no`;
    return account === undefined ? [sums, ORPHANS] : [sums];
  },
  outcome: ([sums = [], orphans = []]) =>
    reconcile(sums as unknown as AccountSums[], Number(orphans[0]?.["orphans"] ?? 0)),
};

const ORPHANS = sql`SELECT
  (SELECT count(*) FROM debit d WHERE NOT EXISTS (SELECT 1 FROM account WHERE no = d.account_no)) +
  (SELECT count(*) FROM usage_hour u WHERE NOT EXISTS (SELECT 1 FROM account WHERE no = u.account_no)) AS orphans`;
