import type { DebitOrder } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import { createPostgresCalls } from "#stores/postgres/calls.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";

/** The cost of a debit in pages read and bytes of write-ahead log, which other programs on the machine do not affect. */
export type DebitCost = { pages: number; walBytes: number };

const ACCOUNTS = 1_000;
const DAYS = 30;
const BATCH = 50;
const BATCHES = 10;

/**
 * Creates the partitions of the last 30 days, including today, and the accounts, without a vacuum that would come at some time:
 * the cost would depend on it.
 */
export async function prepareGrowth(pool: PostgresPool, now: number): Promise<void> {
  await fillAccounts(pool, ACCOUNTS);
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const days = Array.from({ length: DAYS }, (_, i) => today - i * DAY_MS);
  const tables = days.map((day) => {
    const name = `debit_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
    return `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF debit FOR VALUES FROM (${day}) TO (${day + DAY_MS})`;
  });
  await pool.transaction("upkeep", (query) => query(tables.join(";")));
  await stopVacuum(pool);
}

/** From now on, nothing vacuums or analyzes the tables of this database by itself. */
export const stopVacuum = (pool: PostgresPool) =>
  pool.connections.query(`DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
    LOOP EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', name); END LOOP;
  END $$`);

/** Inserts the debits `from` to `to`, of all accounts in turn, spread over the days. */
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
 * Measures on one connection, after one debit per account has filled the backend's caches. `keyed`: every debit has its own
 * idempotency key.
 */
export async function measureDebits(
  url: string,
  now: number,
  name: string,
  keyed = false,
): Promise<DebitCost> {
  const pool = openPostgresPool(url, { max: 1 });
  const { submit, close } = createPostgresCalls(pool, "debit");
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
    const sum = { pages: 0, walBytes: 0 };
    for (let number = 0; number < turn + BATCHES; number += 1) {
      const { pages, walBytes } = await debit(number);
      if (number < turn) continue;
      sum.pages += pages;
      sum.walBytes += walBytes;
    }
    const debits = BATCHES * BATCH;
    return { pages: sum.pages / debits, walBytes: sum.walBytes / debits };
  } finally {
    await close();
    await pool.close();
  }
}

const accountAt = (n: number) => `bench_${n}`;

export const orderAt = (account: number, callId: string, now: number): DebitOrder => ({
  account: accountAt(account),
  keySha256: `key_of_${accountAt(account)}`,
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

/** Returns the pages read and bytes logged by the pool's only backend so far, including this query. */
export async function readBackend({ connections }: PostgresPool) {
  // Statistics of a transaction arrive after its end, at most once per second unless requested.
  await connections.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await connections.query<{ pages: string; wal: string }>(`
    SELECT (SELECT sum(hits + coalesce(reads, 0)) FROM pg_stat_get_backend_io(pg_backend_pid()) WHERE object = 'relation') AS pages,
      (SELECT wal_bytes FROM pg_stat_get_backend_wal(pg_backend_pid())) AS wal`);
  return { pages: Number(rows[0]?.pages), walBytes: Number(rows[0]?.wal) };
}

/** Inserts accounts with one key, one grant that no run can spend, and no free call. `from`: the number of the first. */
export async function fillAccounts(
  { transaction }: PostgresPool,
  count: number,
  { from = 0, isAnalyzed = true } = {},
): Promise<void> {
  await transaction("upkeep", async (query) => {
    await query(
      `INSERT INTO account (id, created_at, free_call, notified_level, front_grant)
       SELECT 'bench_' || n, 0, 'withheld', 'enough', 'bench' FROM generate_series($1::int, $2::int - 1) n`,
      [from, from + count],
    );
    await query(`INSERT INTO api_key (account_no, id, sha256, start, label, created_at)
      SELECT no, 'key_' || id, 'key_of_' || id, 'tb', 'bench', 0 FROM account ON CONFLICT DO NOTHING`);
    await query(`INSERT INTO credit_grant (account_no, id, kind, amount, remaining, spent, granted_at)
      SELECT no, 'bench', 'operator', 1000000000, 1000000000, 0, 0 FROM account ON CONFLICT DO NOTHING`);
  });
  if (isAnalyzed)
    await transaction("upkeep", (query) => query("ANALYZE account, api_key, credit_grant"));
}
