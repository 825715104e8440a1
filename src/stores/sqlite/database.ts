import type { LedgerOperations, SyncLedger } from "#ledger/port.ts";
import type { LedgerRead } from "../sql/ledger-read.ts";
import { overReads, type ReadName } from "../sql/ledger-reads.ts";
import { isReading, type SqlDatabase } from "../sql/sql-database.ts";
import type { SqlDriver } from "./driver.ts";

/** How the statements of `stores/sql`, which are written once for all databases, run over a SQLite driver. */

/**
 * Creates a database of batches over a driver. Each batch is one transaction. A batch that only reads takes no write lock.
 *
 * `turns`: required if another user of the connection keeps transactions open across turns of the event loop.
 */
export function createSqliteDatabase(driver: SqlDriver, turns?: Turns): SqlDatabase {
  return {
    async batch(queries) {
      const end = await turns?.take();
      try {
        return driver.transaction(queries.every(isReading) ? "read" : "write", () =>
          queries.map(({ sql, values }) => driver.prepare(sql).all(...values)),
        );
      } finally {
        end?.();
      }
    },
  };
}

/** Creates the ledger's read operations, for use inside a transaction. Their statements are prepared at their first use. */
export const createSqliteReads = (driver: SqlDriver): Pick<SyncLedger, ReadName> =>
  overReads("sqlite", <Name extends ReadName>({ queries, outcome }: LedgerRead<Name>) => {
    return (order: LedgerOperations[Name][0]) => {
      const rows = queries(order).map(({ sql, values }) => driver.prepare(sql).all(...values));
      return outcome(rows, order);
    };
  }) as never;

/**
 * Turns at a connection that several users in one thread share. A user that keeps a transaction open across turns of the event
 * loop, such as an SQL builder with promises, must not find the others' statements in it.
 */
export type Turns = {
  /** Waits for the turn. Returns a function that ends it. */
  take(): Promise<() => void>;
};

/** `check` runs at the start of each turn, and may throw to refuse it. */
export function createTurns(check: () => void = () => {}): Turns {
  let last: Promise<void> = Promise.resolve();
  return {
    async take() {
      check();
      const before = last;
      let end: () => void = () => {};
      last = new Promise((resolve) => {
        end = resolve;
      });
      await before;
      return end;
    },
  };
}

/** Wraps the operations so that each runs in a turn of its own. */
export function inTurns<Operations extends object>(
  turns: Turns,
  operations: Operations,
): Operations {
  const entries = Object.entries(operations).map(([name, operation]) => [
    name,
    async (order: never) => {
      const end = await turns.take();
      try {
        return await operation(order);
      } finally {
        end();
      }
    },
  ]);
  return Object.fromEntries(entries);
}
