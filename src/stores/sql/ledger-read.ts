import type { LedgerOperation, LedgerOperations } from "#ledger/port.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import type { SqlQuery } from "./sql-database.ts";

/**
 * A read operation of the ledger: its queries, which run in one round trip and one snapshot, and how to read their rows. The SQL is
 * written once, for SQLite and PostgreSQL.
 */
export type LedgerRead<Name extends LedgerOperation> = {
  queries(order: LedgerOperations[Name][0]): SqlQuery[];
  outcome(rows: SqlRow[][], order: LedgerOperations[Name][0]): LedgerOperations[Name][1];
  /** What a second round trip adds to the outcome; null if it is complete. */
  addition?(
    outcome: LedgerOperations[Name][1],
    order: LedgerOperations[Name][0],
  ): Addition<LedgerOperations[Name][1]> | null;
  /** Whether the order reads the rows of all accounts, which may take long. */
  isReport?(order: LedgerOperations[Name][0]): boolean;
};

export type Addition<Outcome> = { queries: SqlQuery[]; outcome(rows: SqlRow[][]): Outcome };
