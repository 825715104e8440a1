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
import { createTurns, type Turns } from "./database.ts";
import type { SqlDriver } from "./driver.ts";
import { constraintOf } from "./faults.ts";
import { createSnapshots } from "./snapshots.ts";
import { clearWriterMark } from "./writer.ts";

/** Exports and imports accounts of a data folder's file while its server runs. */
export function createSqliteMoves(
  driver: SqlDriver,
  file: string,
  turns: Turns = createTurns(),
): AccountMoves & { close(): void } {
  const snapshots = createSnapshots(file);

  /** `opens`: the account that the steps add to the ledger. */
  async function run<Result>(steps: Steps<Result>, opens?: string): Promise<Result> {
    const end = await turns.take();
    try {
      return driver.transaction("write", () => {
        if (opens !== undefined) clearWriterMark(driver);
        const result = runSteps(driver, steps);
        if (opens !== undefined) fillChecksums(driver, opens);
        return result;
      });
    } catch (error) {
      if (error instanceof OrderRejected || constraintOf(error) === undefined) throw error;
      throw new OrderRejected(CONTRADICTION);
    } finally {
      end();
    }
  }

  return {
    openSnapshot: async () => ({ snapshot: snapshots.open() }),
    async exportRecords({ snapshot, ...order }) {
      const { query, read } = accountPage(order);
      const asOf = snapshot === null ? undefined : snapshots.find(snapshot);
      if (asOf === undefined) return { records: [], after: null, state: null };
      return { ...read(asOf.prepare(query.sql).all(...query.values)), state: snapshot };
    },
    beginImport: (order) => run(beginImport(order)),
    importRecords: (order) => run(importRecords(order)),
    finishImport: (order) => run(finishImport("sqlite", order), order.account).catch(faultsOf),
    close: snapshots.close,
  };
}

function runSteps<Result>(driver: SqlDriver, steps: Steps<Result>): Result {
  let step = steps.next([]);
  while (!step.done) {
    const { sql, values } = step.value;
    step = steps.next(driver.prepare(sql).all(...values));
  }
  return step.value;
}
