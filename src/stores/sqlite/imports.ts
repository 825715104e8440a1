import { OrderRejected } from "#ledger/port.ts";
import type { AccountImports } from "#ledger/transfer/account-moves.ts";
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
import { isContradiction } from "./faults.ts";

/** Imports accounts over the connection that writes to the ledger. An account that does not exist yet is in no cache. */
export function createSqliteImports(driver: SqlDriver): AccountImports {
  /** `opens`: the account that the steps add to the ledger. */
  async function run<Result>(steps: Steps<Result>, opens?: string): Promise<Result> {
    try {
      return driver.transaction("write", () => {
        const result = runSteps(driver, steps);
        if (opens !== undefined) fillChecksums(driver, opens);
        return result;
      });
    } catch (error) {
      if (!isContradiction(error)) throw error;
      throw new OrderRejected(CONTRADICTION);
    }
  }
  return {
    beginImport: (order) => run(beginImport(order)),
    importRecords: (order) => run(importRecords(order)),
    finishImport: (order) => run(finishImport("sqlite", order), order.account).catch(faultsOf),
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
