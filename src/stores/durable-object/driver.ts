import type { SqlDriver, SqlRow, SqlStatement, SqlValue } from "../sqlite/driver.ts";

/** What we use of a Durable Object's storage with SQLite behind it (developers.cloudflare.com/durable-objects/api/sqlite-storage-api). */
export type ObjectStorage = {
  sql: { exec(query: string, ...values: SqlValue[]): SqlCursor };
  /** All of `body` or nothing; on the disk before any answer of the object leaves (the output gate). */
  transactionSync<Result>(body: () => Result): Result;
  /** Everything that the object has stored, its schema too. */
  deleteAll(): Promise<void>;
  /** When the object is to be woken, in milliseconds since 1970 UTC; one time at most. Setting it is paid for like a row. */
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
};
export type SqlCursor = { toArray(): SqlRow[]; rowsRead: number; rowsWritten: number };

/** The driver of an object's own database. One object is one thread with one connection: nobody waits for a lock. */
export function createObjectDriver(storage: ObjectStorage): SqlDriver {
  const { sql } = storage;
  const prepare = (text: string): SqlStatement => ({
    get: (...values) => sql.exec(text, ...values).toArray()[0],
    all: (...values) => sql.exec(text, ...values).toArray(),
    run(...values) {
      const cursor = sql.exec(text, ...values);
      cursor.toArray();
      // Rows of indexes count here too, so the number is no smaller than that of changed rows, and 0 where none changed.
      return cursor.rowsWritten;
    },
  });
  return {
    prepare,
    exec: (text) => void sql.exec(text).toArray(),
    transaction: (_, body) => storage.transactionSync(body),
  };
}
