import type { DebitOrder } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import { createPostgresDebits } from "#stores/postgres/debits.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { accountAt, fillAccounts, keyAt } from "./postgres-scene.ts";

/**
 * What a debit costs in pages that it looks at and bytes of write-ahead log: figures that no other program on the machine
 * changes. So is told whether a debit costs more the more debits there are.
 */
export type DebitCost = {
  pages: number;
  walBytes: number;
  /** Where each page that is written to is so for the first time since a checkpoint. */
  coldWalBytes: number;
};

const ACCOUNTS = 1_000;
const DAYS = 30;
const BATCH = 50;
const BATCHES = 10;

/** Partitions for 30 days, the last of which is today, and the accounts. */
export async function prepareGrowth(pool: PostgresPool, now: number): Promise<void> {
  await fillAccounts(pool, ACCOUNTS);
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const days = Array.from({ length: DAYS }, (_, i) => today - i * DAY_MS);
  const tables = days.map((day) => {
    const name = `debit_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
    return `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF debit FOR VALUES FROM (${day}) TO (${day + DAY_MS})`;
  });
  await pool.transaction("upkeep", (query) => query(tables.join(";")));
}

/** Debits number `from` up to `to`, of all accounts in turn, spread over the days. */
export async function fillDebits(
  { transaction }: PostgresPool,
  now: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const spread = (DAYS - 1) * DAY_MS + (now % DAY_MS) - 1_000;
  const sql = `
    INSERT INTO debit (account_no, at, call_id, key_no, tool, credits, is_free, grant_no)
    SELECT a, $2::bigint - 1 - (n * 7919977) % $3::bigint, 'call_filled_' || n, a, 'hash', 1, 0, a
    FROM (SELECT n, 1 + n % $1::bigint AS a FROM generate_series($4::bigint, $5::bigint - 1) n) filled`;
  await transaction("upkeep", (query) => query(sql, [ACCOUNTS, now, spread, from, to]));
  await transaction("upkeep", (query) => query("ANALYZE"));
}

/**
 * By one connection, after each account had its turn: so the backend's own caches are full. `keyed`: each with an
 * idempotency key of its own.
 */
export async function measureDebits(
  url: string,
  now: number,
  name: string,
  keyed = false,
): Promise<DebitCost> {
  const pool = openPostgresPool(url, { max: 1 });
  const { submit, close } = createPostgresDebits(pool);
  const debit = async (number: number) => {
    const before = await readBackend(pool);
    const orders = Array.from({ length: BATCH }, (_, i) => {
      const callId = `call_${name}_${number}_${i}`;
      const order = orderAt((number * BATCH + i) % ACCOUNTS, callId, now);
      return keyed ? { ...order, idempotency: recordOf(callId, now) } : order;
    });
    await Promise.all(orders.map((order) => submit(order)));
    const after = await readBackend(pool);
    return { pages: after.pages - before.pages, walBytes: after.walBytes - before.walBytes };
  };
  try {
    await pool.connections.query("CHECKPOINT");
    const turn = ACCOUNTS / BATCH;
    const sum = { pages: 0, walBytes: 0, coldWalBytes: 0 };
    for (let number = 0; number < turn + BATCHES; number += 1) {
      const { pages, walBytes } = await debit(number);
      if (number < turn) sum.coldWalBytes += walBytes;
      if (number < turn) continue;
      sum.pages += pages;
      sum.walBytes += walBytes;
    }
    const debits = BATCHES * BATCH;
    return {
      pages: sum.pages / debits,
      walBytes: sum.walBytes / debits,
      coldWalBytes: sum.coldWalBytes / ACCOUNTS,
    };
  } finally {
    await close();
    await pool.close();
  }
}

export const orderAt = (account: number, callId: string, now: number): DebitOrder => ({
  account: accountAt(account),
  keySha256: keyAt(account),
  callId,
  tool: "hash",
  credits: 1,
  freeCallCredits: 1,
  now,
  idempotency: null,
});

const recordOf = (key: string, now: number): DebitOrder["idempotency"] => ({
  key,
  bodySha256: "body",
  responseSha256: "answer",
  receivedAt: now,
  random: null,
});

/** What the pool's only backend has looked at and logged so far, this look included. */
async function readBackend({ connections }: PostgresPool) {
  // What a transaction did is told after its end, and at most once a second unless asked.
  await connections.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await connections.query<{ pages: string; wal: string }>(`
    SELECT (SELECT sum(hits + coalesce(reads, 0)) FROM pg_stat_get_backend_io(pg_backend_pid()) WHERE object = 'relation') AS pages,
      (SELECT wal_bytes FROM pg_stat_get_backend_wal(pg_backend_pid())) AS wal`);
  return { pages: Number(rows[0]?.pages), walBytes: Number(rows[0]?.wal) };
}
