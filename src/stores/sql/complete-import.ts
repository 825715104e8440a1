import { eventDueSql } from "./grant-sql.ts";
import { type SqlQuery, sql } from "./sql-database.ts";

/**
 * Computes the columns that records do not contain, after all records were imported (`account`: only of this account):
 *
 * - when the next event about a grant's expiry is due, which depends on the time
 * - how many lifetime grants are in force
 *
 * The statements repeat the rules `nextEventAt` and `isInForce`, because an import would otherwise have to read back
 * every account and grant.
 */
export function completeImport(now: number, account?: string): SqlQuery[] {
  const isIncluded = account === undefined ? sql`1 = 1` : sql`id = ${account}`;
  const due: SqlQuery = { sql: eventDueSql("expires_at", "?"), values: [] };
  const times = (due.sql.match(/\?/g) ?? []).map(() => now);
  return [
    sql`UPDATE credit_grant SET event_due_at = ${{ ...due, values: times }}
      WHERE expires_at > ${now} AND account_no IN (
        SELECT no FROM account WHERE state <> 'closed' AND ${isIncluded})`,
    sql`UPDATE account SET lifetime_grants = (SELECT count(*) FROM credit_grant
      WHERE account_no = account.no AND kind = 'lifetime' AND clawback < amount)
      WHERE ${isIncluded}`,
  ];
}
