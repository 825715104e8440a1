/**
 * The ledger's tables in PostgreSQL: those of sqlite-ledger.ts, shaped for many concurrent writers.
 *
 * Lock order: every writer first locks the rows in `account` of the accounts that it changes, in the order of `no`. It waits
 * for no other lock while it holds one, except for that of a later account, so writers cannot deadlock.
 *
 * An update of a grant's `remaining` stays within its page (HOT): no index has that column, and pages are kept half empty.
 */
export const postgresLedger = `
CREATE TABLE account (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'suspended', 'closed')),
  free_call text NOT NULL CHECK (free_call IN ('open', 'used', 'withheld')),
  -- Below this balance the owner is notified.
  low_balance bigint NOT NULL DEFAULT 20 CHECK (low_balance >= 0),
  -- The level that the owner was last notified of. Null only during the import of a file that lacks it.
  told_level text DEFAULT 'gone' CHECK (told_level IN ('enough', 'low', 'gone'))
) WITH (fillfactor = 80);

CREATE TABLE api_key (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_no bigint NOT NULL REFERENCES account (no),
  id text COLLATE "C" NOT NULL UNIQUE,
  sha256 text COLLATE "C" NOT NULL UNIQUE,
  start text NOT NULL,
  label text NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint,
  revoked_at bigint
) WITH (fillfactor = 80);
CREATE INDEX api_key_by_account ON api_key (account_no, created_at, no);

CREATE TABLE credit_grant (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_no bigint NOT NULL REFERENCES account (no),
  id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  remaining bigint NOT NULL CHECK (remaining >= 0),
  -- The index of open grants has this column, which changes once in a grant's life, in place of \`remaining\`.
  spent boolean GENERATED ALWAYS AS (remaining = 0) STORED,
  voided bigint NOT NULL DEFAULT 0 CHECK (voided >= 0),
  voided_at bigint,
  withdrawn bigint NOT NULL DEFAULT 0 CHECK (withdrawn >= 0 AND withdrawn <= amount),
  granted_at bigint NOT NULL,
  expires_at bigint,
  -- When the grant would expire if the account were not on the lifetime plan.
  waived_expires_at bigint CHECK (waived_expires_at IS NULL OR expires_at IS NULL),
  -- When a notification about the expiry is due next; null when none is. It has an index, so no debit may change it.
  look_at bigint,
  UNIQUE (account_no, id),
  CHECK (remaining + voided <= amount)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX credit_grant_open ON credit_grant (account_no) WHERE NOT spent;
-- The next indexes have the order of an account's entries, so that a page costs the same at any depth.
CREATE INDEX credit_grant_by_age ON credit_grant (account_no, granted_at, id);
CREATE INDEX credit_grant_by_end ON credit_grant (account_no, expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX credit_grant_voided ON credit_grant (account_no, voided_at, id) WHERE voided_at IS NOT NULL;
CREATE INDEX credit_grant_by_look ON credit_grant (look_at, no) WHERE look_at IS NOT NULL;

-- One row per call, one partition per UTC day (stores/postgres/partitions.ts). Rows are dropped with their day.
CREATE TABLE debit (
  account_no bigint NOT NULL,
  at bigint NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  -- 0 marks a call that was reversed before its debit arrived.
  key_no bigint NOT NULL,
  tool text COLLATE "C" NOT NULL,
  credits bigint NOT NULL CHECK (credits >= 0),
  grant_no bigint,
  reversed_at bigint,
  PRIMARY KEY (account_no, at, call_id),
  CHECK ((credits = 0) = (grant_no IS NULL))
) PARTITION BY RANGE (at);
-- For days without a partition: a clock that is far out, or an imported ledger.
CREATE TABLE debit_other PARTITION OF debit DEFAULT;

CREATE TABLE usage_hour (
  account_no bigint NOT NULL,
  hour bigint NOT NULL,
  key_no bigint NOT NULL,
  tool text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (account_no, hour, key_no, tool)
);

-- Repeats what the debit was, because the debit is rolled up before the reversal's entry goes.
CREATE TABLE reversal (
  account_no bigint NOT NULL,
  debit_at bigint NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  reversed_at bigint NOT NULL,
  credits bigint NOT NULL,
  -- False once the debit is rolled up.
  debit_kept boolean NOT NULL DEFAULT true,
  -- Null in reversals that were imported from a file that lacks them.
  grant_no bigint,
  key_no bigint,
  tool text COLLATE "C",
  PRIMARY KEY (account_no, debit_at, call_id)
);
CREATE INDEX reversal_by_age ON reversal (account_no, reversed_at, debit_at, call_id);
CREATE INDEX reversal_folded ON reversal (account_no, debit_at, call_id) WHERE NOT debit_kept;

CREATE TABLE idempotency (
  account_no bigint NOT NULL,
  tool text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  body_sha256 text COLLATE "C" NOT NULL,
  answer_sha256 text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  random text COLLATE "C",
  PRIMARY KEY (account_no, tool, key)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX idempotency_by_age ON idempotency (at);
CREATE INDEX idempotency_by_call ON idempotency (account_no, call_id);

CREATE TABLE notice (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_no bigint NOT NULL REFERENCES account (no),
  at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  data jsonb NOT NULL
);
CREATE INDEX notice_by_account ON notice (account_no, no);

CREATE TABLE setting (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);
`;
