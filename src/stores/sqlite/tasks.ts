import type { ImportOperations } from "#ledger/transfer/account-moves.ts";
import type { SqlQuery } from "../sql/sql-database.ts";
import { createSqliteDatabase } from "./database.ts";
import type { SqlDriver, SqlRow } from "./driver.ts";
import { createSqliteImports } from "./imports.ts";

/**
 * What the ledger's thread writes besides the ledger's operations, as pairs of an order and its outcome: the statements of the stores
 * of accounts, emails, purchases and events, and imports of accounts. Each task is one transaction.
 */
export type Tasks = { statements: [readonly SqlQuery[], SqlRow[][]] } & ImportOperations;

export type PerformTask = <Name extends keyof Tasks>(
  name: Name,
  order: Tasks[Name][0],
) => Promise<Tasks[Name][1]>;

/** Returns the function that carries out tasks over the ledger's connection. */
export function createTasks(driver: SqlDriver): PerformTask {
  const tasks: { [Name in keyof Tasks]: (order: Tasks[Name][0]) => Promise<Tasks[Name][1]> } = {
    statements: createSqliteDatabase(driver).batch,
    ...createSqliteImports(driver),
  };
  return (name, order) => tasks[name](order);
}
