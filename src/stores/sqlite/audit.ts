import type { Audit, LedgerOperations } from "#ledger/port.ts";
import { type AccountSums, reconcile } from "#ledger/reconcile.ts";
import type { SqlDriver } from "./driver.ts";

/** The sums of every account, as SQLite statements. */
export function createSqliteAudit(driver: SqlDriver) {
  const perAccount = driver.prepare(PER_ACCOUNT);
  const orphans = driver.prepare(
    `SELECT (SELECT count(*) FROM debit WHERE account_no NOT IN (SELECT no FROM account)) +
            (SELECT count(*) FROM usage_hour WHERE account_no NOT IN (SELECT no FROM account)) AS count`,
  );
  return {
    audit(order: LedgerOperations["audit"][0]): Audit {
      const sums = perAccount.all(order.now) as unknown as AccountSums[];
      return reconcile(sums, Number(orphans.get()?.["count"] ?? 0));
    },
  };
}

const PER_ACCOUNT = `
WITH grants AS (
  SELECT account_no, sum(amount) AS granted, sum(voided) AS voided,
    sum(iif(expires_at IS NULL OR expires_at > ?1, remaining, 0)) AS remaining,
    sum(iif(expires_at IS NULL OR expires_at > ?1, 0, remaining)) AS expired
  FROM credit_grant GROUP BY account_no
), spending AS (
  SELECT account_no, sum(credits) AS debited, sum(free) AS free_calls FROM (
    SELECT account_no, credits, credits = 0 AND reversed_at IS NULL AS free FROM debit
    UNION ALL SELECT account_no, credits, calls - credits FROM usage_hour
    UNION ALL SELECT account_no, credits, 0 FROM reversal WHERE debit_kept = 0
  ) GROUP BY account_no
), reversals AS (
  SELECT account_no, sum(credits) AS reversed FROM reversal GROUP BY account_no
)
SELECT a.id, a.free_call AS freeCall, coalesce(granted, 0) AS granted, coalesce(voided, 0) AS voided,
  coalesce(remaining, 0) AS remaining, coalesce(expired, 0) AS expired, coalesce(debited, 0) AS debited,
  coalesce(free_calls, 0) AS freeCalls, coalesce(reversed, 0) AS reversed
FROM account a LEFT JOIN grants g ON g.account_no = a.no LEFT JOIN spending s ON s.account_no = a.no
  LEFT JOIN reversals r ON r.account_no = a.no
ORDER BY a.no`;
