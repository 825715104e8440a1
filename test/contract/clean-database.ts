import type { SqlDatabase, SqlQuery } from "#stores/sql/sql-database.ts";

const query = (sql: string): SqlQuery => ({ sql, values: [] });

/**
 * Returns a function that deletes what the rules of contracts have written. Creating a database costs more than most rules, so they
 * share one. `listTables` selects the name of each table; tables that have rows at first keep theirs.
 */
export function createCleaner({ batch }: SqlDatabase, listTables: string): () => Promise<void> {
  let deletions: Promise<SqlQuery[]> | undefined;
  async function findTables(): Promise<SqlQuery[]> {
    const [rows = []] = await batch([query(listTables)]);
    const names = rows.map(({ name }) => `"${name}"`);
    const counts = await batch(names.map((name) => query(`SELECT count(*) AS total FROM ${name}`)));
    const empty = names.filter((_, index) => Number(counts[index]?.[0]?.["total"]) === 0);
    return empty.map((name) => query(`DELETE FROM ${name}`));
  }
  return async () => {
    deletions ??= findTables();
    await batch(await deletions);
  };
}
