/** Accounts that are being imported, in a node's file and in the object of an account. */
export const sqliteImports = `
CREATE TABLE account_import (
  account TEXT PRIMARY KEY,
  -- Null while its records still come in.
  finished_at INTEGER
) STRICT, WITHOUT ROWID;

-- The records of an account whose import is under way, a row for each kind in a page. They become rows of the ledger together.
CREATE TABLE import_page (
  no INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- Of the records, so that a page that was sent twice is kept once.
  sha256 TEXT NOT NULL,
  -- A JSON array with an object for each record.
  records TEXT NOT NULL,
  UNIQUE (account, kind, sha256)
) STRICT;
`;
