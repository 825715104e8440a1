/** What D1 has in addition to sqlite-dashboard.ts: the list of accounts, for each has a database of its own, and the edge's queues. */
export const d1Edge = `
-- Every account that may have an object. Written before the object is first used, so that operators can list them all.
CREATE TABLE account_index (
  account TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX account_index_by_age ON account_index (created_at, account);


-- Events that the accounts' objects have forwarded, as JSON, until they are handled.
CREATE TABLE forwarded_event (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  event TEXT NOT NULL
) STRICT;
`;
