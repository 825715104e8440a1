import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { driveOne, throwUnsupported } from "../sql/kysely-driver.ts";
import type { SqlDatabase } from "../sql/sql-database.ts";
import type { SqlValue } from "./driver.ts";

/** Statements that return rows. */
const READER = /^\s*(?:select|with|pragma)\b|\breturning\b/i;

const CHANGES = { sql: "SELECT changes() AS changes", values: [] };

/**
 * The database of better-auth, over SQLite or D1. `onFault` is called with each fault of the database, because better-auth may not
 * report it.
 */
export const signInOverSqlite = (db: SqlDatabase, onFault: (fault: Error) => void = () => {}) => ({
  dialect: createKyselyDialect(db, onFault),
  type: "sqlite" as const,
  // A transaction of better-auth would hold the write lock while it does other work, and D1 has none.
  transaction: false,
});

/** A Kysely dialect over a database of batches. Each statement is a transaction. */
function createKyselyDialect(db: SqlDatabase, onFault: (fault: Error) => void): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const query = { sql, values: parameters as SqlValue[] };
      const isReader = READER.test(sql);
      const [rows = [], changed] = await db
        .batch(isReader ? [query] : [query, CHANGES])
        .catch((error: Error) => {
          onFault(error);
          throw error;
        });
      if (isReader) return { rows: rows as Row[] };
      return { rows: [], numAffectedRows: BigInt(changed?.[0]?.["changes"] ?? 0) };
    },
    streamQuery: throwUnsupported,
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driveOne(connection),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
