import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { SqlValue } from "../sqlite/driver.ts";
import type { SqlDatabase, SqlDialect } from "./sql-database.ts";

/**
 * The database of better-auth, which runs each statement in a transaction of its own: one of better-auth would hold a connection or the
 * write lock while it does other work, and D1 has none. `parts`: those that Kysely has for a kind of database.
 */
export function signInDatabase<Type extends SqlDialect>(
  type: Type,
  parts: Omit<Dialect, "createDriver">,
  run: (query: CompiledQuery) => Promise<QueryResult<unknown>>,
) {
  const connection: DatabaseConnection = {
    executeQuery: run as DatabaseConnection["executeQuery"],
    streamQuery: throwUnsupported,
  };
  const driver: Driver = {
    async init() {},
    acquireConnection: async () => connection,
    beginTransaction: throwUnsupported,
    commitTransaction: throwUnsupported,
    rollbackTransaction: throwUnsupported,
    async releaseConnection() {},
    async destroy() {},
  };
  const dialect: Dialect = { ...parts, createDriver: () => driver };
  return { dialect, type, transaction: false as const };
}

function throwUnsupported(): never {
  throw new Error("This dialect supports neither transactions nor streams");
}

/** Statements that return rows. */
const READER = /^\s*(?:select|with|pragma)\b|\breturning\b/i;

const CHANGES = { sql: "SELECT changes() AS changes", values: [] };

/** Over SQLite or D1. `onFault` is called with each fault of the database, because better-auth may not report it. */
export const signInOverSqlite = (db: SqlDatabase, onFault: (fault: Error) => void = () => {}) =>
  signInDatabase(
    "sqlite",
    {
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    async ({ sql, parameters }) => {
      const query = { sql, values: parameters as SqlValue[] };
      const isReader = READER.test(sql);
      const [rows = [], changed] = await db
        .batch(isReader ? [query] : [query, CHANGES])
        .catch((error: Error) => {
          onFault(error);
          throw error;
        });
      if (isReader) return { rows };
      return { rows: [], numAffectedRows: BigInt(changed?.[0]?.["changes"] ?? 0) };
    },
  );
