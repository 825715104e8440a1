import { type KeyStatus, type KeyStatusOrder, NotCarriedOut } from "#ledger/port.ts";
import { LEDGER_BATCH_MAX } from "#limits.ts";
import { createOrderQueue } from "../order-queue.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { decideTogether, openTogether, takeAll } from "./decide-together.ts";
import { orderFault, StatementRejected, SURE_RETRIES, waitMs } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * Key statuses in batches, as debits are: a caller that is rejected without end (a revoked key, an empty account) asks for
 * them, and takes one connection from those who pay, however many calls there are.
 */
export function createPostgresKeyStatus(pool: PostgresPool) {
  const queue = createOrderQueue<KeyStatusOrder, KeyStatus>({
    batchMax: LEDGER_BATCH_MAX,
    send: (orders, _again, done, failed) =>
      void read(pool, orders).catch(throwSure).then(done, failed),
    mayBeOneOrder: (error) => error instanceof StatementRejected,
    sureRetries: SURE_RETRIES,
    waitMs,
  });
  return {
    submit: (order: KeyStatusOrder) => queue.submit(order).catch(throwSure),
    close: queue.close,
  };
}

/** Nothing is written here, so nothing is in doubt. */
function throwSure(error: Error): never {
  const fault = orderFault(error);
  throw fault instanceof NotCarriedOut ? fault : new NotCarriedOut(fault.message, { cause: error });
}

/** In one round trip; again, in as many as it takes, where a balance has to be summed up. */
async function read(pool: PostgresPool, orders: KeyStatusOrder[]): Promise<(KeyStatus | Error)[]> {
  const isReading = { isLocking: false };
  const { loadings, decideOn, outcomes } = openTogether("keyStatus", orders, isReading);
  const statements = loadings.map(({ sql }) => sql);
  const rows = await pool.together<SqlRow>("snapshot", statements);
  takeAll(loadings, rows);
  if (decideOn().length === 0) return outcomes;
  return pool.roundTrips("snapshot", (send) =>
    decideTogether(send, "keyStatus", orders, isReading),
  );
}
