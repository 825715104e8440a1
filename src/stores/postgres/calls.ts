import { type KeyStatus, type KeyStatusOrder, NotCarriedOut } from "#ledger/port.ts";
import type { RuleOrders } from "#ledger/rules/rules.ts";
import { LEDGER_BATCH_MAX } from "#limits.ts";
import { type CommittedBatch, createOrderQueue, keptCharsOf } from "../order-queue.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import type { NodeClock } from "./database-clock.ts";
import { decideTogether, type How, openTogether, takeAll } from "./decide-together.ts";
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

/** What calls ask for, many at once. */
type CallName = "debit" | "hold" | "settle";
type Order<Name extends CallName> = RuleOrders[Name][0];
type Outcome<Name extends CallName> = RuleOrders[Name][1];

/**
 * Performs orders of calls in batches of one kind, one batch at a time. A batch is locked and loaded in one round trip, and saved in a
 * second one. Orders of an account that another transaction has locked for long go to a separate queue, so that the others do not wait
 * for them.
 */
export function createPostgresCalls<Name extends CallName>(
  pool: PostgresPool,
  name: Name,
  onBatch?: OnBatch,
  clock: NodeClock = "database",
  onDebit: (account: string) => void = () => {},
) {
  const common = createLane(pool, name, "batch", onBatch, clock);
  const separate = createLane(pool, name, "write", onBatch, clock);
  const held = new Set<string>();

  async function submitSeparately(order: Order<Name>, since: number): Promise<Outcome<Name>> {
    held.add(order.account);
    try {
      return await separate.submit(order, since);
    } finally {
      held.delete(order.account);
    }
  }
  return {
    submit(order: Order<Name>): Promise<Outcome<Name>> {
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

function createLane<Name extends CallName>(
  pool: PostgresPool,
  name: Name,
  mode: Mode,
  onBatch: OnBatch,
  clock: NodeClock,
) {
  return createQueue<Order<Name>, Outcome<Name>>(
    pool,
    // An order that may have been carried out waits for the lock, because its own first transaction may hold it.
    (orders, again) =>
      again
        ? decideAll(pool, name, "write", orders, { isCareful: true, clock })
        : decideApart(pool, name, mode, orders, clock),
    onBatch,
  );
}

/** A queue whose batches `decide` decides. If the server rejects a statement, each order is decided alone, so that only one of them fails. */
function createQueue<One, Outcome>(
  { orderMs }: Pick<PostgresPool, "orderMs">,
  decide: (orders: One[], again: boolean) => Promise<(Outcome | Error)[]>,
  onBatch: OnBatch,
) {
  let sentAt = 0;
  async function decideEach(orders: One[], again: boolean, rejection: StatementRejected) {
    if (orders.length === 1) return [rejection];
    const outcomes: (Outcome | Error)[] = [];
    // After one of them was carried out, an error says nothing about the whole batch.
    for (const order of orders)
      outcomes.push(...(await decide([order], again).catch((error) => [orderFault(error)])));
    return outcomes;
  }
  return createOrderQueue<One, Outcome>({
    batchMax: LEDGER_BATCH_MAX,
    charsOf: keptCharsOf,
    send(orders, again) {
      sentAt = performance.now();
      return decide(orders, again).catch((error) => {
        const fault = orderFault(error);
        if (fault instanceof StatementRejected) return decideEach(orders, again, fault);
        throw fault;
      });
    },
    sureRetries: SURE_RETRIES,
    waitMs,
    orderMs,
    onBatch: (batch) => onBatch?.({ ...batch, commitMs: performance.now() - sentAt }),
  });
}

/** Decides a batch. If another transaction holds some of the accounts, their orders fail with `AccountHeld`. */
async function decideApart<Name extends CallName>(
  pool: PostgresPool,
  name: Name,
  mode: Mode,
  orders: Order<Name>[],
  clock: NodeClock,
): Promise<(Outcome<Name> | Error)[]> {
  try {
    return await decideAll(pool, name, mode, orders, { clock });
  } catch (error) {
    if (!isLocked(error)) throw error;
    const accounts = [...new Set(orders.map(({ account }) => account))];
    const free = new Set(
      (await pool.once<{ id: string }>("write", FREE, [accounts])).map(({ id }) => id),
    );
    const others = orders.filter(({ account }) => free.has(account));
    const decided = others.length === 0 ? [] : await decideAll(pool, name, mode, others, { clock });
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

/** Decides a batch. Orders that may have been carried out before are looked up first; otherwise a unique constraint finds a repeated one. */
async function decideAll<Name extends CallName>(
  pool: PostgresPool,
  name: Name,
  mode: Mode,
  orders: Order<Name>[],
  how: How,
): Promise<(Outcome<Name> | Error)[]> {
  try {
    return await pool.roundTrips(mode, (send) => decideTogether(send, name, orders, how));
  } catch (error) {
    if (how.isCareful || codeOf(error) !== UNIQUE_VIOLATION) throw error;
    return decideAll(pool, name, mode, orders, { ...how, isCareful: true });
  }
}

/**
 * Reads key statuses in batches, like debits. They are read for calls that are rejected (a revoked key, an empty account). With
 * batches, such calls occupy one connection at most, however many there are.
 */
export function createPostgresKeyStatus(pool: PostgresPool, clock: NodeClock = "database") {
  const queue = createQueue<KeyStatusOrder, KeyStatus>(
    pool,
    (orders) => readStatuses(pool, orders, clock).catch(throwSure),
    undefined,
  );
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
async function readStatuses(
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
