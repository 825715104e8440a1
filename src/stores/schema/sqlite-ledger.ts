/**
 * The ledger's tables in SQLite: part of a node's file and, alone, the database of a Durable Object.
 *
 * The schema is a TypeScript module and not a .sql file because the same text loads in Node, in the Worker's bundle and in
 * tests, and none of them needs a file system or a loader for it. docs/storage.md describes every table and column.
 *
 * Rows name accounts and keys by small integers (`no`), so that a debit takes about 60 bytes. No index has a column that a
 * debit changes, until it spends the last credit of a grant. Checks do without IN, which at the edge counts as a row read.
 */
export const sqliteLedger = `
CREATE TABLE account (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state = 'open' OR state = 'suspended' OR state = 'closed'),
  free_call TEXT NOT NULL CHECK (free_call = 'open' OR free_call = 'used' OR free_call = 'withheld'),
  -- Below this balance the owner is notified.
  low_balance INTEGER NOT NULL DEFAULT 20 CHECK (low_balance >= 0),
  -- The level that the owner was last notified of. Null only during the import of a file that lacks it.
  notified_level TEXT DEFAULT 'gone'
    CHECK (notified_level = 'enough' OR notified_level = 'low' OR notified_level = 'gone'),
  -- Grants of the lifetime plan that are in force; the account is on the plan while there is one.
  lifetime_grants INTEGER NOT NULL DEFAULT 0 CHECK (lifetime_grants >= 0),
  -- The balance without a sum (ledger/rules/balance.ts): the id of the grant that is spent first, and what those after it
  -- hold. A rest of -1 is not known and is summed up at the next order.
  front_grant TEXT,
  rest INTEGER NOT NULL DEFAULT 0
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
  -- The secret before the last rotation, and its end.
  previous_sha256 TEXT,
  previous_until INTEGER,
  -- JSON; null where the key has none of its own.
  limits TEXT,
  -- JSON; null without a budget, so that most debits leave the row unchanged.
  budget_spent TEXT,
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
  -- 1 where nothing remains: the index of grants to spend has this column, which changes seldom.
  spent INTEGER NOT NULL,
  voided INTEGER NOT NULL DEFAULT 0 CHECK (voided >= 0),
  voided_at INTEGER,
  -- The credits that are to be clawed back, as of this version of the figure.
  clawback INTEGER NOT NULL DEFAULT 0 CHECK (clawback BETWEEN 0 AND amount),
  clawback_version INTEGER NOT NULL DEFAULT 0,
  granted_at INTEGER NOT NULL,
  expires_at INTEGER,
  -- When the grant would expire if the account were not on the lifetime plan.
  waived_expires_at INTEGER CHECK (waived_expires_at IS NULL OR expires_at IS NULL),
  -- When an event about the expiry is due next; null when none is.
  event_due_at INTEGER,
  UNIQUE (account_no, id),
  CHECK (remaining + voided <= amount),
  CHECK (spent = (remaining = 0))
) STRICT;
-- In burn order; grants without an expiry come last.
CREATE INDEX credit_grant_to_spend ON credit_grant
  (account_no, coalesce(expires_at, 9007199254740991), granted_at, no) WHERE spent = 0;
-- The next indexes have the order of an account's entries, so that a page costs the same at any depth.
CREATE INDEX credit_grant_by_age ON credit_grant (account_no, granted_at, id);
CREATE INDEX credit_grant_by_end ON credit_grant (account_no, expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX credit_grant_voided ON credit_grant (account_no, voided_at, id) WHERE voided_at IS NOT NULL;
CREATE INDEX credit_grant_by_event ON credit_grant (event_due_at, no) WHERE event_due_at IS NOT NULL;

-- One row per call, in order of time within an account, until it is rolled up into usage_hour.
CREATE TABLE debit_by_account (
  account_no INTEGER NOT NULL,
  at INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  -- 0 marks a call that was reversed before its debit arrived.
  key_no INTEGER NOT NULL,
  tool TEXT NOT NULL,
  credits INTEGER NOT NULL CHECK (credits >= 0),
  -- 1 for the account's free first call.
  is_free INTEGER NOT NULL,
  -- The grant that paid, or the first of several.
  grant_no INTEGER,
  -- What each grant paid, where several did: a JSON array of {id, kind, credits}.
  parts TEXT,
  reversed_at INTEGER,
  PRIMARY KEY (account_no, at, call_id),
  CHECK ((credits = 0) = (grant_no IS NULL)),
  CHECK (is_free = 0 OR credits = 0)
) STRICT, WITHOUT ROWID;

-- Where many accounts share a file, new debits are appended here in order of time, so that a commit changes few pages however
-- many accounts called. Slices of it are moved to debit_by_account (stores/sqlite/journal.ts).
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
  PRIMARY KEY (at, call_id, account_no),
  CHECK ((credits = 0) = (grant_no IS NULL)),
  CHECK (is_free = 0 OR credits = 0)
) STRICT, WITHOUT ROWID;

-- All debits, wherever they are; for reading.
CREATE VIEW debit AS SELECT * FROM debit_by_account UNION ALL SELECT * FROM debit_journal;

CREATE TABLE usage_hour (
  account_no INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  key_no INTEGER NOT NULL,
  tool TEXT NOT NULL,
  calls INTEGER NOT NULL,
  -- How many of the calls were the account's free first call.
  free_calls INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  PRIMARY KEY (account_no, hour, key_no, tool)
) STRICT, WITHOUT ROWID;

-- Repeats what the debit was, because the debit is rolled up before the reversal's entry goes.
CREATE TABLE reversal (
  account_no INTEGER NOT NULL,
  debit_at INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  reversed_at INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  -- 1 while the debit is a row of its own, 0 once it is rolled up.
  debit_kept INTEGER NOT NULL DEFAULT 1,
  -- Null in reversals that were imported from a file that lacks them.
  grant_no INTEGER,
  parts TEXT,
  key_no INTEGER,
  tool TEXT,
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
  PRIMARY KEY (account_no, tool, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (at);
CREATE INDEX idempotency_by_call ON idempotency (account_no, call_id);

-- AUTOINCREMENT, because numbers are part of an event's id and must never be reused.
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
