import { sqlite0006SalesPeople } from "./sqlite-0006-sales-people.ts";

/** Sales at the edge: the people's tables of the SQLite store, as they are, and a place where notices of all objects meet. */
export const d10004Sales = `${sqlite0006SalesPeople}
-- Notices that the accounts' objects have handed on, as JSON, until each was carried on.
CREATE TABLE forwarded_notice (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  notice TEXT NOT NULL
) STRICT;
`;
