import assert from "node:assert/strict";
import { test } from "node:test";
import type { BatchResult } from "#stores/ledger/store-ledger.ts";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import type { SqlDriver, SqlStatement } from "#stores/sqlite/driver.ts";
import { CommitFailed } from "#stores/sqlite/faults.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { createSqliteReads } from "#stores/sqlite/reads.ts";
import { createFixture, idempotency, START } from "../../contract/ledger/fixture.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";

/**
 * A fault at each step of a transaction: whatever the ledger calls "not carried out" is not in it, even if the COMMIT that failed has
 * written its commit, and whatever it calls carried out is in it once.
 */

/** Extended result codes (sqlite.org/rescode.html). `isSure`: SQLite never reports it after the commit was written. */
const CODES = [
  { name: "SQLITE_ERROR", code: 1, isSure: false },
  { name: "SQLITE_BUSY", code: 5, isSure: true },
  { name: "SQLITE_NOMEM", code: 7, isSure: false },
  { name: "SQLITE_READONLY", code: 8, isSure: false },
  { name: "SQLITE_IOERR_WRITE", code: 778, isSure: false },
  { name: "SQLITE_IOERR_FSYNC", code: 1034, isSure: false },
  { name: "SQLITE_IOERR_SHMSIZE", code: 4874, isSure: false },
  { name: "SQLITE_CORRUPT", code: 11, isSure: false },
  { name: "SQLITE_FULL", code: 13, isSure: true },
  { name: "SQLITE_CANTOPEN", code: 14, isSure: false },
];

type Faults = {
  /** The step that fails, counted over statements and commits; null: none. */
  at: number | null;
  /** How many steps fail from there on. */
  times: number;
  code: number;
  /** Whether a COMMIT that fails has written the commit. */
  isCommitted: boolean;
};

/** A driver whose steps are counted and can fail. A commit that was written stays, as after a crash and a recovery. */
function failing(driver: SqlDriver, faults: Faults) {
  const steps: ("statement" | "commit")[] = [];
  const fault = () => Object.assign(new Error("made to fail"), { errcode: faults.code });
  const fails = (kind: "statement" | "commit") => {
    steps.push(kind);
    const step = steps.length - 1;
    return faults.at !== null && step >= faults.at && step < faults.at + faults.times;
  };
  const guarded =
    <Values extends unknown[], Result>(run: (...values: Values) => Result) =>
    (...values: Values) => {
      if (fails("statement")) throw fault();
      return run(...values);
    };
  const troubled: SqlDriver = {
    ...driver,
    prepare(sql): SqlStatement {
      const { get, all, run } = driver.prepare(sql);
      return { get: guarded(get), all: guarded(all), run: guarded(run) };
    },
    transaction(mode, body) {
      let isAtCommit = false;
      try {
        const result = driver.transaction(mode, () => {
          const made = body();
          isAtCommit = mode === "write" && fails("commit");
          if (isAtCommit && !faults.isCommitted) throw fault();
          return made;
        });
        if (isAtCommit) throw fault();
        return result;
      } catch (error) {
        throw isAtCommit ? new CommitFailed(error) : error;
      }
    },
  };
  return { driver: troubled, steps };
}

/** Makes debits under faults, each of an account of its own, in one database. */
function openTrial() {
  const memory = openNodeSqlite(":memory:");
  const fixture = createFixture(openSqliteDirect(memory));
  const faults = { at: null, times: 0, code: 0, isCommitted: false } as Faults;
  const { driver, steps } = failing(memory, faults);
  const runBatch = createBatchRunner(driver, { createReads: createSqliteReads });
  let accounts = 0;
  return async (given: Faults, isRepeatable: boolean) => {
    accounts += 1;
    const account = await fixture.account(`A${accounts}x`, { credits: 10 });
    // Its rows are in memory then, as on a server that is under way.
    runBatch([["debit", fixture.debitOrder(account)]]);
    const order = fixture.debitOrder(account, {
      idempotency: isRepeatable ? idempotency("once") : null,
    });
    steps.length = 0;
    Object.assign(faults, given);
    const [result] = runBatch([["debit", order]]) as [BatchResult];
    faults.at = null;
    return { result, charged: 9 - (await fixture.balance(account, START)), steps: [...steps] };
  };
}

for (const isRepeatable of [false, true]) {
  const which = isRepeatable ? "a debit with an idempotency key" : "a debit";
  test(`whichever step of ${which} fails, what is said not to be carried out is not in the ledger`, async () => {
    const debitUnder = openTrial();
    const none = { at: null, times: 1, code: 0, isCommitted: false };
    const { steps } = await debitUnder(none, isRepeatable);
    assert.ok(steps.length >= 4 && steps.at(-1) === "commit", steps.join());
    let unknown = 0;
    for (const { name, code, isSure } of CODES) {
      for (const [at, step] of steps.entries()) {
        // One fault, and one that lasts.
        for (const times of [1, 1_000]) {
          for (const isCommitted of step === "commit" && !isSure ? [false, true] : [false]) {
            const faults = { at, times, code, isCommitted };
            const { result, charged } = await debitUnder(faults, isRepeatable);
            const what = `${name} at ${step} ${at}, ${times} times, committed: ${isCommitted}: ${JSON.stringify(result)}`;
            if ("value" in result) assert.equal(charged, 1, what);
            else if (result.error.kind === "not_carried_out") assert.equal(charged, 0, what);
            else {
              assert.equal(result.error.kind, "unknown", what);
              assert.equal(step, "commit", what);
              unknown += 1;
            }
          }
        }
      }
    }
    assert.ok(unknown > 0);
  });
}
