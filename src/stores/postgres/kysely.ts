import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { isReading } from "../sql/sql-database.ts";
import { StatementRejected } from "./faults.ts";
import { createPersist } from "./persist.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * Kysely over our own pool: each statement finds a connection for itself, with the bounds, time-outs and retries that
 * everything else has. It has no transactions (whoever uses it is told so), for none is asked for.
 *
 * `onFault` hears of each fault of the database: who asks through Kysely may keep it to himself.
 */
export function createPostgresDialect(
  pool: PostgresPool,
  onFault: (fault: Error) => void = () => {},
): Dialect {
  const connection = connect(pool, onFault);
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => drive(connection),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

function connect(pool: PostgresPool, onFault: (fault: Error) => void): DatabaseConnection {
  const persist = createPersist();
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const reads = isReading({ sql });
      const ask = () => pool.statement(reads ? "read" : "write", sql, parameters);
      const way = { whereLost: "give up", isReading: reads, withinMs: LEDGER_TIMEOUT_MS } as const;
      const { rows, rowCount } = await persist(ask, way).catch((error: Error) => {
        // What a statement is refused for is its sender's business: there is such a row already, say.
        if (error instanceof StatementRejected) throw error.cause;
        onFault(error);
        throw error;
      });
      return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
    },
    streamQuery: refuse,
  };
}

function drive(connection: DatabaseConnection): Driver {
  return {
    async init() {},
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    async releaseConnection() {},
    // The pool is its maker's.
    async destroy() {},
  };
}

function refuse(): never {
  throw new Error("Statements go alone here: there is neither a transaction nor a stream");
}
