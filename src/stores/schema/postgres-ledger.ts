import { sqliteImports } from "./imports.ts";
import { inPostgres } from "./in-postgres.ts";
import { ledgerAccounts, ledgerSums } from "./sqlite-ledger.ts";

/**
 * The ledger's tables in PostgreSQL: those of SQLite but its debits, shaped for many concurrent writers.
 *
 * Lock order: every writer first locks the rows in `account` of the accounts that it changes, in the order of `no`. It waits
 * for no other lock while it holds one, except for that of a later account, so writers cannot deadlock.
 *
 * An update of a grant's `remaining` stays within its page (HOT): no index has that column, and pages are kept half empty.
 */
export const postgresLedger = `${inPostgres(ledgerAccounts)}
ALTER TABLE account SET (fillfactor = 80);
ALTER TABLE api_key SET (fillfactor = 80);
ALTER TABLE credit_grant SET
  (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- One row per call, one partition per UTC day (stores/postgres/partitions.ts). Rows are dropped with their day.
CREATE TABLE debit (
  account_no bigint NOT NULL,
  at bigint NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  -- 0 marks a call that was reversed before its debit arrived.
  key_no bigint NOT NULL,
  tool text COLLATE "C" NOT NULL,
  credits bigint NOT NULL CHECK (credits >= 0),
  -- 1 for the account's free first call.
  is_free smallint NOT NULL,
  -- The grant that paid, or the first of several.
  grant_no bigint,
  -- What each grant paid, where several did: a JSON array of {id, kind, credits}.
  parts text,
  reversed_at bigint,
  PRIMARY KEY (account_no, at, call_id),
  CHECK ((credits = 0) = (grant_no IS NULL)),
  CHECK (is_free = 0 OR credits = 0)
) PARTITION BY RANGE (at);
-- For days without a partition: a clock that is far out, or an imported ledger.
CREATE TABLE debit_other PARTITION OF debit DEFAULT;
${inPostgres(ledgerSums)}
ALTER TABLE idempotency SET (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX idempotency_by_call ON idempotency (account_no, call_id);
CREATE INDEX event_by_account ON event (account_no, no);
${inPostgres(sqliteImports)}`;
