import { isReading, type SqlDatabase } from "../sql/sql-database.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { textOf } from "./database.ts";
import { orderFault } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * The database of the request log. Nothing waits for the disk, because losing requests in a crash is allowed. Writing nodes take turns:
 * a chunk that was committed later would otherwise come before one that a page has shown already.
 */
export function createPostgresRequestDatabase({
  together,
}: Pick<PostgresPool, "together">): SqlDatabase {
  return {
    async batch(queries) {
      const statements = queries.map(textOf);
      if (queries.every(isReading))
        return (await together<SqlRow>("snapshot", [BY_INDEX, ...statements])).slice(1);
      try {
        return (await together<SqlRow>("write", [NOT_SYNCED, TURN, ...statements])).slice(2);
      } catch (error) {
        throw orderFault(error);
      }
    },
  };
}

/** Before the table was analyzed, the planner would sort all chunks of an account to find the newest, which takes 100 ms for 40,000. */
const BY_INDEX = "SET LOCAL enable_bitmapscan = off";
const NOT_SYNCED = "SET LOCAL synchronous_commit = off";
/** An arbitrary but fixed number. The lock ends with the transaction. */
const TURN = "SELECT pg_advisory_xact_lock(7200003)";
