import type { SqlRow, SqlValue } from "../sqlite/driver.ts";

/**
 * The interface to a database for statements that are written once for SQLite, D1 and PostgreSQL. They use the SQL that all of them
 * support: `?` is a parameter, column names with capitals are quoted, and RETURNING shows which rows were changed.
 */
export type SqlQuery = { sql: string; values: readonly SqlValue[] };

export type SqlDatabase = {
  /**
   * Runs the queries in sequence in one isolated transaction. Returns the rows of each. Rejects with `NotCarriedOut` if nothing was
   * changed; after any other error, the outcome is unknown or a query is invalid.
   */
  batch(queries: readonly SqlQuery[]): Promise<SqlRow[][]>;
};

/** For the few queries that differ between the two, such as those with an index hint. */
export type SqlDialect = "sqlite" | "postgres";

/** A template tag for queries. Interpolated values become parameters; interpolated queries are inserted with their parameters. */
export function sql(texts: TemplateStringsArray, ...parts: (SqlValue | SqlQuery)[]): SqlQuery {
  const values: SqlValue[] = [];
  let text = texts[0] ?? "";
  for (const [index, part] of parts.entries()) {
    if (typeof part === "object" && part !== null) {
      text += part.sql;
      values.push(...part.values);
    } else {
      text += "?";
      values.push(part);
    }
    text += texts[index + 1];
  }
  return { sql: text, values };
}

/** A part of a query that has no parameters, such as the name of a column. */
export const textSql = (text: string): SqlQuery => ({ sql: text, values: [] });

/** The list of values of an IN expression. */
export const listOf = ([first = null, ...others]: readonly SqlValue[]): SqlQuery =>
  others.reduce<SqlQuery>((list, each) => sql`${list}, ${each}`, sql`${first}`);

/**
 * A LIMIT as a part of the text. SQLite plans by the value of a parameter there, so it would prepare the statement again each time
 * that the parameter is bound, which takes 0.1 ms (sqlite3ExprIsInteger in its source).
 */
export const limitSql = (rows: number): SqlQuery =>
  textSql(`LIMIT ${Math.max(0, Math.trunc(rows))}`);

/** Runs the queries and returns the rows of the last one. */
export async function lastRows(db: SqlDatabase, ...queries: SqlQuery[]): Promise<SqlRow[]> {
  return (await db.batch(queries)).at(-1) ?? [];
}

/** Reads a number or null. Some databases return numbers as text. */
export const readNumber = (value: SqlRow[string] | undefined): number | null =>
  value == null ? null : Number(value);

/** Whether a query only reads, so that it needs no lock and may be repeated. */
export const isReading = ({ sql: text }: Pick<SqlQuery, "sql">): boolean =>
  /^\s*SELECT\b/i.test(text);

/** Reads a cursor of a list that starts with the newest row. Invalid text means the start. */
export const readCursor = (after: string | null) =>
  after !== null && /^\d{1,15}$/.test(after) ? Number(after) : Number.MAX_SAFE_INTEGER;
