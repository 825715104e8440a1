import type { LedgerOperation } from "#ledger/port.ts";
import { findAccount, listCredits, listEvents, listKeys } from "./account-reads.ts";
import { audit } from "./audit.ts";
import { createEntriesRead } from "./entries.ts";
import type { LedgerRead } from "./ledger-read.ts";
import type { SqlDialect } from "./sql-database.ts";
import { recentCalls, usage } from "./usage.ts";

/** The operations that only read. */
const READ_NAMES = [
  "findAccount",
  "listKeys",
  "credits",
  "usage",
  "recentCalls",
  "entries",
  "listEvents",
  "audit",
] as const;
export type ReadName = (typeof READ_NAMES)[number];

export const isReadName = (name: LedgerOperation): name is ReadName =>
  (READ_NAMES as readonly LedgerOperation[]).includes(name);

export type LedgerReads = { [Name in ReadName]: LedgerRead<Name> };

export const createLedgerReads = (dialect: SqlDialect): LedgerReads => ({
  findAccount,
  listKeys,
  credits: listCredits,
  usage,
  recentCalls,
  entries: createEntriesRead(dialect),
  listEvents,
  audit,
});

/** The same operations, each run as a store runs a read. */
export function overReads<Run>(
  dialect: SqlDialect,
  run: <Name extends ReadName>(read: LedgerRead<Name>) => Run,
): Record<ReadName, Run> {
  const entries = Object.entries(createLedgerReads(dialect));
  return Object.fromEntries(entries.map(([name, read]) => [name, run(read as never)])) as never;
}
