import type { DebitOrder, DebitOutcome } from "#ledger/port.ts";
import { LEDGER_BATCH_MAX } from "#limits.ts";
import { type CommittedBatch, createOrderQueue } from "../order-queue.ts";
import type { NodeClock } from "./database-clock.ts";
import { decideTogether, type How } from "./decide-together.ts";
import {
  AccountHeld,
  codeOf,
  isLocked,
  orderFault,
  StatementRejected,
  SURE_RETRIES,
  UNIQUE_VIOLATION,
  waitMs,
} from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

type OnBatch = ((batch: CommittedBatch) => void) | undefined;

/**
 * Performs debits in batches, one batch at a time. A batch is locked and loaded in one round trip, and saved in a second one. Debits
 * of an account that another transaction holds for long go to a separate queue, so that the others do not wait for them.
 */
export function createPostgresDebits(
  pool: PostgresPool,
  onBatch?: OnBatch,
  clock: NodeClock = "database",
  onDebit: (account: string) => void = () => {},
) {
  const common = createLane(pool, "batch", onBatch, clock);
  const separate = createLane(pool, "write", onBatch, clock);
  const held = new Set<string>();

  async function submitSeparately(order: DebitOrder, since: number): Promise<DebitOutcome> {
    held.add(order.account);
    try {
      return await separate.submit(order, since);
    } finally {
      held.delete(order.account);
    }
  }
  return {
    submit(order: DebitOrder): Promise<DebitOutcome> {
      onDebit(order.account);
      const since = performance.now();
      if (held.has(order.account)) return submitSeparately(order, since);
      return common.submit(order, since).catch((error: Error) => {
        if (error instanceof AccountHeld) return submitSeparately(order, since);
        throw error;
      });
    },
    waiting: () => common.waiting() + separate.waiting(),
    async close() {
      await Promise.all([common.close(), separate.close()]);
    },
  };
}

type Mode = "batch" | "write";

function createLane(pool: PostgresPool, mode: Mode, onBatch: OnBatch, clock: NodeClock) {
  let sentAt = 0;
  return createOrderQueue<DebitOrder, DebitOutcome>({
    batchMax: LEDGER_BATCH_MAX,
    send(orders, again) {
      sentAt = performance.now();
      // An order that may have been carried out waits for the lock, because its own first transaction may hold it.
      const decided = again
        ? decideAll(pool, "write", orders, { isCareful: true, clock })
        : decideApart(pool, mode, orders, clock);
      return decided.catch((error) => {
        throw orderFault(error);
      });
    },
    mayBeOneOrder: (error) => error instanceof StatementRejected,
    sureRetries: SURE_RETRIES,
    waitMs,
    onBatch: (batch) => onBatch?.({ ...batch, commitMs: performance.now() - sentAt }),
  });
}

/** Decides a batch. If another transaction holds some of the accounts, their orders fail with `AccountHeld`. */
async function decideApart(pool: PostgresPool, mode: Mode, orders: DebitOrder[], clock: NodeClock) {
  try {
    return await decideAll(pool, mode, orders, { clock });
  } catch (error) {
    if (!isLocked(error)) throw error;
    const accounts = [...new Set(orders.map(({ account }) => account))];
    const free = new Set(
      (await pool.once<{ id: string }>("write", FREE, [accounts])).map(({ id }) => id),
    );
    const others = orders.filter(({ account }) => free.has(account));
    const decided = others.length === 0 ? [] : await decideAll(pool, mode, others, { clock });
    const outcomes = new Map(others.map((order, i) => [order, decided[i]]));
    return orders.map((order) => outcomes.get(order) ?? new AccountHeld(HELD));
  }
}

const HELD = "Another transaction holds the account";
/** Returns the accounts that can be locked. A missing account counts as one. */
const FREE = `
  SELECT id FROM unnest($1) named(id) WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.id = named.id)
  UNION ALL
  SELECT id FROM (SELECT id FROM account WHERE id = ANY ($1) ORDER BY no FOR NO KEY UPDATE SKIP LOCKED) free`;

/** Decides a batch. Orders that may have been carried out before are looked up first; otherwise a unique constraint finds a repeated debit. */
async function decideAll(
  pool: PostgresPool,
  mode: Mode,
  orders: DebitOrder[],
  how: How,
): Promise<(DebitOutcome | Error)[]> {
  try {
    return await pool.roundTrips(mode, (send) => decideTogether(send, "debit", orders, how));
  } catch (error) {
    if (how.isCareful || codeOf(error) !== UNIQUE_VIOLATION) throw error;
    return decideAll(pool, mode, orders, { ...how, isCareful: true });
  }
}
