/**
 * The clock that decides what is old. Nodes have clocks of their own, and a node with a fast clock would delete rows that are not old
 * yet. So rows are deleted, and idempotency records forgotten, only if they are old by the database's clock as well. `caller`: for
 * tests that set the time.
 */
export type NodeClock = "database" | "caller";

export const DATABASE_CLOCK =
  "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock";
