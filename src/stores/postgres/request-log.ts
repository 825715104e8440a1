import type { RequestChunk } from "#accounts/request-log.ts";
import type { RequestTables } from "../sql/request-log.ts";
import { isReading } from "../sql/sql-database.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { textOf } from "./database.ts";
import { orderFault } from "./faults.ts";
import { literalOf } from "./literals.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * The tables of the request log. Nothing waits for the disk, because losing requests in a crash is allowed. Writing nodes take turns:
 * a chunk that was committed later would otherwise come before one that a page has shown already.
 */
export function createPostgresRequestTables({
  together,
}: Pick<PostgresPool, "together">): RequestTables {
  const write = (statements: readonly string[]) =>
    together<SqlRow>("write", [NOT_SYNCED, TURN, ...statements])
      .catch((error) => {
        throw orderFault(error);
      })
      .then((rows) => rows.slice(2));
  return {
    batch: (queries) =>
      queries.every(isReading)
        ? together<SqlRow>("snapshot", [BY_INDEX, ...queries.map(textOf)]).then((rows) =>
            rows.slice(1),
          )
        : write(queries.map(textOf)),
    async insert(chunks: readonly RequestChunk[]) {
      const rows = chunks.map(
        ({ account, firstAt, lastAt, count, errors, packed }) =>
          `(${[account, firstAt, lastAt, count, errors, packed].map(literalOf).join(",")})`,
      );
      await write([
        `INSERT INTO request_chunk (account, first_at, last_at, count, errors, packed)
           SELECT * FROM (VALUES ${rows.join(",")}) c (account, first_at, last_at, count, errors, packed)
           WHERE NOT EXISTS (SELECT 1 FROM request_forgotten f WHERE f.account = c.account)`,
      ]);
    },
  };
}

/** Before the table was analyzed, the planner would sort all chunks of an account to find the newest, which takes 100 ms for 40,000. */
const BY_INDEX = "SET LOCAL enable_bitmapscan = off";
const NOT_SYNCED = "SET LOCAL synchronous_commit = off";
/** An arbitrary but fixed number. The lock ends with the transaction. */
const TURN = "SELECT pg_advisory_xact_lock(7200003)";
