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
import type { SqlRow } from "../sqlite/driver.ts";
import { textOf } from "./database.ts";
import type { PostgresPool } from "./pool.ts";
import { createSnapshots } from "./snapshots.ts";
import { constraintOf } from "./transfer.ts";

/** Exports and imports accounts of PostgreSQL while its nodes run. Any node can serve any page. */
export function createPostgresMoves(pool: PostgresPool): AccountMoves & { close(): Promise<void> } {
  const snapshots = createSnapshots(pool);

  const run = <Result>(steps: Steps<Result>): Promise<Result> =>
    pool
      .transaction("upkeep", async (query) => {
        let step = steps.next([]);
        while (!step.done) step = steps.next(await query<SqlRow>(textOf(step.value)));
        return step.value;
      })
      .catch((error) => {
        throw constraintOf(error) === undefined ? error : new OrderRejected(CONTRADICTION);
      });

  return {
    openSnapshot: async () => ({ snapshot: await snapshots.open() }),
    async exportRecords({ snapshot, ...order }) {
      const { query, read } = accountPage(order);
      const rows = snapshot === null ? null : await snapshots.read(snapshot, textOf(query));
      if (rows === null) return { records: [], after: null, state: null };
      return { ...read(rows), state: snapshot };
    },
    beginImport: (order) => run(beginImport(order)),
    importRecords: (order) => run(importRecords(order)),
    finishImport: (order) => run(finishImport("postgres", order)).catch(faultsOf),
    close: snapshots.close,
  };
}
