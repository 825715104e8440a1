import { lastRows, type SqlDatabase, sql } from "./sql-database.ts";

/** What running calls hold and what is kept for repeats, in the whole database. */
export type HoldCounts = { holds: number; credits: number; keptBytes: number };

/** Reads a row for each running call and for each account that keeps responses. */
export async function countHolds(database: SqlDatabase): Promise<HoldCounts> {
  const [row] = await lastRows(
    database,
    sql`SELECT count(*) AS holds, coalesce(sum(credits), 0) AS credits,
          (SELECT coalesce(sum(bytes), 0) FROM kept_bytes) AS kept_bytes FROM hold`,
  );
  const numberIn = (column: string) => Number(row?.[column] ?? 0);
  return {
    holds: numberIn("holds"),
    credits: numberIn("credits"),
    keptBytes: numberIn("kept_bytes"),
  };
}
