import type { Migration } from "./migrations.ts";

/**
 * The tables of the request log: in SQLite in a file of their own, in PostgreSQL beside the others. A row of `request_chunk` has the requests of one account that a
 * node handed over at once: a busy account costs a row a second, not one a call, and so does deleting them. `packed` is JSON without
 * its outer brackets (`accounts/request-log.ts`): `SELECT value FROM request_chunk, json_each('[' || packed || ']')`.
 */
export const sqliteRequests = `
CREATE TABLE request_chunk (
  -- Pages continue from it, so numbers must not be used again.
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  account TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  count INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  packed TEXT NOT NULL
) STRICT;
CREATE INDEX request_chunk_by_account ON request_chunk (account, no, count);
-- Errors are rare, and every visit to the home page asks for the last ones.
CREATE INDEX request_chunk_errors ON request_chunk (account, no) WHERE errors > 0;

-- Requests by hour and tool, which are kept for longer.
CREATE TABLE request_hour (
  account TEXT NOT NULL,
  hour INTEGER NOT NULL,
  tool TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  PRIMARY KEY (account, hour, tool)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_hour_by_hour ON request_hour (hour);

-- Closed accounts whose last requests may still be on their way here.
CREATE TABLE request_forgotten (
  account TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export const REQUEST_LOG_MIGRATIONS: readonly Migration[] = [
  { name: "initial", sql: sqliteRequests, readableFrom: 1 },
];

/**
 * The tables of the request log in the object of an account, where each row that is written costs money. So there are no indexes: an
 * object has a few hundred chunks, and reading a row costs a thousandth of writing one.
 */
export const objectRequests = `
-- Requests in the order in which they arrived here. The newest chunk takes more of its day until it is full.
CREATE TABLE request_chunk (
  -- Never used again, because pages continue from it: at least the time in milliseconds.
  no INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  count INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  -- JSON: the requests and errors by hour and tool.
  counts TEXT NOT NULL,
  packed TEXT NOT NULL
) STRICT;

-- The same counts of chunks that were deleted, by UTC day.
CREATE TABLE request_day (
  day INTEGER PRIMARY KEY,
  counts TEXT NOT NULL
) STRICT;
`;
