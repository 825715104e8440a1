/**
 * The ledger in PostgreSQL: the tables of `docs/storage.md`, with what many writers need.
 *
 * Lock order: whoever changes anything of an account first locks its row in `account`, several in the order of `no`. Nobody
 * waits for another lock while holding one, but for that of a later account: so nobody waits in a circle.
 *
 * Updates of a grant's `remaining` stay within their page (HOT): no index has that column, pages are kept half empty.
 */
export const postgres0001Ledger = `
CREATE TABLE account (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'suspended', 'closed')),
  free_call text NOT NULL CHECK (free_call IN ('open', 'used', 'withheld'))
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
  -- For the index of the few grants that a debit looks at: it changes once in a grant's life.
  spent boolean GENERATED ALWAYS AS (remaining = 0) STORED,
  voided bigint NOT NULL DEFAULT 0 CHECK (voided >= 0),
  voided_at bigint,
  granted_at bigint NOT NULL,
  expires_at bigint,
  UNIQUE (account_no, id),
  CHECK (remaining + voided <= amount)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX credit_grant_open ON credit_grant (account_no) WHERE NOT spent;
CREATE INDEX credit_grant_by_age ON credit_grant (account_no, granted_at, id);
CREATE INDEX credit_grant_by_end ON credit_grant (account_no, expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX credit_grant_voided ON credit_grant (account_no, voided_at, id) WHERE voided_at IS NOT NULL;

-- One row a call, a partition a UTC day (postgres-partitions.ts). Rows are added, read and dropped with their day.
CREATE TABLE debit (
  account_no bigint NOT NULL,
  at bigint NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  key_no bigint NOT NULL,
  tool text COLLATE "C" NOT NULL,
  credits bigint NOT NULL CHECK (credits >= 0),
  grant_no bigint,
  reversed_at bigint,
  PRIMARY KEY (account_no, at, call_id),
  CHECK ((credits = 0) = (grant_no IS NULL))
) PARTITION BY RANGE (at);
-- For days that have no partition of their own: a clock that is far out, a ledger that was moved here.
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

CREATE TABLE reversal (
  account_no bigint NOT NULL,
  debit_at bigint NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  reversed_at bigint NOT NULL,
  credits bigint NOT NULL,
  -- False once the debit was folded away.
  debit_kept boolean NOT NULL DEFAULT true,
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

CREATE TABLE setting (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);
`;
