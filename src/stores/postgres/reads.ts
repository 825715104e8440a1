import type { Ledger, LedgerOperations } from "#ledger/port.ts";
import type { LedgerRead } from "../sql/ledger-read.ts";
import { overReads, type ReadName } from "../sql/ledger-reads.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { textOf } from "./database.ts";
import type { PostgresPool } from "./pool.ts";

/** The operations that only read, each in one round trip and one snapshot. */
export const createPostgresReads = ({
  together,
}: Pick<PostgresPool, "together">): Pick<Ledger, ReadName> =>
  overReads(
    "postgres",
    <Name extends ReadName>({ queries, outcome, isReport }: LedgerRead<Name>) =>
      async (order: LedgerOperations[Name][0]) => {
        const statements = queries(order).map(textOf);
        const mode = isReport?.(order) ? "report" : statements.length > 1 ? "snapshot" : "read";
        return outcome(await together<SqlRow>(mode, statements), order);
      },
  ) as never;
