/**
 * Accounts that are being imported: in a node's file, in PostgreSQL, and in the object of an account, which began with the second form. A
 * TypeScript module for the reason that sqlite-ledger.ts gives.
 */
export const sqliteImports = `
CREATE TABLE account_import (
  account TEXT PRIMARY KEY,
  -- Null while its records still come in.
  finished_at INTEGER
) STRICT, WITHOUT ROWID;

-- The records of an account whose import is under way, a page a row. They become rows of the ledger together.
CREATE TABLE import_page (
  no INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  -- Of the records, so that a page that was sent twice is kept once.
  sha256 TEXT NOT NULL,
  -- A JSON array with an object for each record.
  records TEXT NOT NULL,
  UNIQUE (account, sha256)
) STRICT;
`;

/** The records of an account whose import is under way, a row for each kind in a page. They become rows of the ledger together. */
const sqlitePages = `
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

/** An import that was under way begins anew. */
export const sqliteImportsByKind = `
DROP TABLE import_page;
DELETE FROM account_import WHERE finished_at IS NULL;
${sqlitePages}`;

export const objectImports = `
CREATE TABLE account_import (
  account TEXT PRIMARY KEY,
  finished_at INTEGER
) STRICT, WITHOUT ROWID;
${sqlitePages}`;
