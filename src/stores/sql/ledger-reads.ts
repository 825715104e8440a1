import type { LedgerOperation } from "#ledger/port.ts";
import { findAccount, listKeys } from "./account-reads.ts";
import { createAudit } from "./audit.ts";
import { listCredits } from "./credits.ts";
import { createEntriesRead } from "./entries.ts";
import { createFindCall } from "./find-call.ts";
import type { LedgerRead } from "./ledger-read.ts";
import type { SqlDialect } from "./sql-database.ts";
import { usage } from "./usage.ts";

/** The operations that only read. */
export type ReadName = Extract<
  LedgerOperation,
  "findAccount" | "listKeys" | "credits" | "findCall" | "usage" | "entries" | "audit"
>;

export type LedgerReads = { [Name in ReadName]: LedgerRead<Name> };

export const createLedgerReads = (dialect: SqlDialect): LedgerReads => ({
  findAccount,
  listKeys,
  credits: listCredits,
  findCall: createFindCall(dialect),
  usage,
  entries: createEntriesRead(dialect),
  audit: createAudit(dialect),
});

const READ_NAMES: readonly string[] = Object.keys(createLedgerReads("sqlite"));

export const isReadName = (name: string): name is ReadName => READ_NAMES.includes(name);
