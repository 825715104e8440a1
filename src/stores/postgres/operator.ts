import type { Audit } from "#ledger/port.ts";
import { createPostgresReads } from "./database.ts";
import { codeOf } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/** Audits all accounts, and checks the database for damage. `audit` is null if it cannot be read. */
export async function checkPostgres(
  pool: PostgresPool,
  { now }: { now: number },
): Promise<{ audit: Audit | null; damage: string[] }> {
  const damage = await findDamage(pool);
  try {
    return { audit: await createPostgresReads(pool).audit({ now }), damage };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return {
      audit: null,
      damage: [...damage, `the ledger cannot be read: ${(error as Error).message}`],
    };
  }
}

/**
 * Reads every row of the ledger, so that PostgreSQL verifies the checksum of each page, and returns what that finds, with the faults
 * that PostgreSQL found before. Also a fault: its pages have no checksums.
 */
async function findDamage(pool: PostgresPool): Promise<string[]> {
  const unreadable: string[] = [];
  for (const table of LEDGER_TABLES) {
    try {
      await pool.once("report", readAllSql(table));
    } catch (error) {
      if (!isDamage(error)) throw error;
      unreadable.push(`the table ${table} cannot be read: ${(error as Error).message}`);
    }
  }
  const [[checksums], indexes = []] = (await pool.together("read", [CHECKSUMS, INDEXES])) as [
    { failures: number | null; last: Date | null; enabled: string }[],
    { name: string }[],
  ];
  const failures = checksums?.failures ?? 0;
  return [
    ...unreadable,
    ...(checksums?.enabled === "off" ? [NO_CHECKSUMS] : []),
    ...(failures > 0
      ? [
          `${failures} pages had a wrong checksum, most recently at ${checksums?.last?.toISOString()}`,
        ]
      : []),
    ...indexes.map(({ name }) => `the index ${name} is invalid`),
  ];
}

const LEDGER_TABLES = [
  ...["account", "api_key", "credit_grant", "debit", "usage_hour", "reversal", "idempotency"],
  ...["hold", "kept_call", "event"],
];

/** A whole row is not in any index, so the pages of the table itself are read. */
const readAllSql = (table: string) => `SELECT count(t.*) AS rows FROM ${table} t`;

const NO_CHECKSUMS =
  "data_checksums is off, so PostgreSQL does not notice damaged pages: stop it and run pg_checksums --enable";

const CHECKSUMS = `SELECT checksum_failures AS failures, checksum_last_failure AS last,
    current_setting('data_checksums') AS enabled
  FROM pg_stat_database WHERE datname = current_database()`;

const INDEXES = `SELECT relname AS name FROM pg_index JOIN pg_class ON oid = indexrelid
  WHERE NOT indisvalid AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'account'::regclass)
  ORDER BY relname`;

/** Whether the error or its cause reports a damaged page or index (data_corrupted, index_corrupted). */
const isDamage = (error: unknown): boolean =>
  [error, (error as Error).cause ?? error].some((each) => /^XX00[12]$/.test(codeOf(each) ?? ""));

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
