import { isReading, type SqlDatabase } from "../sql/sql-database.ts";
import type { SqlDriver } from "./driver.ts";
import type { Turns } from "./turns.ts";

/**
 * A driver as a database of batches: each is one transaction, in a turn of its own where others use the connection over
 * more than one turn of the event loop. What only reads takes no write lock.
 */
export function createSqliteDatabase(driver: SqlDriver, turns?: Turns): SqlDatabase {
  return {
    async batch(queries) {
      const end = await turns?.take();
      try {
        return driver.transaction(queries.every(isReading) ? "read" : "write", () =>
          queries.map(({ sql, values }) => driver.prepare(sql).all(...values)),
        );
      } finally {
        end?.();
      }
    },
  };
}
