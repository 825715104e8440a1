import type { LedgerOperation, Order, Outcome } from "#ledger/port.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import type { SqlQuery } from "./sql-database.ts";

/**
 * A read operation of the ledger: its queries, which run in one round trip and one snapshot, and how to read their rows. The SQL is
 * written once, for SQLite and PostgreSQL.
 */
export type LedgerRead<Name extends LedgerOperation> = {
  queries(order: Order<Name>): SqlQuery[];
  outcome(rows: SqlRow[][], order: Order<Name>): Outcome<Name>;
  /** What a second round trip adds to the outcome; null if it is complete. */
  addition?(outcome: Outcome<Name>, order: Order<Name>): Addition<Outcome<Name>> | null;
  /** Whether the order reads the rows of all accounts, which may take long. */
  isReport?(order: Order<Name>): boolean;
};

export type Addition<Outcome> = { queries: SqlQuery[]; outcome(rows: SqlRow[][]): Outcome };
