import { OrderRejected } from "#ledger/port.ts";
import type { AccountImports } from "#ledger/transfer/account-moves.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import { exportLedger } from "../sql/export-records.ts";
import type { SqlDatabase } from "../sql/sql-database.ts";
import {
  beginImport,
  CONTRADICTION,
  faultsOf,
  finishImport,
  importRecords,
  type Steps,
} from "../sql/staged-imports.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { textOf } from "./database.ts";
import { codeOf } from "./faults.ts";
import { makePastDays } from "./partitions.ts";
import type { PostgresPool, PostgresQuery } from "./pool.ts";

/** Imports accounts into PostgreSQL while its nodes run. Any node can take any page. */
export function createPostgresImports(pool: PostgresPool): AccountImports {
  const run = <Result>(steps: Steps<Result>): Promise<Result> =>
    pool
      .transaction("upkeep", async (query) => {
        let step = steps.next([]);
        while (!step.done) step = steps.next(await query<SqlRow>(textOf(step.value)));
        return step.value;
      })
      .catch((error) => {
        throw isContradiction(error) ? new OrderRejected(CONTRADICTION) : error;
      });

  return {
    beginImport: (order) => run(beginImport(order)),
    importRecords: (order) => run(importRecords(order)),
    async finishImport(order) {
      await makePastDays(pool, order.now);
      return run(finishImport("postgres", order)).catch(faultsOf);
    },
  };
}

/** The program that reads the lines may be slow, but one that is frozen must not keep old versions of rows for ever. */
const PATIENT = "SET LOCAL idle_in_transaction_session_timeout = '1h'";

/** Yields all records as of one moment. The transaction reads a snapshot, so it does not block calls. */
export async function* exportPostgres(
  pool: PostgresPool,
  pause: () => Promise<void>,
): AsyncGenerator<readonly TransferRecord[]> {
  const opened = Promise.withResolvers<PostgresQuery>();
  const ended = Promise.withResolvers<void>();
  const over = pool
    .transaction("report", async (query) => {
      await query(PATIENT);
      opened.resolve(query);
      await ended.promise;
    })
    .catch(opened.reject);
  try {
    yield* exportLedger(within(await opened.promise), "postgres", pause);
  } finally {
    ended.resolve();
    await over;
  }
}

/** A database whose batches run inside this transaction. */
const within = (query: PostgresQuery): SqlDatabase => ({
  async batch(queries) {
    const rows: SqlRow[][] = [];
    for (const each of queries) rows.push(await query<SqlRow>(textOf(each)));
    return rows;
  },
});

/** Whether a record violates a constraint, or has a character that cannot be stored. */
const isContradiction = (error: unknown): boolean => CONTRADICTIONS.has(codeOf(error) ?? "");

/**
 * unique_violation, cardinality_violation, not_null_violation and check_violation; character_not_in_repertoire, and
 * untranslatable_character where it came in JSON.
 */
const CONTRADICTIONS: ReadonlySet<string> = new Set([
  ...["23505", "21000", "23502", "23514", "22021", "22P05"],
]);
