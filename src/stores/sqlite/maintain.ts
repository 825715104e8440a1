import { hourOf, type MaintainOrder, type MaintainOutcome } from "#ledger/port.ts";
import { IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import { addUsageSql } from "../sql/usage.ts";
import type { DebitPeriods } from "./debit-periods.ts";
import type { SqlDriver, SqlRow } from "./driver.ts";
import type { Journal } from "./new-debits.ts";
import { ROW_CHECKSUM } from "./row-checksum.ts";
import type { UsageSums } from "./usage-sums.ts";

export type MaintainParts = {
  usageSums: UsageSums;
  /** Called with the id of an account whose debits were summed. */
  onSummed(account: string): void;
  /** Writes the events of grants that expire. `done`: their number. */
  recordDue(order: MaintainOrder): { done: number; isMore: boolean };
};

/**
 * Maintenance of the ledger: writes the events of grants that expire, deletes old idempotency records, rolls old debits up by account,
 * hour, key and tool, and sums debits for the usage. `debits`: the debits that are not in `debit_by_account`.
 */
export function createMaintain(
  driver: SqlDriver,
  debits: Journal | DebitPeriods,
  { usageSums, onSummed, recordDue }: MaintainParts,
) {
  const deleteOld = "drain" in debits ? byAge : bySlices;
  const deleteOldRecords = deleteOld(driver, "idempotency");
  const deleteOldCalls = deleteOld(driver, "kept_call");
  const allAccounts = driver.prepare("SELECT no, id FROM account");
  const nextAccount = driver.prepare(
    "SELECT account_no FROM debit_by_account WHERE account_no > ? ORDER BY account_no LIMIT 1",
  );
  const oldDebits = driver.prepare(
    `SELECT at, call_id, key_no, tool, credits, is_free, reversed_at FROM debit_by_account
     WHERE account_no = ? AND at < ? ORDER BY at, call_id LIMIT ?`,
  );
  const addUsage = driver.prepare(addUsageSql("VALUES (?, ?, ?, ?, ?, ?, ?)"));
  const sumUp =
    driver.checksum &&
    driver.prepare(
      `UPDATE usage_hour SET checksum = ${ROW_CHECKSUM}(account_no, hour, key_no, tool, calls, free_calls, credits)
       WHERE account_no = ? AND hour = ? AND key_no = ? AND tool = ?`,
    );
  const deleteDebits = driver.prepare(
    "DELETE FROM debit_by_account WHERE account_no = ? AND (at, call_id) <= (?, ?)",
  );
  const markRolledUp = driver.prepare(
    "UPDATE reversal SET debit_kept = 0 WHERE account_no = ? AND debit_at = ? AND call_id = ?",
  );

  function rollUp(accountNo: number, before: number, rowsMax: number): number {
    const rows = oldDebits.all(accountNo, before, rowsMax);
    const last = rows.at(-1);
    if (last === undefined) return 0;
    const counted = rows.filter((row) => row["reversed_at"] === null);
    // Summed here, because a second read of the debits would double what a Durable Object is billed for.
    for (const sum of sumByHour(counted)) {
      const { hour, keyNo, tool, calls, freeCalls, credits } = sum;
      addUsage.run(accountNo, hour, keyNo, tool, calls, freeCalls, credits);
      sumUp?.run(accountNo, hour, keyNo, tool);
    }
    const summedUntil = usageSums.summedUntil(accountNo);
    const moved = sumByHour(counted.filter((row) => (row["at"] as number) < summedUntil));
    usageSums.add(accountNo, moved.map(negative));
    if (summedUntil > 0) usageSums.deleteEmpty(accountNo, last["at"] as number);
    for (const row of rows) {
      if (row["reversed_at"] !== null)
        markRolledUp.run(accountNo, row["at"] as number, row["call_id"] as string);
    }
    deleteDebits.run(accountNo, last["at"] as number, last["call_id"] as string);
    return rows.length;
  }

  /** Sums the next debits if an account has many that are not summed; else rolls the earlier period up. Returns the number of calls. */
  function rollUpEarlier(periods: DebitPeriods): number | "summed" {
    const accounts = allAccounts.all();
    for (const { no } of accounts) {
      const summed = usageSums.step(no as number);
      if (summed === null) continue;
      onSummed(summed);
      return "summed";
    }
    for (const { id } of accounts) onSummed(id as string);
    return periods.rollUpEarlier();
  }

  function maintainRows(order: MaintainOrder): Omit<MaintainOutcome, "notified"> {
    const { now, rollUpBefore, rowsMax } = order;
    const records = deleteOldRecords(now - IDEMPOTENCY_KEPT_MS, rowsMax);
    const calls = deleteOldCalls(now - IDEMPOTENCY_KEPT_MS, rowsMax);
    const forgotten = records.forgotten + calls.forgotten;
    let rolledUp = 0;
    let after = order.after ?? 0;
    if (records.isMore || calls.isMore) return { rolledUp, forgotten, after };
    let budget = rowsMax - forgotten;
    if ("drain" in debits) {
      if (budget > 0) budget -= debits.drain(budget, rollUpBefore);
    } else if (debits.isEarlierBefore(rollUpBefore)) {
      const calls = rollUpEarlier(debits);
      if (calls === "summed") return { rolledUp, forgotten, after };
      rolledUp = calls;
    } else debits.release(rollUpBefore);
    // An account with nothing to roll up costs a look-up, so it counts as one row.
    while (budget > 0) {
      const accountNo = nextAccount.get(after)?.["account_no"] as number | undefined;
      if (accountNo === undefined) return { rolledUp, forgotten, after: null };
      const rows = rollUp(accountNo, rollUpBefore, budget);
      rolledUp += rows;
      budget -= rows + 1;
      if (budget < 0) continue;
      const summed = usageSums.step(accountNo);
      if (summed === null) after = accountNo;
      else {
        onSummed(summed);
        // Some thousand debits were read, which takes as long as rolling up some hundred.
        return { rolledUp, forgotten, after };
      }
    }
    return { rolledUp, forgotten, after };
  }

  return (order: MaintainOrder): MaintainOutcome => {
    const { done: notified, isMore } = recordDue(order);
    if (isMore) return { notified, rolledUp: 0, forgotten: 0, after: order.after ?? 0 };
    return { notified, ...maintainRows(order) };
  };
}

const negative = (sum: Sum): Sum => ({ ...sum, calls: -sum.calls, credits: -sum.credits });

type Sum = {
  hour: number;
  keyNo: number;
  tool: string;
  calls: number;
  freeCalls: number;
  credits: number;
};

function sumByHour(rows: SqlRow[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const hour = hourOf(row["at"] as number);
    const keyNo = row["key_no"] as number;
    const tool = row["tool"] as string;
    const name = `${hour} ${keyNo} ${tool}`;
    const sum = sums.get(name) ?? { hour, keyNo, tool, calls: 0, freeCalls: 0, credits: 0 };
    sum.calls += 1;
    sum.freeCalls += row["is_free"] as number;
    sum.credits += row["credits"] as number;
    sums.set(name, sum);
  }
  return [...sums.values()];
}

/** The tables that remember calls by their idempotency keys (`schema/`). */
type Remembering = "idempotency" | "kept_call";

/**
 * Deletes old rows of such a table: those made at `at` or before, at most `rowsMax`. `isMore`: there may be more of them.
 */
type DeleteOldRecords = (at: number, rowsMax: number) => { forgotten: number; isMore: boolean };

/** In a file that many accounts share, an index finds old records. */
function byAge(driver: SqlDriver, table: Remembering): DeleteOldRecords {
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
function bySlices(driver: SqlDriver, table: Remembering): DeleteOldRecords {
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
