/** The interface to a SQLite connection, which `node:sqlite` and the storage of a Durable Object implement. */
export type SqlValue = string | number | null;
export type SqlRow = Record<string, SqlValue>;

export type SqlStatement = {
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
  /** Returns the number of changed rows. */
  run(...values: SqlValue[]): number;
};

export type SqlDriver = {
  /** Prepares a statement, or returns it if it was prepared before. */
  prepare(sql: string): SqlStatement;
  /** Runs statements without parameters and results, such as a schema. */
  exec(sql: string): void;
  /**
   * Runs `body` in a transaction, which is rolled back if `body` throws. A write transaction takes the write lock at its start, so
   * it never fails later because of the lock. Throws `CommitFailed` if the commit of a write transaction fails, because it may have
   * been carried out.
   */
  transaction<Result>(mode: "read" | "write", body: () => Result): Result;
  /**
   * The checksum that is stored with a row (row-checksum.ts). Missing at the edge, where the platform checks its pages and the
   * Worker's size is bounded; the column is null there.
   */
  checksum?(values: readonly SqlValue[]): number;
};

/** Returns an INSERT of this number of rows, with a parameter for each column of each row. */
export const insertSql = (table: string, columns: string, rows = 1, rest = "") => {
  const parameters = columns.split(",").map(() => "?");
  const values = Array.from({ length: rows }, () => `(${parameters.join(", ")})`);
  return `INSERT INTO ${table} (${columns}) VALUES ${values.join(", ")} ${rest}`;
};
