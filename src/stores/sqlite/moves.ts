import { OrderRejected } from "#ledger/port.ts";
import type { AccountMoves } from "#ledger/transfer/account-moves.ts";
import { accountPage } from "../sql/account-pages.ts";
import {
  beginImport,
  CONTRADICTION,
  faultsOf,
  finishImport,
  importRecords,
  type Steps,
} from "../sql/staged-imports.ts";
import { fillChecksums } from "./checked-tables.ts";
import type { SqlDriver } from "./driver.ts";
import { constraintOf } from "./faults.ts";
import { createSnapshots } from "./snapshots.ts";

/** Exports accounts of a database file while its server runs, over connections that only read. */
export function createSqliteExports(
  file: string,
): Pick<AccountMoves, "openSnapshot" | "exportRecords"> & { close(): void } {
  const snapshots = createSnapshots(file);
  return {
    openSnapshot: async () => ({ snapshot: snapshots.open() }),
    async exportRecords({ snapshot, ...order }) {
      const { query, read } = accountPage(order);
      const asOf = snapshot === null ? undefined : snapshots.find(snapshot);
      if (asOf === undefined) return { records: [], after: null, state: null };
      return { ...read(asOf.prepare(query.sql).all(...query.values)), state: snapshot };
    },
    close: snapshots.close,
  };
}

/** Imports accounts over the connection that writes to the ledger. An account that does not exist yet is in no cache. */
export function createSqliteImports(
  driver: SqlDriver,
): Pick<AccountMoves, "beginImport" | "importRecords" | "finishImport"> {
  /** `opens`: the account that the steps add to the ledger. */
  async function run<Result>(steps: Steps<Result>, opens?: string): Promise<Result> {
    try {
      return driver.transaction("write", () => {
        const result = runSteps(driver, steps);
        if (opens !== undefined) fillChecksums(driver, opens);
        return result;
      });
    } catch (error) {
      if (error instanceof OrderRejected || constraintOf(error) === undefined) throw error;
      throw new OrderRejected(CONTRADICTION);
    }
  }
  return {
    beginImport: (order) => run(beginImport(order)),
    importRecords: (order) => run(importRecords(order)),
    finishImport: (order) => run(finishImport("sqlite", order), order.account).catch(faultsOf),
  };
}

/** Both over one connection, for a process that has the file to itself. */
export const createSqliteMoves = (
  driver: SqlDriver,
  file: string,
): AccountMoves & { close(): void } => ({
  ...createSqliteExports(file),
  ...createSqliteImports(driver),
});

function runSteps<Result>(driver: SqlDriver, steps: Steps<Result>): Result {
  let step = steps.next([]);
  while (!step.done) {
    const { sql, values } = step.value;
    step = steps.next(driver.prepare(sql).all(...values));
  }
  return step.value;
}
