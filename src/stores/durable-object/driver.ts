import type { SqlDriver, SqlRow, SqlStatement, SqlValue } from "../sqlite/driver.ts";
import { CommitFailed } from "../sqlite/faults.ts";

/** The part of a Durable Object's SQLite storage that we use (developers.cloudflare.com/durable-objects/api/sqlite-storage-api). */
export type ObjectStorage = {
  sql: { exec(query: string, ...values: SqlValue[]): SqlCursor };
  /** Runs `body` in a transaction. The output gate holds responses back until the transaction is on the disk. */
  transactionSync<Result>(body: () => Result): Result;
  /** Deletes everything that the object has stored, including its schema. */
  deleteAll(): Promise<void>;
  /** The object's only alarm, in milliseconds since 1970 UTC. Setting it is billed like writing a row. */
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
};
export type SqlCursor = { toArray(): SqlRow[]; rowsRead: number; rowsWritten: number };

/** Creates a driver for an object's database. An object is one thread with one connection, so it never waits for a lock. */
export function createObjectDriver(storage: ObjectStorage): SqlDriver {
  const { sql } = storage;
  const prepare = (text: string): SqlStatement => ({
    get: (...values) => sql.exec(text, ...values).toArray()[0],
    all: (...values) => sql.exec(text, ...values).toArray(),
    run(...values) {
      const cursor = sql.exec(text, ...values);
      cursor.toArray();
      // This includes index rows, so it may exceed the number of changed rows. It is 0 only if no row changed.
      return cursor.rowsWritten;
    },
  });
  return {
    prepare,
    exec: (text) => void sql.exec(text).toArray(),
    transaction(_, body) {
      let isAtCommit = false;
      try {
        return storage.transactionSync(() => {
          const result = body();
          isAtCommit = true;
          return result;
        });
      } catch (error) {
        throw isAtCommit ? new CommitFailed(error) : error;
      }
    },
  };
}
