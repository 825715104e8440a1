import { balanceSql, eventDueSql } from "./grant-sql.ts";
import { type SqlQuery, sql } from "./sql-database.ts";

/**
 * What no record says, once all are in (`account`: all of this one): how many grants of the lifetime plan are in force, when an event about a grant's
 * expiry is due, which depends on the time, and, where older lines lack it, the level that an owner was last notified of: the
 * one that the balance is at, so that the import itself notifies nobody.
 */
export function completeImport(now: number, account?: string): SqlQuery[] {
  const isAsked = account === undefined ? sql`1 = 1` : sql`id = ${account}`;
  const due: SqlQuery = { sql: eventDueSql("expires_at", "?"), values: [] };
  const times = (due.sql.match(/\?/g) ?? []).map(() => now);
  return [
    sql`UPDATE credit_grant SET event_due_at = ${{ ...due, values: times }}
      WHERE expires_at > ${now} AND account_no IN (
        SELECT no FROM account WHERE state <> 'closed' AND ${isAsked})`,
    sql`UPDATE account SET lifetime_grants = (SELECT count(*) FROM credit_grant
      WHERE account_no = account.no AND kind = 'lifetime' AND clawback < amount)
      WHERE ${isAsked}`,
    sql`UPDATE account SET notified_level = CASE
        WHEN state = 'closed' OR ${balanceSql("account.no", now)} < 1 THEN 'gone'
        WHEN ${balanceSql("account.no", now)} < low_balance THEN 'low' ELSE 'enough' END
      WHERE notified_level IS NULL AND ${isAsked}`,
  ];
}

/** Whether a ledger holds nothing that an import could contradict: `filled` is 0. */
export const filledSql: SqlQuery = sql`SELECT CASE
  WHEN EXISTS (SELECT 1 FROM account) OR EXISTS (SELECT 1 FROM address)
    OR EXISTS (SELECT 1 FROM closed_address) OR EXISTS (SELECT 1 FROM purchase)
  THEN 1 ELSE 0 END AS filled`;
