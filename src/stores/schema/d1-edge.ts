/** What D1 has in addition to sqlite-people.ts: the list of accounts, for each has a database of its own, and the edge's queues. */
export const d1Edge = `
-- Every account that may have an object. Written before the object is first used, so that operators can list them all.
CREATE TABLE account_index (
  account TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX account_index_by_age ON account_index (created_at, account);

-- Calls that got 503 although their debit may exist. They are reversed, with retries, until the ledger confirms it.
CREATE TABLE kept_reversal (
  account TEXT NOT NULL,
  call_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  kept_at INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  PRIMARY KEY (account, at, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_reversal_by_due ON kept_reversal (due_at);

-- Events that the accounts' objects have forwarded, as JSON, until they are handled.
CREATE TABLE forwarded_notice (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  notice TEXT NOT NULL
) STRICT;
`;
