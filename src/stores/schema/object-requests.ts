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
