/** What only the edge has: a list of accounts, for each of them is a database of its own; and what is done later. */
export const d10003Edge = `
-- Every account that may have an object: noted before the object is opened.
CREATE TABLE account_index (
  account TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX account_index_by_age ON account_index (created_at, account);

-- What an operator did over the network.
CREATE TABLE operator_act (
  no INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  act TEXT NOT NULL,
  -- The id of the account or of the key that it was done to, where there is one; never an address.
  subject TEXT,
  outcome TEXT NOT NULL,
  -- The network address that it came from, as far as it is known.
  address TEXT
) STRICT;

-- Calls that were refused with 503 though they may have been paid: they are given back until that has come through.
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
`;
