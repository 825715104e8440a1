import { codeOf } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/** What the operator's command line asks PostgreSQL beside the ledger's own orders. */

/** Whether our tables were ever made in this database. */
export async function hasTables({ once }: PostgresPool): Promise<boolean> {
  const sql = "SELECT to_regclass('schema_migration') IS NOT NULL AS made";
  const [row] = await once<{ made: boolean }>("read", sql);
  return row?.made === true;
}

/** What PostgreSQL knows to be wrong with its files without reading them all: it has met it before. */
export async function findDamage({ together }: PostgresPool): Promise<string[]> {
  const [[checksums], indexes = []] = (await together("read", [CHECKSUMS, INDEXES])) as [
    { failures: number | null; last: Date | null }[],
    { name: string }[],
  ];
  const failures = checksums?.failures ?? 0;
  return [
    ...(failures > 0
      ? [
          `${failures} pages had a wrong checksum, the last one at ${checksums?.last?.toISOString()}`,
        ]
      : []),
    ...indexes.map(({ name }) => `the index ${name} is not valid`),
  ];
}

const CHECKSUMS = `SELECT checksum_failures AS failures, checksum_last_failure AS last
  FROM pg_stat_database WHERE datname = current_database()`;

const INDEXES = `SELECT relname AS name FROM pg_index JOIN pg_class ON oid = indexrelid
  WHERE NOT indisvalid AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'account'::regclass)
  ORDER BY relname`;

/** A page or an index that PostgreSQL cannot make sense of (data_corrupted, index_corrupted), as the ledger throws it or bare. */
export const isDamage = (error: unknown): boolean =>
  [error, (error as Error).cause ?? error].some((each) => /^XX00[12]$/.test(codeOf(each) ?? ""));
