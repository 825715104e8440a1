import {
  hourOf,
  type KeyCalls,
  type LedgerOperations,
  type MaintainOrder,
  type MaintainOutcome,
  type UsageRow,
} from "#ledger/port.ts";
import { HOUR_MS, IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import type { SqlDriver, SqlRow } from "./driver.ts";

/** Usage by hour, and the upkeep that folds old debits into it. */
export function createSqliteUsage(driver: SqlDriver) {
  return {
    usage: createUsage(driver),
    recentCalls: createRecentCalls(driver),
    maintain: createMaintain(driver),
  };
}

function createUsage(driver: SqlDriver) {
  const select = (where: string) =>
    driver.prepare(
      `SELECT a.id AS account, k.id AS key, u.tool, u.hour, sum(u.calls) AS calls, sum(u.credits) AS credits
       FROM (
         SELECT account_no, key_no, tool, hour, calls, credits FROM usage_hour
         WHERE hour >= ?1 AND hour < ?2 ${where}
         UNION ALL
         SELECT account_no, key_no, tool, at - at % ${HOUR_MS}, 1, credits FROM debit
         WHERE at >= ?1 AND at < ?2 AND reversed_at IS NULL ${where}
       ) u JOIN account a ON a.no = u.account_no JOIN api_key k ON k.no = u.key_no
       GROUP BY u.account_no, u.hour, u.key_no, u.tool ORDER BY u.hour, a.id, k.id, u.tool`,
    );
  const ofAll = select("");
  const ofOne = select("AND account_no = (SELECT no FROM account WHERE id = ?3)");
  return (order: LedgerOperations["usage"][0]): UsageRow[] => {
    // An hour counts where its start lies within the bounds, whether its calls were folded or not.
    const from = hourOf(order.from + HOUR_MS - 1);
    const to = hourOf(order.to + HOUR_MS - 1);
    const rows = order.account === null ? ofAll.all(from, to) : ofOne.all(from, to, order.account);
    return rows as unknown as UsageRow[];
  };
}

function createRecentCalls(driver: SqlDriver) {
  const count = driver.prepare(
    `SELECT (SELECT id FROM api_key WHERE no = key_no) AS "key", count(*) AS calls, sum(credits) AS credits
     FROM debit WHERE account_no = (SELECT no FROM account WHERE id = ?) AND at >= ? AND reversed_at IS NULL
     GROUP BY key_no`,
  );
  return (order: LedgerOperations["recentCalls"][0]): KeyCalls[] =>
    count.all(order.account, order.from) as unknown as KeyCalls[];
}

type Sum = { hour: number; keyNo: number; tool: string; calls: number; credits: number };

function createMaintain(driver: SqlDriver) {
  const forgetAnswers = driver.prepare(
    `DELETE FROM idempotency WHERE (account_no, tool, key) IN
       (SELECT account_no, tool, key FROM idempotency WHERE at <= ? ORDER BY at LIMIT ?)`,
  );
  const nextAccount = driver.prepare(
    "SELECT account_no FROM debit WHERE account_no > ? ORDER BY account_no LIMIT 1",
  );
  const oldDebits = driver.prepare(
    `SELECT at, call_id, key_no, tool, credits, reversed_at FROM debit
     WHERE account_no = ? AND at < ? ORDER BY at, call_id LIMIT ?`,
  );
  const deleteDebits = driver.prepare(
    "DELETE FROM debit WHERE account_no = ? AND (at, call_id) <= (?, ?)",
  );
  const addUsage = driver.prepare(
    `INSERT INTO usage_hour (account_no, hour, key_no, tool, calls, credits) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`,
  );
  const markFolded = driver.prepare(
    "UPDATE reversal SET debit_kept = 0 WHERE account_no = ? AND debit_at = ? AND call_id = ?",
  );

  function foldAccount(accountNo: number, before: number, rowsMax: number): number {
    const rows = oldDebits.all(accountNo, before, rowsMax);
    const last = rows.at(-1);
    if (last === undefined) return 0;
    for (const sum of sumByHour(rows.filter((row) => row["reversed_at"] === null))) {
      addUsage.run(accountNo, sum.hour, sum.keyNo, sum.tool, sum.calls, sum.credits);
    }
    for (const row of rows) {
      if (row["reversed_at"] !== null) {
        markFolded.run(accountNo, row["at"] as number, row["call_id"] as string);
      }
    }
    deleteDebits.run(accountNo, last["at"] as number, last["call_id"] as string);
    return rows.length;
  }

  return (order: MaintainOrder): MaintainOutcome => {
    const forgotten = forgetAnswers.run(order.now - IDEMPOTENCY_KEPT_MS, order.rowsMax);
    let folded = 0;
    let after = order.after ?? 0;
    // An account that has nothing to fold costs a look as well, so it counts as a row.
    for (let budget = order.rowsMax - forgotten; budget > 0; ) {
      const accountNo = nextAccount.get(after)?.["account_no"] as number | undefined;
      if (accountNo === undefined) return { folded, forgotten, after: null };
      const rows = foldAccount(accountNo, order.foldBefore, budget);
      folded += rows;
      if (rows < budget) after = accountNo;
      budget -= rows + 1;
    }
    return { folded, forgotten, after };
  };
}

function sumByHour(rows: SqlRow[]): Iterable<Sum> {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const hour = hourOf(row["at"] as number);
    const keyNo = row["key_no"] as number;
    const tool = row["tool"] as string;
    const name = `${hour} ${keyNo} ${tool}`;
    const sum = sums.get(name) ?? { hour, keyNo, tool, calls: 0, credits: 0 };
    sum.calls += 1;
    sum.credits += row["credits"] as number;
    sums.set(name, sum);
  }
  return sums.values();
}
