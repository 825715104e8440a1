import { isReading, type SqlDatabase } from "../sql/sql-database.ts";
import type { SqlDriver } from "./driver.ts";

/**
 * Creates a database of batches over a driver, for the statements of `stores/sql`, which are written once for all databases. Each batch
 * is one transaction. A batch that only reads takes no write lock.
 */
export function createSqliteDatabase(driver: SqlDriver): SqlDatabase {
  return {
    batch: async (queries) =>
      driver.transaction(queries.every(isReading) ? "read" : "write", () =>
        queries.map(({ sql, values }) => driver.prepare(sql).all(...values)),
      ),
  };
}
