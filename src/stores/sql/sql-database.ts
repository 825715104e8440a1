import type { SqlRow, SqlValue } from "../sqlite/driver.ts";

/**
 * What the statements about people need of a database, so that they are written once for SQLite, D1 and others. Their
 * SQL is what these have in common: `?` stands for a value, `"columnNames"` with capitals are quoted, and how many rows
 * were changed is told by RETURNING.
 */
export type SqlQuery = { sql: string; values: readonly SqlValue[] };

export type SqlDatabase = {
  /**
   * Carries out all of the queries or none, in their order, isolated from others'; gives the rows of each. Rejects with
   * `NotCarriedOut` where nothing was changed; with any other error the outcome is unknown, or a query is faulty.
   */
  batch(queries: readonly SqlQuery[]): Promise<SqlRow[][]>;
};

/** The few queries for which the two differ, by a hint at an index, are told which one they are for. */
export type SqlDialect = "sqlite" | "postgres";

/** A query as a template: what is put into it are values, or parts of a query with values of their own. */
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

/** Values as the list of an IN. */
export const listOf = ([first = null, ...others]: readonly SqlValue[]): SqlQuery =>
  others.reduce<SqlQuery>((list, each) => sql`${list}, ${each}`, sql`${first}`);

/** The rows of the only query, or of the last of several. */
export async function lastRows(db: SqlDatabase, ...queries: SqlQuery[]): Promise<SqlRow[]> {
  return (await db.batch(queries)).at(-1) ?? [];
}

/** Some databases give numbers as texts. */
export const readNumber = (value: SqlRow[string] | undefined): number | null =>
  value == null ? null : Number(value);

/** Whether a query only reads: it then needs no lock, and may be sent again. */
export const isReading = ({ sql: text }: Pick<SqlQuery, "sql">): boolean =>
  /^\s*SELECT\b/i.test(text);

/** Whatever is no cursor starts at the newest row. */
export const readCursor = (after: string | null) =>
  after !== null && /^\d{1,15}$/.test(after) ? Number(after) : Number.MAX_SAFE_INTEGER;
