/**
 * What the SQLite statements need of a database: three methods, so that the same statements run on
 * `node:sqlite` and on a Durable Object's storage.
 */
export type SqlValue = string | number | null;
export type SqlRow = Record<string, SqlValue>;

export type SqlStatement = {
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
  /** Returns how many rows were changed. */
  run(...values: SqlValue[]): number;
};

export type SqlDriver = {
  /** Statements are prepared once and kept. */
  prepare(sql: string): SqlStatement;
  /** Runs statements that take and give nothing: a schema. */
  exec(sql: string): void;
  /** All of `body` or nothing. A write transaction takes the write lock at once, so it never fails half-way for it. */
  transaction<Result>(mode: "read" | "write", body: () => Result): Result;
};
