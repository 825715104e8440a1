import { type AccountSums, reconcile } from "#ledger/reconcile.ts";
import { accountNoSql, frontSql } from "./grant-sql.ts";
import type { LedgerRead } from "./ledger-read.ts";
import { type SqlDialect, sql, textSql } from "./sql-database.ts";

/** The tables of debits, each with its account, so that the database reads a large one in the order of the accounts and sorts nothing. */
const DEBITS: Record<SqlDialect, readonly string[]> = {
  sqlite: ["account a CROSS JOIN debit_by_account d", "debit_journal d CROSS JOIN account a"],
  postgres: ["debit d CROSS JOIN account a"],
};

/** The sums of all accounts or of one, what their rows and sums say, and the number of rows that belong to no account. */
export const createAudit = (dialect: SqlDialect): LedgerRead<"audit"> => ({
  isReport: ({ account }) => account === undefined,
  queries: ({ account, now }) => {
    const isIncluded =
      account === undefined ? sql`1 = 1` : sql`account_no = ${accountNoSql(account)}`;
    const debits = DEBITS[dialect]
      .map(
        (tables) => sql`SELECT account_no, sum(credits) AS credits,
          sum(CASE WHEN is_free = 1 AND reversed_at IS NULL THEN 1 ELSE 0 END) AS free,
          sum(CASE WHEN reversed_at IS NULL AND at < a.summed_until THEN 1 ELSE 0 END) AS calls_before,
          sum(CASE WHEN reversed_at IS NULL AND at < a.summed_until THEN credits ELSE 0 END) AS credits_before
        FROM ${textSql(tables)} WHERE a.no = d.account_no AND ${isIncluded} GROUP BY account_no`,
      )
      .reduce((all, each) => sql`${all} UNION ALL ${each}`);
    const sums = sql`WITH grants AS (
        SELECT account_no, sum(amount) AS granted, sum(voided) AS voided,
          sum(CASE WHEN expires_at <= ${now} THEN 0 ELSE remaining END) AS remaining,
          sum(CASE WHEN expires_at <= ${now} THEN remaining ELSE 0 END) AS expired
        FROM credit_grant WHERE ${isIncluded} GROUP BY account_no
      ), spending AS (
        SELECT account_no, sum(credits) AS debited, sum(free) AS free_calls,
          sum(calls_before) AS calls_before, sum(credits_before) AS credits_before FROM (
          ${debits}
          UNION ALL SELECT account_no, sum(credits), sum(free_calls), 0, 0 FROM usage_hour WHERE ${isIncluded} GROUP BY account_no
          UNION ALL SELECT account_no, sum(credits), 0, 0, 0 FROM reversal WHERE debit_kept = 0 AND ${isIncluded} GROUP BY account_no
        ) calls GROUP BY account_no
      ), summed AS (
        SELECT account_no, sum(calls) AS calls, sum(credits) AS credits FROM usage_kept WHERE ${isIncluded} GROUP BY account_no
      ), holding AS (
        SELECT account_no, sum(credits) AS held, sum(is_free) AS free_holds FROM hold WHERE ${isIncluded} GROUP BY account_no
      ), reversals AS (
        SELECT account_no, sum(credits) AS reversed FROM reversal WHERE ${isIncluded} GROUP BY account_no
      )
      SELECT a.id, a.free_call AS "freeCall", CAST(coalesce(granted, 0) AS BIGINT) AS granted,
        CAST(coalesce(voided, 0) AS BIGINT) AS voided, CAST(coalesce(remaining, 0) AS BIGINT) AS remaining,
        CAST(coalesce(expired, 0) AS BIGINT) AS expired, CAST(coalesce(debited, 0) AS BIGINT) AS debited,
        CAST(coalesce(free_calls, 0) + coalesce(free_holds, 0) AS BIGINT) AS "freeCalls",
        CAST(coalesce(held, 0) AS BIGINT) AS held, CAST(coalesce(reversed, 0) AS BIGINT) AS reversed,
        CASE WHEN a.rest >= 0 AND coalesce(a.front_grant, '') = coalesce(${frontSql("id", now)}, '')
          THEN a.rest + coalesce(${frontSql("remaining", now)}, 0) END AS "storedBalance",
        a.lifetime_grants AS "storedLifetimeGrants", (SELECT count(*) FROM credit_grant
          WHERE account_no = a.no AND kind = 'lifetime' AND clawback < amount) AS "lifetimeGrants",
        CAST(coalesce(calls_before, 0) AS BIGINT) AS "keptCalls", CAST(coalesce(credits_before, 0) AS BIGINT) AS "keptCredits",
        CAST(coalesce(m.calls, 0) AS BIGINT) AS "summedCalls", CAST(coalesce(m.credits, 0) AS BIGINT) AS "summedCredits"
      FROM account a LEFT JOIN grants g ON g.account_no = a.no LEFT JOIN spending s ON s.account_no = a.no
        LEFT JOIN holding h ON h.account_no = a.no LEFT JOIN summed m ON m.account_no = a.no LEFT JOIN reversals r ON r.account_no = a.no
      WHERE ${account === undefined ? sql`1 = 1` : sql`a.id = ${account}`} ORDER BY a.no`;
    return account === undefined ? [sums, ORPHANS] : [sums];
  },
  outcome: ([sums = [], orphans = []]) =>
    reconcile(sums as unknown as AccountSums[], Number(orphans[0]?.["orphans"] ?? 0)),
});

const ORPHANS = sql`SELECT
  (SELECT count(*) FROM hold h WHERE NOT EXISTS (SELECT 1 FROM account WHERE no = h.account_no)) +
  (SELECT count(*) FROM debit d WHERE NOT EXISTS (SELECT 1 FROM account WHERE no = d.account_no)) +
  (SELECT count(*) FROM usage_hour u WHERE NOT EXISTS (SELECT 1 FROM account WHERE no = u.account_no)) +
  (SELECT count(*) FROM usage_kept u WHERE NOT EXISTS (SELECT 1 FROM account WHERE no = u.account_no)) AS orphans`;
