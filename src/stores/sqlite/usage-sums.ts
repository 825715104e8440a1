import { HOUR_MS, SUM_STEP_DEBITS, SUM_STEP_DEBITS_MAX } from "#limits.ts";
import type { UsageSum } from "../ledger/known-account.ts";
import { addKeptSql, HOUR_SQL } from "../sql/usage.ts";
import type { SqlDriver } from "./driver.ts";

/** The sums of kept debits (stores/sql/usage.ts) in SQLite. Call its functions inside a transaction that writes. */
export type UsageSums = {
  /** Adds to the sums of an account; subtracts where the sums are negative. */
  add(accountNo: number, sums: Iterable<UsageSum>): void;
  /**
   * Sums the oldest debits of the account, SUM_STEP_DEBITS by default, that are not summed yet. Returns the id of the account; null if it has
   * fewer, which are left for later: most accounts never have any sums.
   */
  step(accountNo: number, debits?: number): string | null;
  /** The debits of the account before this time are summed. */
  summedUntil(accountNo: number): number;
  /** Deletes what is left of hours whose debits were all rolled up. */
  deleteEmpty(accountNo: number, before: number): void;
};

export function createUsageSums(driver: SqlDriver): UsageSums {
  const add = driver.prepare(addKeptSql("VALUES (?, ?, ?, ?, ?, ?)"));
  const find = driver.prepare("SELECT id, summed_until FROM account WHERE no = ?");
  const nth = driver.prepare(
    `SELECT at FROM debit WHERE account_no = ?1 AND at >= ?2 ORDER BY at LIMIT 1 OFFSET ?3`,
  );
  const addAll = driver.prepare(
    addKeptSql(`SELECT account_no, ${HOUR_SQL}, key_no, tool, count(*), sum(credits) FROM debit
     WHERE account_no = ?1 AND at >= ?2 AND at < ?3 AND reversed_at IS NULL GROUP BY 1, 2, 3, 4`),
  );
  const setMark = driver.prepare("UPDATE account SET summed_until = ? WHERE no = ?");
  const deleteEmpty = driver.prepare(
    "DELETE FROM usage_kept WHERE account_no = ? AND hour < ? AND calls = 0",
  );
  const summedUntil = (accountNo: number) => (find.get(accountNo)?.["summed_until"] ?? 0) as number;
  return {
    add(accountNo, sums) {
      for (const { hour, keyNo, tool, calls, credits } of sums)
        add.run(accountNo, hour, keyNo, tool, calls, credits);
    },
    step(accountNo, debits = SUM_STEP_DEBITS) {
      const from = summedUntil(accountNo);
      const next = nth.get(accountNo, from, Math.min(debits, SUM_STEP_DEBITS_MAX))?.["at"];
      if (typeof next !== "number") return null;
      const first = nth.get(accountNo, from, 0)?.["at"] as number;
      // A millisecond is summed whole, because the mark is a time.
      const until = Math.max(next, first + 1);
      addAll.run(accountNo, from, until);
      setMark.run(until, accountNo);
      return find.get(accountNo)?.["id"] as string;
    },
    summedUntil,
    deleteEmpty(accountNo, before) {
      deleteEmpty.run(accountNo, before + HOUR_MS);
    },
  };
}
