import type { SqlDriver } from "./driver.ts";

/**
 * The journal of debits (stores/schema/sqlite-ledger.ts). A commit appends to its end, so it changes as many pages for a
 * thousand accounts as for one. From time to time its oldest rows are moved to debit_by_account in one transaction, sorted, so
 * that each page of an account is changed once for many debits.
 */
export type Journal = {
  /** How many rows it has. */
  count(): number;
  /** From how many rows on it is worth while to move them: the fewer accounts it has, the earlier, and the shorter the wait. */
  drainFrom(): number;
  /** Moves at most so many of its oldest rows, of those before `before`. Returns how many. */
  drain(rowsMax: number, before?: number): number;
  /** The time of the latest debit in it. */
  latest(): number;
  /** A debit of this time or an earlier one may have been moved already. */
  drainedUntil(): number;
};

/**
 * With so many rows the journal is moved in any case: reading an account's debits goes through all of them, which takes about
 * 1 ms, and the calls behind a move of 10,000 rows wait for 10 ms with one account, for 40 ms with 1,000.
 */
export const JOURNAL_ROWS_MAX = 10_000;
/** With fewer a move costs more than it is worth. The calls behind so many rows wait for 2 to 3 ms. */
export const JOURNAL_ROWS_MIN = 2_000;
/** From so many rows for each account on, its page is changed seldom enough. */
const ROWS_AN_ACCOUNT = 10;
/** At most so many are moved at once, for a journal that could not be drained for a while. */
export const JOURNAL_SLICE_ROWS = 20_000;

export function createJournal(driver: SqlDriver): Journal {
  const count = driver.prepare("SELECT count(*) AS rows FROM debit_journal");
  const last = driver.prepare(
    `SELECT at, call_id, account_no FROM debit_journal WHERE at < ?1
     ORDER BY at, call_id, account_no LIMIT 1 OFFSET ?2`,
  );
  const lastOfAll = driver.prepare(
    `SELECT at, call_id, account_no FROM debit_journal WHERE at < ?1
     ORDER BY at DESC, call_id DESC, account_no DESC LIMIT 1`,
  );
  const move = driver.prepare(
    `INSERT INTO debit_by_account SELECT * FROM debit_journal
     WHERE (at, call_id, account_no) <= (?, ?, ?) ORDER BY account_no, at, call_id`,
  );
  const remove = driver.prepare(
    "DELETE FROM debit_journal WHERE (at, call_id, account_no) <= (?, ?, ?)",
  );
  const moveAll = driver.prepare(
    "INSERT INTO debit_by_account SELECT * FROM debit_journal ORDER BY account_no, at, call_id",
  );
  // Without a condition the pages of the table are dropped, and no row is looked at.
  const removeAll = driver.prepare("DELETE FROM debit_journal");
  const readUntil = driver.prepare(
    "SELECT value FROM setting WHERE name = 'journal_drained_until'",
  );
  const writeUntil = driver.prepare(
    `INSERT INTO setting (name, value) VALUES ('journal_drained_until', ?1) ON CONFLICT DO
     UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`,
  );
  const accounts = driver.prepare(
    "SELECT count(DISTINCT account_no) AS accounts FROM debit_journal",
  );
  return {
    count: () => (count.get()?.["rows"] ?? 0) as number,
    drainFrom() {
      const rows = Number(accounts.get()?.["accounts"]) * ROWS_AN_ACCOUNT;
      return Math.min(Math.max(rows, JOURNAL_ROWS_MIN), JOURNAL_ROWS_MAX);
    },
    drain(rowsMax, before = Number.MAX_SAFE_INTEGER) {
      const bound = last.get(before, rowsMax - 1);
      const row = bound ?? lastOfAll.get(before);
      if (row === undefined) return 0;
      const place = [row["at"], row["call_id"], row["account_no"]] as [number, string, number];
      writeUntil.run(String(place[0]));
      if (bound === undefined && lastOfAll.get(Number.MAX_SAFE_INTEGER)?.["at"] === row["at"]) {
        const moved = moveAll.run();
        removeAll.run();
        return moved;
      }
      move.run(...place);
      return remove.run(...place);
    },
    latest: () =>
      (lastOfAll.get(Number.MAX_SAFE_INTEGER)?.["at"] ?? Number.MIN_SAFE_INTEGER) as number,
    drainedUntil: () => Number(readUntil.get()?.["value"] ?? Number.MIN_SAFE_INTEGER),
  };
}
