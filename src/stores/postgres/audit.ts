import type { Audit, LedgerOperations } from "#ledger/port.ts";
import { type AccountSums, reconcile } from "#ledger/reconcile.ts";
import type { PostgresPool } from "./pool.ts";

/** The sums of every account, in one snapshot. */
export function createPostgresAudit({ transaction }: PostgresPool) {
  return {
    audit: ({ now }: LedgerOperations["audit"][0]): Promise<Audit> =>
      transaction("report", async (query) => {
        const sums = await query<AccountSums>(PER_ACCOUNT, [now]);
        const [orphans] = await query<{ count: number }>(ORPHANS);
        return reconcile(sums, orphans?.count ?? 0);
      }),
  };
}

const ORPHANS = `SELECT
  (SELECT count(*) FROM debit d WHERE NOT EXISTS (SELECT 1 FROM account WHERE no = d.account_no)) +
  (SELECT count(*) FROM usage_hour u WHERE NOT EXISTS (SELECT 1 FROM account WHERE no = u.account_no)) AS count`;

const PER_ACCOUNT = `
WITH grants AS (
  SELECT account_no, sum(amount) AS granted, sum(voided) AS voided,
    sum(remaining) FILTER (WHERE expires_at IS NULL OR expires_at > $1) AS remaining,
    sum(remaining) FILTER (WHERE expires_at <= $1) AS expired
  FROM credit_grant GROUP BY account_no
), spending AS (
  SELECT account_no, sum(credits) AS debited, sum(free) AS free_calls FROM (
    SELECT account_no, credits, CASE WHEN credits = 0 AND reversed_at IS NULL THEN 1 ELSE 0 END AS free FROM debit
    UNION ALL SELECT account_no, credits, calls - credits FROM usage_hour
    UNION ALL SELECT account_no, credits, 0 FROM reversal WHERE NOT debit_kept
  ) calls GROUP BY account_no
), reversals AS (
  SELECT account_no, sum(credits) AS reversed FROM reversal GROUP BY account_no
)
SELECT a.id, a.free_call AS "freeCall", coalesce(granted, 0)::bigint AS granted, coalesce(voided, 0)::bigint AS voided,
  coalesce(remaining, 0)::bigint AS remaining, coalesce(expired, 0)::bigint AS expired,
  coalesce(debited, 0)::bigint AS debited, coalesce(free_calls, 0)::bigint AS "freeCalls",
  coalesce(reversed, 0)::bigint AS reversed
FROM account a LEFT JOIN grants g ON g.account_no = a.no LEFT JOIN spending s ON s.account_no = a.no
  LEFT JOIN reversals r ON r.account_no = a.no
ORDER BY a.no`;
