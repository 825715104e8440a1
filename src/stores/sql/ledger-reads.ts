import { findAccount, listCredits, listEvents, listKeys } from "./account-reads.ts";
import { audit } from "./audit.ts";
import { createEntriesRead } from "./entries.ts";
import type { LedgerRead } from "./ledger-read.ts";
import type { SqlDialect } from "./sql-database.ts";
import { recentCalls, usage } from "./usage.ts";

export type ReadName =
  | "findAccount"
  | "listKeys"
  | "credits"
  | "usage"
  | "recentCalls"
  | "entries"
  | "listEvents"
  | "audit";

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
