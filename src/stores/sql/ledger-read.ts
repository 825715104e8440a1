import type { LedgerOperation, LedgerOperations } from "#ledger/port.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import type { SqlQuery } from "./sql-database.ts";

/**
 * An operation that only reads: its queries, which go to the database in one round trip and see one moment, and what their
 * rows say. Written once, in SQL that SQLite and PostgreSQL both take.
 */
export type LedgerRead<Name extends LedgerOperation> = {
  queries(order: LedgerOperations[Name][0]): SqlQuery[];
  outcome(rows: SqlRow[][], order: LedgerOperations[Name][0]): LedgerOperations[Name][1];
  /** Whether the order goes through the rows of every account, which takes its time. */
  isReport?(order: LedgerOperations[Name][0]): boolean;
};
