import type { Ledger, LedgerOperations } from "#ledger/port.ts";
import type { LedgerRead } from "#stores/sql/ledger-read.ts";
import { createLedgerReads, type ReadName } from "#stores/sql/ledger-reads.ts";
import type { SqlRow } from "#stores/sqlite/driver.ts";
import { textOf } from "./database.ts";
import type { PostgresPool } from "./pool.ts";

/** The operations that only read, each in one round trip and one snapshot. */
export function createPostgresReads({
  together,
}: Pick<PostgresPool, "together">): Pick<Ledger, ReadName> {
  const reads = createLedgerReads("postgres");
  const over = <Name extends ReadName>(name: Name) => {
    const { queries, outcome, isReport }: LedgerRead<Name> = reads[name];
    return async (order: LedgerOperations[Name][0]): Promise<LedgerOperations[Name][1]> => {
      const statements = queries(order).map(textOf);
      const mode = isReport?.(order) ? "report" : statements.length > 1 ? "snapshot" : "read";
      return outcome(await together<SqlRow>(mode, statements), order);
    };
  };
  return {
    findAccount: over("findAccount"),
    listKeys: over("listKeys"),
    credits: over("credits"),
    usage: over("usage"),
    recentCalls: over("recentCalls"),
    entries: over("entries"),
    listEvents: over("listEvents"),
    audit: over("audit"),
  };
}
