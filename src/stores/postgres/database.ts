import type { Ledger, LedgerOperations } from "#ledger/port.ts";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import type { LedgerRead } from "../sql/ledger-read.ts";
import { overReads, type ReadName } from "../sql/ledger-reads.ts";
import { isReading, type SqlDatabase, type SqlQuery } from "../sql/sql-database.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { literalOf } from "./literals.ts";
import { createPersist } from "./persist.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * PostgreSQL as a database of batches for what is kept about people: each is one transaction and one round trip. Batches
 * that write take turns, on all nodes together, so that what one decides by is still so when it writes: people come by
 * the second, not by the thousand.
 */
export function createPostgresDatabase({ together }: PostgresPool): SqlDatabase {
  const persist = createPersist();
  // What is written here does not name itself: of what was broken off nobody knows.
  const way = { whereLost: "give up", withinMs: LEDGER_TIMEOUT_MS } as const;
  return {
    async batch(queries) {
      const statements = queries.map(textOf);
      if (queries.every(isReading)) {
        const read = () => together<SqlRow>("snapshot", statements);
        return persist(read, { ...way, isReading: true });
      }
      const write = () => together<SqlRow>("write", [TURN, ...statements]);
      const rows = await persist(write, { ...way, isReading: false });
      return rows.slice(1);
    },
  };
}

/** Any number will do, but always the same. The lock goes with the transaction. */
const TURN = "SELECT pg_advisory_xact_lock(7200002)";

/** The query with its values written in. */
export function textOf({ sql, values }: SqlQuery): string {
  let place = -1;
  return sql.replaceAll("?", () => {
    place += 1;
    return literalOf(values[place] ?? null);
  });
}

/** The operations that only read, each in one round trip and one snapshot. */
export const createPostgresReads = ({
  together,
}: Pick<PostgresPool, "together">): Pick<Ledger, ReadName> =>
  overReads(
    "postgres",
    <Name extends ReadName>({ queries, outcome, isReport }: LedgerRead<Name>) =>
      async (order: LedgerOperations[Name][0]) => {
        const statements = queries(order).map(textOf);
        const mode = isReport?.(order) ? "report" : statements.length > 1 ? "snapshot" : "read";
        return outcome(await together<SqlRow>(mode, statements), order);
      },
  ) as never;
