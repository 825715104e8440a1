import { OrderRejected, OutcomeUnknown, UsageNotSummed } from "#ledger/port.ts";
import {
  type BatchError,
  type BatchItem,
  type BatchResult,
  isReadName,
  type StoreOperation,
} from "../ledger/store-ledger.ts";
import type { SqlDriver } from "./driver.ts";
import { codeOf, isDoubtful, isUniqueViolation, mayBeOneOrder } from "./faults.ts";
import { createSqliteLedger, type SqliteLedgerOptions } from "./ledger.ts";
import { DebitIsThere } from "./new-debits.ts";

/** Whether the operation only reads. A batch of such operations needs no write lock and no sync of the disk. */
export const isRead = (name: StoreOperation): boolean => name === "keyStatus" || isReadName(name);

/**
 * Group commit: runs many orders in one transaction, in sequence, each decided as if it were alone.
 *
 * An order that the rules reject (`OrderRejected`) has changed nothing and fails alone. If a debit already exists, the batch runs
 * again, and each order is looked up first. Any other error rolls the batch back. Unless the disk caused it, each order is then
 * run in a transaction of its own.
 *
 * A batch whose COMMIT failed with an unknown outcome runs once more, and each order is looked up first. If that succeeds, its frames
 * in the write-ahead log have replaced those of the failed commit. If not, the outcome of its orders stays unknown, whatever the second fault.
 */
export function createBatchRunner(
  driver: SqlDriver,
  options: SqliteLedgerOptions & {
    /** Called with the number of debits that a transaction appended to the journal. */
    onDebits?: (count: number) => void;
  },
): (items: BatchItem[]) => BatchResult[] {
  const ledger = createSqliteLedger(driver, options);

  function runTogether(items: BatchItem[], isCareful: boolean): BatchResult[] {
    const mode = items.every(([name]) => isRead(name)) ? "read" : "write";
    let debits = 0;
    try {
      const results = driver.transaction(mode, () => {
        ledger.begin();
        const outcomes = items.map(([name, order]) => runOne(name, order, isCareful));
        debits = ledger.finish();
        return outcomes;
      });
      if (debits > 0) options.onDebits?.(debits);
      return results;
    } catch (error) {
      ledger.forget();
      if (!isCareful && (error instanceof DebitIsThere || isUniqueViolation(error)))
        return runTogether(items, true);
      throw error;
    }
  }

  function runOne(name: StoreOperation, order: unknown, isCareful: boolean): BatchResult {
    try {
      return { value: ledger.perform(name, order, isCareful) };
    } catch (error) {
      if (!(error instanceof OrderRejected || error instanceof UsageNotSummed)) throw error;
      return { error: describeFault(error) };
    }
  }

  function runAgain(items: BatchItem[], fault: unknown): BatchResult[] {
    try {
      return runTogether(items, true);
    } catch {
      return items.map(() => ({ error: describeFault(fault) }));
    }
  }

  return function run(items: BatchItem[]): BatchResult[] {
    try {
      return runTogether(items, false);
    } catch (error) {
      if (isDoubtful(error)) return runAgain(items, error);
      if (items.length === 1 || !mayBeOneOrder(error))
        return items.map(() => ({ error: describeFault(error) }));
      return items.flatMap((item) => run([item]));
    }
  };
}

/** Runs `act` and returns its result as data. Errors are data too, because a class cannot be sent from an object to its Worker. */
export async function resultOf(act: () => unknown): Promise<BatchResult> {
  try {
    return { value: await act() };
  } catch (error) {
    return { error: describeFault(error) };
  }
}

/** Returns an error as data, with what it says about the order: rejected, certainly not carried out, or of unknown outcome. */
export function describeFault(error: unknown): BatchError {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof OrderRejected) return { kind: "rejected", message };
  if (error instanceof UsageNotSummed) return { kind: "not_summed", message };
  if (error instanceof OutcomeUnknown) return { kind: "unknown", message };
  // Before the COMMIT, no fault leaves anything behind.
  const kind = isDoubtful(error) ? "unknown" : "not_carried_out";
  const errcode = codeOf(error);
  return errcode === 0 ? { kind, message } : { kind, message, errcode };
}
