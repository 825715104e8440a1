import { HOUR_MS } from "#limits.ts";
import { addUsageSql, HOUR_SQL } from "../sql/usage.ts";
import type { SqlDriver, SqlRow } from "./driver.ts";

/**
 * The debits of a Durable Object, in two tables by time: those of the present period in `debit_by_account`, and those of the period
 * before it in `debit_journal`. The platform bills each row that is deleted, but not the rows of a table that is dropped. So a
 * period is rolled up as a whole once its latest debit is old, and its oldest debits are kept for up to twice as long.
 *
 * A period starts at a full hour, so that all debits of an hour are in one table. Call the functions that change something inside a
 * transaction that writes.
 */
export type DebitPeriods = {
  /** Debits before this time belong to the earlier period. */
  start(): number;
  /** The time of the debit that must become old before anything can be done; null if there are no debits. */
  decisiveAt(): number | null;
  /** Whether a new period can start: the oldest debit was made before this time, and there is no earlier period. */
  isOver(before: number): boolean;
  /** Makes the present period, with what is left of the earlier one, the earlier one. The new one starts at the next hour. */
  startNew(now: number): void;
  /** Whether there is an earlier period, all of it before this time. */
  isEarlierBefore(before: number): boolean;
  /** Rolls the earlier period up, after all but a few of its debits were summed (usage-sums.ts). Returns the number of calls. */
  rollUpEarlier(): number;
  /** Moves single debits of the earlier period to `debit_by_account`, where they can be rolled up one by one. */
  release(before: number): void;
  /** Call after the transaction was rolled back, or after the tables were replaced. */
  forget(): void;
};

export function createDebitPeriods(driver: SqlDriver): DebitPeriods {
  const readStart = driver.prepare("SELECT value FROM setting WHERE name = 'debit_period_start'");
  const writeStart = driver.prepare(
    "INSERT INTO setting (name, value) VALUES ('debit_period_start', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const textOf = driver.prepare("SELECT sql FROM sqlite_master WHERE name = ?");
  // Each account's debits are found by the primary key, so these read one row.
  const oldest = driver.prepare(
    "SELECT min((SELECT at FROM debit_by_account WHERE account_no = no ORDER BY at LIMIT 1)) AS at FROM account",
  );
  const latestEarlier = driver.prepare(
    "SELECT max((SELECT at FROM debit_journal WHERE account_no = no ORDER BY at DESC LIMIT 1)) AS at FROM account",
  );
  const later = prepareMove(driver, "debit_journal", "debit_by_account", "at >= ?");
  const earlier = prepareMove(driver, "debit_journal", "debit_by_account", "at < ?");
  const late = prepareMove(driver, "debit_by_account", "debit_journal", "at < ?");
  const rolledUp = prepareRollUp(driver);
  /** Undefined until it is read, once per start of the object. */
  let periodStart: number | undefined;

  const text = (name: string) => String(textOf.get(name)?.["sql"]);
  const timeOf = (row: SqlRow | undefined) => (row?.["at"] ?? null) as number | null;
  const oldestAt = () => timeOf(oldest.get());
  const earlierUntil = () => timeOf(latestEarlier.get());

  function start(): number {
    periodStart ??= Number(readStart.get()?.["value"] ?? 0);
    return periodStart;
  }

  return {
    start,
    decisiveAt: () => earlierUntil() ?? oldestAt(),
    isOver(before) {
      const at = oldestAt();
      return at !== null && at < before && earlierUntil() === null;
    },
    startNew(now) {
      earlier(Number.MAX_SAFE_INTEGER);
      const [table, view] = [text("debit_by_account"), text("debit")];
      driver.exec("DROP VIEW debit");
      driver.exec("DROP TABLE debit_journal");
      driver.exec("ALTER TABLE debit_by_account RENAME TO debit_journal");
      driver.exec(table);
      driver.exec(view);
      const next = now - (now % HOUR_MS) + HOUR_MS;
      // A clock may have been ahead.
      later(next);
      writeStart.run(String(next));
      periodStart = next;
    },
    isEarlierBefore(before) {
      const until = earlierUntil();
      return until !== null && until < before;
    },
    rollUpEarlier() {
      // What was released and is still there.
      late(start());
      const calls = rolledUp(start(), (earlierUntil() ?? 0) + 1);
      const table = text("debit_journal");
      driver.exec("DROP TABLE debit_journal");
      driver.exec(table);
      return calls;
    },
    release: earlier,
    forget() {
      periodStart = undefined;
    },
  };
}

/** Returns a function that moves debits of all accounts to another table. */
function prepareMove(driver: SqlDriver, from: string, to: string, condition: string) {
  const which = `FROM ${from} WHERE account_no IN (SELECT no FROM account) AND ${condition}`;
  const insert = driver.prepare(`INSERT INTO ${to} SELECT * ${which}`);
  const remove = driver.prepare(`DELETE ${which}`);
  return (at: number): void => {
    if (insert.run(at) > 0) remove.run(at);
  };
}

/**
 * Returns a function that adds all debits of the earlier period to the usage of their hours. `end`: of the period. `until`: after its
 * latest debit. It reads the debits once, for the free calls, which the sums lack; a million take about 0.1 s.
 */
function prepareRollUp(driver: SqlDriver) {
  const add = (columns: string, condition: string) =>
    driver.prepare(
      addUsageSql(`SELECT account_no, ${HOUR_SQL}, key_no, tool, ${columns}
        FROM account a CROSS JOIN debit_journal d ON account_no = a.no
        WHERE reversed_at IS NULL AND ${condition} GROUP BY 1, 2, 3, 4`),
    );
  const unsummed = add("count(*), sum(is_free), sum(credits)", "at >= summed_until");
  const freeCalls = add("0, count(*), 0", "at < summed_until AND is_free = 1");
  const summed = driver.prepare(
    addUsageSql(`SELECT account_no, hour, key_no, tool, calls, 0, credits FROM usage_kept
      WHERE hour < ? AND calls > 0`),
  );
  const count = driver.prepare(
    `SELECT (SELECT coalesce(sum(calls), 0) FROM usage_kept WHERE hour < ?) + (SELECT count(*)
       FROM account a CROSS JOIN debit_journal d ON account_no = a.no
       WHERE reversed_at IS NULL AND at >= summed_until) AS calls`,
  );
  const remove = driver.prepare("DELETE FROM usage_kept WHERE hour < ?");
  const setMark = driver.prepare("UPDATE account SET summed_until = ?1 WHERE summed_until < ?1");
  const markReversals = driver.prepare(
    `UPDATE reversal SET debit_kept = 0
     WHERE account_no IN (SELECT no FROM account) AND debit_at < ? AND debit_kept = 1`,
  );
  return (end: number, until: number): number => {
    const calls = Number(count.get(end)?.["calls"]);
    unsummed.run();
    freeCalls.run();
    summed.run(end);
    remove.run(end);
    setMark.run(until);
    markReversals.run(end);
    return calls;
  };
}
