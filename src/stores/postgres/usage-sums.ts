import { SUM_STEP_DEBITS, SUM_STEP_DEBITS_MAX } from "#limits.ts";
import type { SumUsage } from "../ledger/store-ledger.ts";
import { addKeptSql, HOUR_SQL } from "../sql/usage.ts";
import type { PostgresPool, PostgresQuery } from "./pool.ts";

/** The sums of kept debits (stores/sql/usage.ts) in PostgreSQL. */

/** Locks the account, so that no debit, reversal or roll-up changes what is summed. */
const LOCK = 'SELECT no, summed_until AS "from" FROM account WHERE id = $1 FOR NO KEY UPDATE';

const nth = "SELECT at FROM debit WHERE account_no = $1 AND at >= $2 ORDER BY at LIMIT 1 OFFSET $3";

/** Must be a statement after the lock: the same statement would read the debits as they were before it waited for the lock. */
const SUM = `WITH marked AS (UPDATE account SET summed_until = $3 WHERE no = $1)
  ${addKeptSql(`SELECT account_no, ${HOUR_SQL}, key_no, tool, count(*), sum(credits) FROM debit
    WHERE account_no = $1 AND at >= $2 AND at < $3 AND reversed_at IS NULL GROUP BY 1, 2, 3, 4`)}`;

/** Sums the oldest SUM_STEP_DEBITS debits of an account that are not summed yet. Fewer are left for later: most accounts never have any sums. */
export const createPostgresSumUsage =
  ({ transaction }: Pick<PostgresPool, "transaction">): SumUsage =>
  ({ account, max = SUM_STEP_DEBITS }) =>
    transaction("write", async (query) => {
      const [owner] = await query<{ no: number; from: number }>(LOCK, [account]);
      if (owner === undefined) return { more: false };
      const { no, from } = owner;
      const [next] = await query<{ at: number }>(nth, [
        no,
        from,
        Math.min(max, SUM_STEP_DEBITS_MAX),
      ]);
      if (next === undefined) return { more: false };
      const [first] = await query<{ at: number }>(nth, [no, from, 0]);
      // A millisecond is summed whole, because the mark is a time.
      await query(SUM, [no, from, Math.max(next.at, (first?.at ?? 0) + 1)]);
      return { more: true };
    });

const ACCOUNTS_A_PAGE = 200;

/** Only accounts with more debits than this are worth a step of the upkeep. */
const BEHIND = `SELECT a.no, a.id, EXISTS (
    SELECT 1 FROM debit WHERE account_no = a.no AND at >= a.summed_until OFFSET ${SUM_STEP_DEBITS}
  ) AS "isBehind" FROM (SELECT no, id, summed_until FROM account WHERE no > $1 ORDER BY no LIMIT ${ACCOUNTS_A_PAGE}) a ORDER BY a.no`;

/**
 * Finds the accounts after this number that have debits to sum, among the next ACCOUNTS_A_PAGE. `last`: the number of the last
 * account that was looked at; null if there are no more accounts.
 */
export async function accountsBehind(
  query: PostgresQuery,
  after: number,
): Promise<{ behind: string[]; last: number | null }> {
  const rows = await query<{ no: number; id: string; isBehind: boolean }>(BEHIND, [after]);
  return {
    behind: rows.filter(({ isBehind }) => isBehind).map(({ id }) => id),
    last: rows.length < ACCOUNTS_A_PAGE ? null : (rows.at(-1)?.no ?? null),
  };
}
