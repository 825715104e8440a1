import type { SqlDriver } from "./driver.ts";

/** The tables that remember calls by their idempotency keys (`schema/`). */
type Remembering = "idempotency" | "kept_call";

/**
 * Deletes old rows of such a table: those made at `at` or before, at most `rowsMax`. `isMore`: there may be more of them.
 */
export type DeleteOldRecords = (
  at: number,
  rowsMax: number,
) => { forgotten: number; isMore: boolean };

/** In a file that many accounts share, an index finds old records. */
export function byAge(driver: SqlDriver, table: Remembering): DeleteOldRecords {
  const remove = driver.prepare(
    `DELETE FROM ${table} WHERE (account_no, tool, key) IN
       (SELECT account_no, tool, key FROM ${table} WHERE at <= ? ORDER BY at LIMIT ?)`,
  );
  return (at, rowsMax) => {
    const forgotten = remove.run(at, rowsMax);
    return { forgotten, isMore: forgotten >= rowsMax };
  };
}

/**
 * A Durable Object has no such index, because each entry is billed like a row when it is written and when it is deleted. It reads its
 * records once a day, in slices between which calls run; reading a thousand costs as much as writing one.
 */
export function bySlices(driver: SqlDriver, table: Remembering): DeleteOldRecords {
  const nth = driver.prepare(
    `SELECT account_no, tool, key FROM ${table} WHERE (account_no, tool, key) > (?, ?, ?)
     ORDER BY account_no, tool, key LIMIT 1 OFFSET ?`,
  );
  const removeUpTo = driver.prepare(
    `DELETE FROM ${table}
     WHERE (account_no, tool, key) > (?, ?, ?) AND (account_no, tool, key) <= (?, ?, ?) AND at <= ?`,
  );
  const removeRest = driver.prepare(
    `DELETE FROM ${table} WHERE (account_no, tool, key) > (?, ?, ?) AND at <= ?`,
  );
  type Position = [accountNo: number, tool: string, key: string];
  const FIRST: Position = [0, "", ""];
  /** Lost when the object restarts, and then a step starts over. */
  let position = FIRST;
  return (at, rowsMax) => {
    const end = nth.get(...position, rowsMax - 1);
    if (end === undefined) {
      const forgotten = removeRest.run(...position, at);
      position = FIRST;
      return { forgotten, isMore: false };
    }
    const next = [end["account_no"], end["tool"], end["key"]] as Position;
    const forgotten = removeUpTo.run(...position, ...next, at);
    position = next;
    return { forgotten, isMore: true };
  };
}
