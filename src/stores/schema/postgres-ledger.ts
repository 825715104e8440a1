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
  notified_level text DEFAULT 'gone' CHECK (notified_level IN ('enough', 'low', 'gone')),
  -- Grants of the lifetime plan that are in force; the account is on the plan while there is one.
  lifetime_grants bigint NOT NULL DEFAULT 0 CHECK (lifetime_grants >= 0),
  -- The balance without a sum (ledger/rules/balance.ts): the id of the grant that is spent first, and what those after it
  -- hold. A rest of -1 is not known and is summed up at the next order.
  front_grant text COLLATE "C",
  rest bigint NOT NULL DEFAULT 0,
  -- The debits before this time are summed in usage_kept.
  summed_until bigint NOT NULL DEFAULT 0
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
  revoked_at bigint,
  -- The secret before the last rotation, and its end.
  previous_sha256 text COLLATE "C",
  previous_until bigint,
  -- JSON; null where the key has none of its own.
  limits text,
  -- JSON; null without a budget, so that most debits leave the row unchanged.
  budget_spent text,
  CHECK ((previous_sha256 IS NULL) = (previous_until IS NULL))
) WITH (fillfactor = 80);
CREATE INDEX api_key_by_account ON api_key (account_no, created_at, no);
CREATE UNIQUE INDEX api_key_by_previous ON api_key (previous_sha256) WHERE previous_sha256 IS NOT NULL;

CREATE TABLE credit_grant (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_no bigint NOT NULL REFERENCES account (no),
  id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  remaining bigint NOT NULL CHECK (remaining >= 0),
  -- 1 where nothing remains: the index of grants to spend has this column, which changes seldom.
  spent smallint NOT NULL,
  voided bigint NOT NULL DEFAULT 0 CHECK (voided >= 0),
  voided_at bigint,
  -- The credits that are to be clawed back, as of this version of the figure.
  clawback bigint NOT NULL DEFAULT 0 CHECK (clawback BETWEEN 0 AND amount),
  clawback_version bigint NOT NULL DEFAULT 0,
  granted_at bigint NOT NULL,
  expires_at bigint,
  -- When the grant would expire if the account were not on the lifetime plan.
  waived_expires_at bigint CHECK (waived_expires_at IS NULL OR expires_at IS NULL),
  -- When an event about the expiry is due next; null when none is. It has an index, so no debit may change it.
  event_due_at bigint,
  UNIQUE (account_no, id),
  CHECK (remaining + voided <= amount),
  CHECK ((spent = 1) = (remaining = 0))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- In burn order; grants without an expiry come last.
CREATE INDEX credit_grant_to_spend ON credit_grant
  (account_no, coalesce(expires_at, 9007199254740991), granted_at, no) WHERE spent = 0;
-- The next indexes have the order of an account's entries, so that a page costs the same at any depth.
CREATE INDEX credit_grant_by_age ON credit_grant (account_no, granted_at, id);
CREATE INDEX credit_grant_by_end ON credit_grant (account_no, expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX credit_grant_voided ON credit_grant (account_no, voided_at, id) WHERE voided_at IS NOT NULL;
CREATE INDEX credit_grant_by_event ON credit_grant (event_due_at, no) WHERE event_due_at IS NOT NULL;

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

CREATE TABLE usage_hour (
  account_no bigint NOT NULL,
  hour bigint NOT NULL,
  key_no bigint NOT NULL,
  tool text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  -- How many of the calls were the account's free first call.
  free_calls bigint NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (account_no, hour, key_no, tool)
);

-- Sums the debits before account.summed_until that are neither reversed nor rolled up.
CREATE TABLE usage_kept (
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
  -- 1 while the debit is a row of its own, 0 once it is rolled up.
  debit_kept smallint NOT NULL DEFAULT 1,
  grant_no bigint,
  parts text,
  key_no bigint,
  tool text COLLATE "C",
  PRIMARY KEY (account_no, debit_at, call_id)
);
CREATE INDEX reversal_by_age ON reversal (account_no, reversed_at, debit_at, call_id);
CREATE INDEX reversal_rolled_up ON reversal (account_no, debit_at, call_id) WHERE debit_kept = 0;

CREATE TABLE idempotency (
  account_no bigint NOT NULL,
  tool text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  body_sha256 text COLLATE "C" NOT NULL,
  response_sha256 text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  random text COLLATE "C",
  PRIMARY KEY (account_no, tool, key)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX idempotency_by_age ON idempotency (at);
CREATE INDEX idempotency_by_call ON idempotency (account_no, call_id);

CREATE TABLE event (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_no bigint NOT NULL REFERENCES account (no),
  at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  data text NOT NULL
);
CREATE INDEX event_by_account ON event (account_no, no);

-- An account that is being imported over the network.
CREATE TABLE account_import (
  account text COLLATE "C" PRIMARY KEY,
  -- Null while its records still come in.
  finished_at bigint
);

-- The records of an account whose import is under way, a page a row. They become rows of the ledger together.
CREATE TABLE import_page (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  -- Of the records, so that a page that was sent twice is kept once.
  sha256 text COLLATE "C" NOT NULL,
  -- A JSON array with an object for each record.
  records text NOT NULL,
  UNIQUE (account, sha256)
);

CREATE TABLE setting (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);
`;
