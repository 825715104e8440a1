/**
 * The ledger's tables in SQLite: part of a node's file and, alone, the database of a Durable Object. PostgreSQL has all of them but the
 * debits (in-postgres.ts), which therefore are a text of their own.
 *
 * The schema is a TypeScript module and not a .sql file because the same text loads in Node, in the Worker's bundle and in
 * tests, and none of them needs a file system or a loader for it. docs/storage.md describes every table and column.
 *
 * Rows name accounts and keys by small integers (`no`), so that a debit takes about 60 bytes. No index has a column that a
 * debit changes, until it spends the last credit of a grant. Checks do without IN, which at the edge counts as a row read.
 *
 * The text has no comments, because the API Worker carries it. What the reader of the SQL should know:
 *
 * - A `reversal` repeats what its debit was, because the debit is rolled up before the reversal's entry goes.
 * - `account.front_grant` and `rest` are the balance without a sum (ledger/rules/balance.ts).
 * - `usage_kept` sums the debits of the account before `account.summed_until` that are neither reversed nor rolled up
 *   (stores/sql/usage.ts).
 * - `api_key.budget_spent` is null without a budget, so that most debits leave the row unchanged.
 * - `credit_grant_to_spend` is in burn order; grants without an expiry come last. It has the column `spent`, which changes
 *   seldom. The indexes after it have the order of an account's entries, so that a page costs the same at any depth.
 * - `debit_journal` is for files that many accounts share: new debits are appended in order of time, so that a commit changes
 *   few pages however many accounts called. Slices move to `debit_by_account` (stores/sqlite/new-debits.ts). A Durable Object uses it
 *   for the debits of an earlier period (stores/sqlite/debit-periods.ts).
 * - `checksum` covers the other columns of its row (stores/sqlite/row-checksum.ts). At the edge it is null.
 * - `event` has AUTOINCREMENT, because its numbers are part of an event's id and must never be reused.
 */
export const ledgerAccounts = `
CREATE TABLE account (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state = 'open' OR state = 'suspended' OR state = 'closed'),
  free_call TEXT NOT NULL CHECK (free_call = 'open' OR free_call = 'used' OR free_call = 'withheld'),
  low_balance INTEGER NOT NULL DEFAULT 20 CHECK (low_balance >= 0),
  notified_level TEXT DEFAULT 'gone'
    CHECK (notified_level = 'enough' OR notified_level = 'low' OR notified_level = 'gone'),
  lifetime_grants INTEGER NOT NULL DEFAULT 0 CHECK (lifetime_grants >= 0),
  front_grant TEXT,
  rest INTEGER NOT NULL DEFAULT 0,
  summed_until INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER
) STRICT;

CREATE TABLE api_key (
  no INTEGER PRIMARY KEY,
  account_no INTEGER NOT NULL REFERENCES account (no),
  id TEXT NOT NULL UNIQUE,
  sha256 TEXT NOT NULL UNIQUE,
  start TEXT NOT NULL,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER,
  previous_sha256 TEXT,
  previous_until INTEGER,
  limits TEXT,
  budget_spent TEXT,
  checksum INTEGER,
  use_checksum INTEGER,
  CHECK ((previous_sha256 IS NULL) = (previous_until IS NULL))
) STRICT;
CREATE INDEX api_key_by_account ON api_key (account_no, created_at, no);
CREATE UNIQUE INDEX api_key_by_previous ON api_key (previous_sha256) WHERE previous_sha256 IS NOT NULL;

CREATE TABLE credit_grant (
  no INTEGER PRIMARY KEY,
  account_no INTEGER NOT NULL REFERENCES account (no),
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  remaining INTEGER NOT NULL CHECK (remaining >= 0),
  spent INTEGER NOT NULL,
  voided INTEGER NOT NULL DEFAULT 0 CHECK (voided >= 0),
  voided_at INTEGER,
  clawback INTEGER NOT NULL DEFAULT 0 CHECK (clawback BETWEEN 0 AND amount),
  clawback_version INTEGER NOT NULL DEFAULT 0,
  granted_at INTEGER NOT NULL,
  expires_at INTEGER,
  waived_expires_at INTEGER CHECK (waived_expires_at IS NULL OR expires_at IS NULL),
  event_due_at INTEGER,
  checksum INTEGER,
  UNIQUE (account_no, id),
  CHECK (remaining + voided <= amount),
  CHECK (spent = (remaining = 0))
) STRICT;
CREATE INDEX credit_grant_to_spend ON credit_grant
  (account_no, coalesce(expires_at, 9007199254740991), granted_at, no) WHERE spent = 0;
CREATE INDEX credit_grant_by_age ON credit_grant (account_no, granted_at, id);
CREATE INDEX credit_grant_by_end ON credit_grant (account_no, expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX credit_grant_voided ON credit_grant (account_no, voided_at, id) WHERE voided_at IS NOT NULL;
CREATE INDEX credit_grant_by_event ON credit_grant (event_due_at, no) WHERE event_due_at IS NOT NULL;
`;

const sqliteDebits = `
CREATE TABLE debit_by_account (
  account_no INTEGER NOT NULL,
  at INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  key_no INTEGER NOT NULL,
  tool TEXT NOT NULL,
  credits INTEGER NOT NULL CHECK (credits >= 0),
  is_free INTEGER NOT NULL,
  grant_no INTEGER,
  parts TEXT,
  reversed_at INTEGER,
  checksum INTEGER,
  PRIMARY KEY (account_no, at, call_id),
  CHECK ((credits = 0) = (grant_no IS NULL)),
  CHECK (is_free = 0 OR credits = 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE debit_journal (
  account_no INTEGER NOT NULL,
  at INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  key_no INTEGER NOT NULL,
  tool TEXT NOT NULL,
  credits INTEGER NOT NULL CHECK (credits >= 0),
  is_free INTEGER NOT NULL,
  grant_no INTEGER,
  parts TEXT,
  reversed_at INTEGER,
  checksum INTEGER,
  PRIMARY KEY (at, call_id, account_no),
  CHECK ((credits = 0) = (grant_no IS NULL)),
  CHECK (is_free = 0 OR credits = 0)
) STRICT, WITHOUT ROWID;

CREATE VIEW debit AS SELECT * FROM debit_by_account UNION ALL SELECT * FROM debit_journal;
`;

export const ledgerSums = `
CREATE TABLE usage_hour (
  account_no INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  key_no INTEGER NOT NULL,
  tool TEXT NOT NULL,
  calls INTEGER NOT NULL,
  free_calls INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (account_no, hour, key_no, tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_kept (
  account_no INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  key_no INTEGER NOT NULL,
  tool TEXT NOT NULL,
  calls INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  PRIMARY KEY (account_no, hour, key_no, tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE reversal (
  account_no INTEGER NOT NULL,
  debit_at INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  reversed_at INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  debit_kept INTEGER NOT NULL DEFAULT 1,
  grant_no INTEGER,
  parts TEXT,
  key_no INTEGER,
  tool TEXT,
  checksum INTEGER,
  PRIMARY KEY (account_no, debit_at, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reversal_by_age ON reversal (account_no, reversed_at, debit_at, call_id);
CREATE INDEX reversal_rolled_up ON reversal (account_no, debit_at, call_id) WHERE debit_kept = 0;

CREATE TABLE idempotency (
  account_no INTEGER NOT NULL,
  tool TEXT NOT NULL,
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  response_sha256 TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  random TEXT,
  checksum INTEGER,
  PRIMARY KEY (account_no, tool, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (at);

CREATE TABLE event (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_no INTEGER NOT NULL REFERENCES account (no),
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;

CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

export const sqliteLedger = ledgerAccounts + sqliteDebits + ledgerSums;
