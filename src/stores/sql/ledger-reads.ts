import { findAccount, listKeys } from "./account-reads.ts";
import { createAudit } from "./audit.ts";
import { listCredits } from "./credits.ts";
import { createEntriesRead } from "./entries.ts";
import { createFindCall } from "./find-call.ts";
import type { LedgerRead, ReadName } from "./ledger-read.ts";
import type { SqlDialect } from "./sql-database.ts";
import { usage } from "./usage.ts";

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
