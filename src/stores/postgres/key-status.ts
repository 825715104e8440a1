import { type KeyStatus, type KeyStatusOrder, NotCarriedOut } from "#ledger/port.ts";
import { LEDGER_BATCH_MAX } from "#limits.ts";
import { createOrderQueue } from "../order-queue.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import type { NodeClock } from "./database-clock.ts";
import { decideTogether, openTogether, takeAll } from "./decide-together.ts";
import { orderFault, StatementRejected, SURE_RETRIES, waitMs } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * Reads key statuses in batches, like debits. They are read for calls that are rejected (a revoked key, an empty account). With
 * batches, such calls occupy one connection at most, however many there are.
 */
export function createPostgresKeyStatus(pool: PostgresPool, clock: NodeClock = "database") {
  const queue = createOrderQueue<KeyStatusOrder, KeyStatus>({
    batchMax: LEDGER_BATCH_MAX,
    send: (orders) => read(pool, orders, clock).catch(throwSure),
    mayBeOneOrder: (error) => error instanceof StatementRejected,
    sureRetries: SURE_RETRIES,
    waitMs,
  });
  return {
    submit: (order: KeyStatusOrder) => queue.submit(order).catch(throwSure),
    close: queue.close,
  };
}

/** Reads change nothing, so every failure is `NotCarriedOut`. */
function throwSure(error: Error): never {
  const fault = orderFault(error);
  throw fault instanceof NotCarriedOut ? fault : new NotCarriedOut(fault.message, { cause: error });
}

/** Reads in one round trip. If that does not suffice, because a balance has to be summed, starts over with as many as needed. */
async function read(
  pool: PostgresPool,
  orders: KeyStatusOrder[],
  clock: NodeClock,
): Promise<(KeyStatus | Error)[]> {
  const isReading = { isLocking: false, clock };
  const { loadings, decideLoaded, outcomes } = openTogether("keyStatus", orders, isReading);
  const statements = loadings.map(({ sql }) => sql);
  const rows = await pool.together<SqlRow>("snapshot", statements);
  takeAll(loadings, rows);
  if (decideLoaded().length === 0) return outcomes;
  return pool.roundTrips("snapshot", (send) =>
    decideTogether(send, "keyStatus", orders, isReading),
  );
}
