import type { PostgresPool } from "./pool.ts";

/** What grows or falls behind in PostgreSQL while calls still succeed. */
export type DatabaseMeasures = {
  /** The size of the database with its indexes, without the server's write-ahead log. */
  bytes: number;
  /** The age of the oldest transaction that keeps the server from removing old versions of rows; 0 if there is none. */
  oldestTransactionMs: number;
};

/** Sessions of other users show neither their time nor their snapshot, unless this user is a member of pg_read_all_stats. */
const MEASURE = `
  SELECT pg_database_size(current_database()) AS bytes, coalesce((
    SELECT floor(extract(epoch FROM clock_timestamp() - min(xact_start)) * 1000)::bigint FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)), 0) AS "oldestTransactionMs"`;

export async function measurePostgres({
  once,
}: Pick<PostgresPool, "once">): Promise<DatabaseMeasures> {
  const [row] = await once<DatabaseMeasures>("read", MEASURE);
  return row ?? { bytes: 0, oldestTransactionMs: 0 };
}
