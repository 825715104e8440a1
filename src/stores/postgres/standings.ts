import {
  type AccountState,
  type FreeCall,
  type KeyStatus,
  type KeyStatusOrder,
  NotCarriedOut,
} from "#ledger/port.ts";
import { LEDGER_BATCH_MAX } from "#limits.ts";
import { createOrderQueue } from "#stores/order-queue.ts";
import { orderFault, StatementRefused, SURE_RETRIES, waitMs } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * Standings in batches, as debits are: whoever is refused without end (a revoked key, an empty account) asks for them, and
 * takes one connection from those who pay, however many calls there are.
 */
export function createPostgresStandings(pool: PostgresPool) {
  const queue = createOrderQueue<KeyStatusOrder, KeyStatus>({
    batchMax: LEDGER_BATCH_MAX,
    send: (orders) => read(pool, orders).catch(throwSure),
    mayBeOneOrder: (error) => error instanceof StatementRefused,
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

type Row = { state: AccountState | null; free: FreeCall; balance: number };

async function read(pool: PostgresPool, orders: KeyStatusOrder[]): Promise<KeyStatus[]> {
  const values = [JSON.stringify(orders.map((of) => [of.keySha256, of.account, of.now]))];
  const rows = await pool.once<Row>("read", STANDINGS, values);
  return rows.map(readStanding);
}

/** Each by itself (LATERAL with a LIMIT), so that the plan is the lookup of a key, whatever the tables hold. */
const STANDINGS = `
  SELECT found.state, found.free, found.balance
  FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY named(o, no)
  LEFT JOIN LATERAL (
    SELECT a.state, a.free_call AS free, balance_at(a.no, (o->>2)::bigint) AS balance
    FROM api_key k JOIN account a ON a.no = k.account_no
    WHERE k.sha256 = o->>0 AND a.id = o->>1 AND k.revoked_at IS NULL AND a.state <> 'closed' LIMIT 1
  ) found ON true
  ORDER BY named.no`;

function readStanding({ state, free, balance }: Row): KeyStatus {
  if (state === null) return { outcome: "invalid_key" };
  if (state === "suspended") return { outcome: "account_suspended", balance };
  return { outcome: "good", balance, freeCall: free === "open" };
}
