import type { SqlDriver } from "./driver.ts";

/**
 * The journal of debits (stores/schema/sqlite-ledger.ts). A commit appends to its end, so it changes as few pages for a thousand
 * accounts as for one. From time to time the oldest rows are moved to `debit_by_account` in one transaction, sorted by account,
 * so that many debits share one change of a page.
 */
export type Journal = {
  /** The number of rows in the journal. */
  count(): number;
  /** The number of rows from which moving them pays off. It is lower if the journal has few accounts, which shortens the wait. */
  drainFrom(): number;
  /** Moves at most `rowsMax` of the oldest rows with a time before `before`. Returns how many were moved. */
  drain(rowsMax: number, before?: number): number;
  /** The time of the latest debit in the journal. */
  latest(): number;
  /** Debits up to this time may have been moved already. */
  drainedUntil(): number;
};

/**
 * The journal is drained at this size in any case. Reading an account's debits scans all of its rows, which takes about 1 ms.
 * Calls that wait for a move of 10,000 rows wait 10 ms with one account, and 40 ms with 1,000 accounts.
 */
export const JOURNAL_ROWS_MAX = 10_000;
/** A smaller journal is not worth draining. Calls that wait for a move of this many rows wait 2 to 3 ms. */
export const JOURNAL_ROWS_MIN = 2_000;
/** With this many rows per account, an account's page is changed rarely enough. */
const ROWS_AN_ACCOUNT = 10;
/**
 * The maximum number of rows per move, for a journal that could not be drained for a while: little more than JOURNAL_ROWS_MAX, so that
 * calls wait no longer then, and the last batch before a move does not leave rows behind.
 */
export const JOURNAL_SLICE_ROWS = 12_000;

export function createJournal(driver: SqlDriver): Journal {
  const count = driver.prepare("SELECT count(*) AS rows FROM debit_journal");
  const nth = driver.prepare(
    `SELECT at, call_id, account_no FROM debit_journal WHERE at < ?1
     ORDER BY at, call_id, account_no LIMIT 1 OFFSET ?2`,
  );
  const latest = driver.prepare(
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
  // Without a condition, SQLite drops the pages of the table and reads no rows.
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
      const bound = nth.get(before, rowsMax - 1);
      const row = bound ?? latest.get(before);
      if (row === undefined) return 0;
      const last = [row["at"], row["call_id"], row["account_no"]] as [number, string, number];
      writeUntil.run(String(last[0]));
      if (bound === undefined && latest.get(Number.MAX_SAFE_INTEGER)?.["at"] === row["at"]) {
        const moved = moveAll.run();
        removeAll.run();
        return moved;
      }
      move.run(...last);
      return remove.run(...last);
    },
    latest: () =>
      (latest.get(Number.MAX_SAFE_INTEGER)?.["at"] ?? Number.MIN_SAFE_INTEGER) as number,
    drainedUntil: () => Number(readUntil.get()?.["value"] ?? Number.MIN_SAFE_INTEGER),
  };
}
