/**
 * The durable job queue in SQLite: part of a node's file, of D1 and of PostgreSQL, and by itself the file in which a node keeps the
 * reversals that it owes (`apps/node/reversals.ts`). A TypeScript module for the reason that sqlite-ledger.ts gives.
 */
export const sqliteJobs = `
CREATE TABLE job (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  queue TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- Whom it concerns: the recipient, the endpoint, the account. Empty once it is erased.
  target TEXT NOT NULL,
  -- What logs and operators may see of the target.
  label TEXT NOT NULL,
  useful_until INTEGER,
  created_at INTEGER NOT NULL,
  -- Null while it is paused, and once it is dead. While it is leased, the end of the lease.
  due_at INTEGER,
  leased_until INTEGER NOT NULL DEFAULT 0,
  takes INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  died_at INTEGER,
  -- When payload and target of a dead job are erased.
  erase_at INTEGER,
  -- Null once it is erased. Last, so that counting jobs need not read it.
  payload TEXT
) STRICT;
CREATE INDEX job_by_due ON job (queue, due_at, no) WHERE due_at IS NOT NULL;
CREATE INDEX job_by_target ON job (queue, target, due_at, no) WHERE due_at IS NOT NULL;
-- Where jobs of a target take turns: the one that is under way.
CREATE INDEX job_leased ON job (queue, target) WHERE leased_until > 0;
CREATE INDEX job_dead ON job (died_at) WHERE died_at IS NOT NULL;
CREATE INDEX job_to_erase ON job (erase_at) WHERE erase_at IS NOT NULL;

-- Whether the last attempt at a target succeeded, and when it was: turns go by both.
CREATE TABLE job_turn (
  queue TEXT NOT NULL,
  target TEXT NOT NULL,
  did_well INTEGER NOT NULL,
  tried_at INTEGER NOT NULL,
  PRIMARY KEY (queue, target)
) STRICT, WITHOUT ROWID;
`;
