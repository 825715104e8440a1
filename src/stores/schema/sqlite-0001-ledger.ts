/** Which address belongs to which account, and hashes of those that had one. The same wherever people are kept. */
export const ADDRESS_TABLES = `CREATE TABLE address (
  email TEXT PRIMARY KEY,
  account TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE closed_address (
  email_hash TEXT PRIMARY KEY,
  closed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;`;

/**
 * The first schema. Every table and column is described in docs/storage.md.
 * Rows name accounts and keys by small integers (`no`): a debit then takes about 60 bytes.
 */
export const sqlite0001Ledger = `
CREATE TABLE account (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'suspended', 'closed')),
  free_call TEXT NOT NULL CHECK (free_call IN ('open', 'used', 'withheld'))
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
  revoked_at INTEGER
) STRICT;
CREATE INDEX api_key_by_account ON api_key (account_no, created_at, no);

CREATE TABLE credit_grant (
  no INTEGER PRIMARY KEY,
  account_no INTEGER NOT NULL REFERENCES account (no),
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  remaining INTEGER NOT NULL CHECK (remaining >= 0),
  voided INTEGER NOT NULL DEFAULT 0 CHECK (voided >= 0),
  granted_at INTEGER NOT NULL,
  expires_at INTEGER,
  UNIQUE (account_no, id),
  CHECK (remaining + voided <= amount)
) STRICT;
-- The few grants that a debit looks at: those with something left.
CREATE INDEX credit_grant_open ON credit_grant (account_no) WHERE remaining > 0;

-- One row a call, in the order of time within an account; kept for some weeks, then folded into usage_hour.
CREATE TABLE debit (
  account_no INTEGER NOT NULL,
  at INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  key_no INTEGER NOT NULL,
  tool TEXT NOT NULL,
  credits INTEGER NOT NULL CHECK (credits >= 0),
  grant_no INTEGER,
  reversed_at INTEGER,
  PRIMARY KEY (account_no, at, call_id),
  CHECK ((credits = 0) = (grant_no IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_hour (
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
  -- 1 while the debit is kept as a row, 0 once it was folded away.
  debit_kept INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (account_no, debit_at, call_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  account_no INTEGER NOT NULL,
  tool TEXT NOT NULL,
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  answer_sha256 TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  random TEXT,
  PRIMARY KEY (account_no, tool, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (at);
CREATE INDEX idempotency_by_call ON idempotency (account_no, call_id);

${ADDRESS_TABLES}

CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
