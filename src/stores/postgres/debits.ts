import {
  type DebitOrder,
  type DebitOutcome,
  NotCarriedOut,
  OrderRefused,
  type Replay,
} from "#ledger/port.ts";
import { LEDGER_BATCH_MAX } from "#limits.ts";
import { createOrderQueue, type OrderQueueOptions } from "#stores/order-queue.ts";
import { codeOf, isLocked, orderFault, StatementRefused, SURE_RETRIES, waitMs } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/** Another transaction has not let go of the account in the time that a batch waits for one. */
class AccountHeld extends NotCarriedOut {}

type Events = Pick<OrderQueueOptions<DebitOrder, DebitOutcome>, "onBatch">;

/**
 * Debits in batches: one round trip a batch, one batch at a time (`migrations/postgres-0002-debit.ts` has the rules).
 * Those of an account that another transaction holds for long go a way of their own, so that nobody else waits for them.
 */
export function createPostgresDebits(pool: PostgresPool, onBatch?: Events["onBatch"]) {
  const events: Events = onBatch === undefined ? {} : { onBatch };
  const common = createLane(pool, "batch", events);
  const aside = createLane(pool, "write", events);
  const held = new Set<string>();

  async function submitAside(order: DebitOrder, since: number): Promise<DebitOutcome> {
    held.add(order.account);
    const outcome = await aside.submit(order, since);
    held.delete(order.account);
    return outcome;
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

const createLane = (pool: PostgresPool, mode: Mode, events: Events) =>
  createOrderQueue<DebitOrder, DebitOutcome>({
    ...events,
    batchMax: LEDGER_BATCH_MAX,
    async send(orders, again) {
      try {
        // What may have been carried out waits for whoever holds it: that may be its own first transaction.
        if (again) return await decide(pool, "write", orders, true);
        return await decideApart(pool, mode, orders);
      } catch (error) {
        throw orderFault(error);
      }
    },
    mayBeOneOrder: (error) => error instanceof StatementRefused,
    sureRetries: SURE_RETRIES,
    waitMs,
  });

/** Where an account is held, its orders are set apart, and the others decided. */
async function decideApart(pool: PostgresPool, mode: Mode, orders: DebitOrder[]) {
  try {
    return await decide(pool, mode, orders, namesOneTwice(orders));
  } catch (error) {
    if (!isLocked(error)) throw error;
    const accounts = [...new Set(orders.map(({ account }) => account))];
    const free = new Set(
      (await pool.once<{ id: string }>("write", FREE, [accounts])).map(({ id }) => id),
    );
    const others = orders.filter(({ account }) => free.has(account));
    const decided =
      others.length === 0 ? [] : await decide(pool, mode, others, namesOneTwice(others));
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

async function decide(pool: PostgresPool, mode: Mode, orders: DebitOrder[], each: boolean) {
  const values = [JSON.stringify(orders.map(placesOf))];
  const ask = async (name: "debit_batch" | "debit_each") => {
    const sql = `SELECT ${name}($1::jsonb) AS outcomes`;
    const [row] = await pool.once<{ outcomes: Decided[] }>(mode, sql, values);
    return (row?.outcomes ?? []).map((decided, i) => readOutcome(decided, orders[i] as DebitOrder));
  };
  if (each) return ask("debit_each");
  try {
    return await ask("debit_batch");
  } catch (error) {
    if (!CARRIED_OUT_BEFORE.has(codeOf(error) ?? "")) throw error;
    return ask("debit_each");
  }
}

/** unique_violation of the debits, and what `debit_batch` raises itself. */
const CARRIED_OUT_BEFORE: ReadonlySet<string> = new Set(["23505", "TB001"]);

function placesOf({ account, keySha256, callId, tool, now, idempotency }: DebitOrder): unknown[] {
  const call = [account, keySha256, callId, tool, now];
  if (idempotency === null) return call;
  const { key, bodySha256, answerSha256, receivedAt, random } = idempotency;
  return [...call, key, bodySha256, answerSha256, receivedAt, random];
}

function namesOneTwice(orders: DebitOrder[]): boolean {
  if (new Set(orders.map(({ callId }) => callId)).size === orders.length) return false;
  const names = new Set(orders.map(({ account, callId, now }) => `${account} ${callId} ${now}`));
  return names.size < orders.length;
}

type Decided = { o: string; c: number; b: number; r: Replay | null };

function readOutcome({ o, c, b, r }: Decided, order: DebitOrder): DebitOutcome | Error {
  switch (o) {
    case "debited":
      return { outcome: o, charged: c, balance: b };
    case "invalid_key":
      return { outcome: o };
    case "replayed":
      return { outcome: o, balance: b, replay: r as Replay };
    case "reversed":
      return new OrderRefused(`The call ${order.callId} was reversed and cannot be debited again`);
    default:
      return { outcome: o as "insufficient_credits", balance: b };
  }
}
