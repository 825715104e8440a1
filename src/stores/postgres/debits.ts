import { type DebitOrder, type DebitOutcome, NotCarriedOut } from "#ledger/port.ts";
import { LEDGER_BATCH_MAX } from "#limits.ts";
import { type CommittedBatch, createOrderQueue } from "../order-queue.ts";
import { decideTogether } from "./decide-together.ts";
import {
  codeOf,
  isLocked,
  orderFault,
  StatementRejected,
  SURE_RETRIES,
  UNIQUE_VIOLATION,
  waitMs,
} from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/** Another transaction has not let go of the account in the time that a batch waits for one. */
class AccountHeld extends NotCarriedOut {}

type OnBatch = ((batch: CommittedBatch) => void) | undefined;

/**
 * Debits in batches, one at a time: a batch is locked and loaded in one round trip, and saved in another one. Those of an
 * account that another transaction holds for long go a way of their own, so that nobody else waits for them.
 */
export function createPostgresDebits(pool: PostgresPool, onBatch?: OnBatch) {
  const common = createLane(pool, "batch", onBatch);
  const aside = createLane(pool, "write", onBatch);
  const held = new Set<string>();

  async function submitAside(order: DebitOrder, since: number): Promise<DebitOutcome> {
    held.add(order.account);
    try {
      return await aside.submit(order, since);
    } finally {
      held.delete(order.account);
    }
  }
  return {
    submit(order: DebitOrder): Promise<DebitOutcome> {
      const since = performance.now();
      if (held.has(order.account)) return submitAside(order, since);
      return common.submit(order, since).catch((error: Error) => {
        if (error instanceof AccountHeld) return submitAside(order, since);
        throw error;
      });
    },
    waiting: () => common.waiting() + aside.waiting(),
    async close() {
      await Promise.all([common.close(), aside.close()]);
    },
  };
}

type Mode = "batch" | "write";

function createLane(pool: PostgresPool, mode: Mode, onBatch: OnBatch) {
  let sentAt = 0;
  return createOrderQueue<DebitOrder, DebitOutcome>({
    batchMax: LEDGER_BATCH_MAX,
    send(orders, again, done, failed) {
      sentAt = performance.now();
      // What may have been carried out waits for whoever holds it: that may be its own first transaction.
      const decided = again
        ? decideAll(pool, "write", orders, true)
        : decideApart(pool, mode, orders);
      decided.then(done, (error) => failed(orderFault(error)));
    },
    mayBeOneOrder: (error) => error instanceof StatementRejected,
    sureRetries: SURE_RETRIES,
    waitMs,
    onBatch: (batch) => onBatch?.({ ...batch, commitMs: performance.now() - sentAt }),
  });
}

/** Where an account is held, its orders are set apart, and the others decided. */
async function decideApart(pool: PostgresPool, mode: Mode, orders: DebitOrder[]) {
  try {
    return await decideAll(pool, mode, orders, false);
  } catch (error) {
    if (!isLocked(error)) throw error;
    const accounts = [...new Set(orders.map(({ account }) => account))];
    const free = new Set(
      (await pool.once<{ id: string }>("write", FREE, [accounts])).map(({ id }) => id),
    );
    const others = orders.filter(({ account }) => free.has(account));
    const decided = others.length === 0 ? [] : await decideAll(pool, mode, others, false);
    const outcomes = new Map(others.map((order, i) => [order, decided[i]]));
    return orders.map((order) => outcomes.get(order) ?? new AccountHeld(HELD));
  }
}

const HELD = "Another transaction holds the account";
/** An account that is not there is held by nobody. */
const FREE = `
  SELECT id FROM unnest($1) named(id) WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.id = named.id)
  UNION ALL
  SELECT id FROM (SELECT id FROM account WHERE id = ANY ($1) ORDER BY no FOR NO KEY UPDATE SKIP LOCKED) free`;

/** Those that may have been carried out before are looked up first; of a first one that is there already the table tells. */
async function decideAll(
  pool: PostgresPool,
  mode: Mode,
  orders: DebitOrder[],
  isCareful: boolean,
): Promise<(DebitOutcome | Error)[]> {
  try {
    return await pool.roundTrips(mode, (send) =>
      decideTogether(send, "debit", orders, { isCareful }),
    );
  } catch (error) {
    if (isCareful || codeOf(error) !== UNIQUE_VIOLATION) throw error;
    return decideAll(pool, mode, orders, true);
  }
}
