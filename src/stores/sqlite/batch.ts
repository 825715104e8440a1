import { type LedgerOperation, NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import { BeingMoved } from "#ledger/transfer/account-moves.ts";
import { isReadName } from "../sql/ledger-reads.ts";
import type { SqlDriver } from "./driver.ts";
import { createSqliteLedger, type SqliteLedgerOptions } from "./ledger.ts";
import { DebitIsThere } from "./new-debits.ts";

/** One order as it crosses a thread: plain JSON data. */
export type BatchItem = [name: LedgerOperation, order: unknown];
export type BatchResult = { value: unknown } | { error: { kind: ErrorKind; message: string } };
type ErrorKind = "refused" | "being_moved" | "not_carried_out" | "unknown";

/** Operations that only read: a batch of them alone needs no write lock and no sync of the disk. */
export const isRead = (name: LedgerOperation): boolean => name === "keyStatus" || isReadName(name);

/**
 * Group commit: runs many orders in one transaction, in their order, each decided as if alone.
 * An order that the ledger itself rejects (OrderRejected) has changed nothing and fails alone. Where a debit of an order is there
 * already, all are run again, and each looks for what it may have done before. Any other error rolls all back; where the disk is
 * not to blame, every order is then tried in a transaction of its own.
 */
export function createBatchRunner(
  driver: SqlDriver,
  options: SqliteLedgerOptions & {
    /** How many debits a transaction has appended to the journal. */
    onDebits?: (count: number) => void;
  } = {},
): (items: BatchItem[]) => BatchResult[] {
  const ledger = createSqliteLedger(driver, options);

  function runTogether(items: BatchItem[], isCareful: boolean): BatchResult[] {
    const mode = items.every(([name]) => isRead(name)) ? "read" : "write";
    let debits = 0;
    try {
      const results = driver.transaction(mode, () => {
        ledger.begin(mode);
        const done = items.map(([name, order]) => runOne(name, order, isCareful));
        debits = ledger.finish();
        return done;
      });
      if (debits > 0) options.onDebits?.(debits);
      return results;
    } catch (error) {
      ledger.forget();
      if (!isCareful && isDebitThere(error)) return runTogether(items, true);
      throw error;
    }
  }

  function runOne(name: LedgerOperation, order: unknown, isCareful: boolean): BatchResult {
    try {
      return { value: ledger.perform(name, order, isCareful) };
    } catch (error) {
      if (!(error instanceof OrderRejected)) throw error;
      return { error: describeFault(error) };
    }
  }

  return (items) => {
    try {
      return runTogether(items, false);
    } catch (error) {
      if (items.length === 1 || !isOwnFault(error))
        return items.map(() => ({ error: describeFault(error) }));
      return items.flatMap((item) => {
        try {
          return runTogether([item], false);
        } catch (single) {
          return [{ error: describeFault(single) }];
        }
      });
    }
  };
}

/** No two debits have one name: the order was carried out before, and was sent again. */
const isDebitThere = (error: unknown) =>
  error instanceof DebitIsThere ||
  /UNIQUE constraint failed: debit_/.test(error instanceof Error ? error.message : "");

/** Primary result codes of SQLite (sqlite.org/rescode.html) that every other order would meet as well. */
const SHARED_FAULTS: ReadonlySet<number> = new Set([
  5, // SQLITE_BUSY
  8, // SQLITE_READONLY
  10, // SQLITE_IOERR
  11, // SQLITE_CORRUPT
  13, // SQLITE_FULL
  14, // SQLITE_CANTOPEN
  26, // SQLITE_NOTADB
]);

const codeOf = (error: unknown) => (error as { errcode?: unknown })?.errcode;
const isDiskFault = (error: unknown) => (Number(codeOf(error)) & 0xff) === 10;
const isOwnFault = (error: unknown) => !SHARED_FAULTS.has(Number(codeOf(error)) & 0xff);

/** The value of a result that crossed a thread, or its error. */
export function outcomeOf(result: BatchResult): unknown {
  if ("value" in result) return result.value;
  const { kind, message } = result.error;
  if (kind === "refused") return new OrderRejected(message);
  if (kind === "being_moved") return new BeingMoved(message);
  return kind === "not_carried_out" ? new NotCarriedOut(message) : new Error(message);
}

/** The value of a result that crossed a thread, or its error thrown again. */
export function unwrap(result: BatchResult): unknown {
  const outcome = outcomeOf(result);
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/** What an object answers to its Worker: an error as data, for its class does not cross. */
export async function settle(act: () => unknown): Promise<BatchResult> {
  try {
    return { value: await act() };
  } catch (error) {
    return { error: describeFault(error) };
  }
}

export function describeFault(error: unknown): { kind: ErrorKind; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof OrderRejected) return { kind: "refused", message };
  if (error instanceof BeingMoved) return { kind: "being_moved", message };
  // Rolled back; but where the disk itself failed, nobody knows what of a commit it has kept.
  return { kind: isDiskFault(error) ? "unknown" : "not_carried_out", message };
}
