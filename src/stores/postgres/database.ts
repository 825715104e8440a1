import type { Ledger } from "#ledger/port.ts";
import type { ReadName } from "../ledger/store-ledger.ts";
import { createLedgerReads } from "../sql/ledger-reads.ts";
import { isReading, type SqlDatabase, type SqlQuery } from "../sql/sql-database.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { literalOf } from "./literals.ts";
import { createPersist } from "./persist.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * Creates a database of batches over PostgreSQL, for the tables of the dashboard. A batch is one transaction and one round trip. Writing
 * batches of all nodes take turns, so that a condition that a batch checked still holds when it writes. This is fast enough, because
 * these tables change a few times per second at most.
 */
export function createPostgresDatabase(pool: PostgresPool): SqlDatabase {
  // Batches do not identify themselves, so one whose outcome is unknown must not be repeated.
  const persist = createPersist(pool, { maySendAgain: false });
  return {
    async batch(queries) {
      const statements = queries.map(textOf);
      if (queries.every(isReading)) {
        const read = () => pool.together<SqlRow>("snapshot", statements);
        return persist(read, { isReading: true });
      }
      const write = () => pool.together<SqlRow>("write", [TURN, ...statements]);
      const rows = await persist(write, { isReading: false });
      return rows.slice(1);
    },
  };
}

/** An arbitrary but fixed number. The lock ends with the transaction. */
const TURN = "SELECT pg_advisory_xact_lock(7200002)";

/** Returns the query with its parameters as literals. */
export function textOf({ sql, values }: SqlQuery): string {
  let index = -1;
  return sql.replaceAll("?", () => {
    index += 1;
    return literalOf(values[index] ?? null);
  });
}

/** Creates the ledger's read operations. Each round trip is one snapshot. */
export const createPostgresReads = ({
  together,
}: Pick<PostgresPool, "together">): Pick<Ledger, ReadName> =>
  createLedgerReads<Pick<Ledger, ReadName>>(
    "postgres",
    async ({ queries, outcome, addition, isReport }, order) => {
      const rowsOf = (asked: SqlQuery[]) => {
        const mode = isReport?.(order) ? "report" : asked.length > 1 ? "snapshot" : "read";
        return together<SqlRow>(mode, asked.map(textOf));
      };
      const first = outcome(await rowsOf(queries(order)), order);
      const more = addition?.(first, order) ?? null;
      return more === null ? first : more.outcome(await rowsOf(more.queries));
    },
  );
