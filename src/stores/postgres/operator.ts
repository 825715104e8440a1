import { codeOf } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/** Queries of the operator's command line. */

/** Whether Toolbooth's tables were created in this database. */
export async function hasTables({ once }: PostgresPool): Promise<boolean> {
  const sql = "SELECT to_regclass('schema_migration') IS NOT NULL AS made";
  const [row] = await once<{ made: boolean }>("read", sql);
  return row?.made === true;
}

/** Returns the faults that PostgreSQL has already found in its files. It does not search for others. */
export async function findDamage({ together }: PostgresPool): Promise<string[]> {
  const [[checksums], indexes = []] = (await together("read", [CHECKSUMS, INDEXES])) as [
    { failures: number | null; last: Date | null }[],
    { name: string }[],
  ];
  const failures = checksums?.failures ?? 0;
  return [
    ...(failures > 0
      ? [
          `${failures} pages had a wrong checksum, most recently at ${checksums?.last?.toISOString()}`,
        ]
      : []),
    ...indexes.map(({ name }) => `the index ${name} is invalid`),
  ];
}

const CHECKSUMS = `SELECT checksum_failures AS failures, checksum_last_failure AS last
  FROM pg_stat_database WHERE datname = current_database()`;

const INDEXES = `SELECT relname AS name FROM pg_index JOIN pg_class ON oid = indexrelid
  WHERE NOT indisvalid AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'account'::regclass)
  ORDER BY relname`;

/** Whether the error or its cause reports a damaged page or index (data_corrupted, index_corrupted). */
export const isDamage = (error: unknown): boolean =>
  [error, (error as Error).cause ?? error].some((each) => /^XX00[12]$/.test(codeOf(each) ?? ""));
