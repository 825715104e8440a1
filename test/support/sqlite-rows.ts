import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { HANGS_MS } from "./deadline.ts";

/**
 * The rows of a query of a database that a server may be opening just now: none before it has made the table. A connection for reading
 * alone cannot open the file between the moments at which its log and the log's index are made.
 */
export function sqliteRows(file: string, sql: string): Record<string, SQLOutputValue>[] {
  const database = new DatabaseSync(file, { timeout: HANGS_MS });
  try {
    return database.prepare(sql).all();
  } catch (error) {
    if (/^no such table: /.test((error as Error).message)) return [];
    throw error;
  } finally {
    database.close();
  }
}
