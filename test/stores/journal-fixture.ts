import { JOURNAL_SLICE_ROWS } from "#stores/sqlite/new-debits.ts";

/**
 * Debits of another account, enough for a drain after each of the next batches. How many batches the orders of a test make depends
 * on timing, so there are more than one for each order.
 */
export const fillJournal = (
  database: { exec(sql: string): void },
  rows = 16 * JOURNAL_SLICE_ROWS,
) =>
  database.exec(`
    INSERT INTO debit_journal (account_no, at, call_id, key_no, tool, credits, is_free, grant_no)
      WITH RECURSIVE call(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM call WHERE n < ${rows})
      SELECT 999, n, 'call-' || n, 1, 'hash', 1, 0, 1 FROM call`);

/** From now on every drain fails. */
export const blockDrains = (database: { exec(sql: string): void }) =>
  database.exec(`
    CREATE TRIGGER no_drain BEFORE INSERT ON debit_by_account BEGIN SELECT RAISE(ABORT, 'no room'); END`);

export const unblockDrains = (database: { exec(sql: string): void }) =>
  database.exec("DROP TRIGGER no_drain");
