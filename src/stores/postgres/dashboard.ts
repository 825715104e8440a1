import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { signInDatabase } from "../sql/kysely.ts";
import { isReading } from "../sql/sql-database.ts";
import { createPostgresDirectory } from "./directory.ts";
import { StatementRejected } from "./faults.ts";
import { createPersist } from "./persist.ts";
import type { PostgresPool } from "./pool.ts";

type OnFault = (fault: Error) => void;

/** Opens the stores of accounts, emails, purchases and events, and the database of better-auth. `onFault`: as for `signInOverSqlite`. */
export const createPostgresDashboardStore = (pool: PostgresPool, onFault?: OnFault) => ({
  ...createPostgresDirectory(pool),
  signInDatabase: signInOverPostgres(pool, onFault),
});

/** Each statement takes a connection for itself, with the limits, timeouts and retries of all other statements. */
export function signInOverPostgres(pool: PostgresPool, onFault: OnFault = () => {}) {
  const persist = createPersist(pool, { maySendAgain: false });
  return signInDatabase(
    "postgres",
    {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    async ({ sql, parameters }) => {
      const reads = isReading({ sql });
      const send = () => pool.statement(reads ? "read" : "write", sql, parameters);
      const { rows, rowCount } = await persist(send, { isReading: reads }).catch((error: Error) => {
        // The sender handles a rejected statement, for example after a unique violation.
        if (error instanceof StatementRejected) throw error.cause;
        onFault(error);
        throw error;
      });
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    },
  );
}
