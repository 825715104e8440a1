import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import { driveOne, throwUnsupported } from "../sql/kysely-driver.ts";
import { isReading } from "../sql/sql-database.ts";
import { StatementRejected } from "./faults.ts";
import { createPersist } from "./persist.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * A Kysely dialect over our own pool. Each statement takes a connection for itself, with the limits, timeouts and retries of all
 * other statements. There are no transactions, because better-auth is configured not to use any.
 *
 * `onFault` is called with each fault of the database, because better-auth may not report it.
 */
export function createPostgresDialect(
  pool: PostgresPool,
  onFault: (fault: Error) => void = () => {},
): Dialect {
  const connection = connect(pool, onFault);
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driveOne(connection),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

function connect(pool: PostgresPool, onFault: (fault: Error) => void): DatabaseConnection {
  const persist = createPersist(pool, { maySendAgain: false });
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const reads = isReading({ sql });
      const send = () => pool.statement(reads ? "read" : "write", sql, parameters);
      const { rows, rowCount } = await persist(send, { isReading: reads }).catch((error: Error) => {
        // The sender handles a rejected statement, for example after a unique violation.
        if (error instanceof StatementRejected) throw error.cause;
        onFault(error);
        throw error;
      });
      return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
    },
    streamQuery: throwUnsupported,
  };
}
