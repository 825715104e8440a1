/**
 * The calls that run before they are charged: part of a node's file, of a Durable Object and of PostgreSQL. The text has no comments, for the
 * reason that sqlite-ledger.ts gives:
 *
 * - A `hold` is deleted when its call is settled or its hold ends. `key` is the idempotency key that it has claimed.
 * - A `kept_call` is the first call under an idempotency key. Its response, sealed, may be large: `response` is the last column, so that
 *   reading the others reads no page of it.
 * - `kept_bytes` sums `kept_call.bytes` for each account.
 */
export const sqliteHolds = `
CREATE TABLE hold (
  account_no INTEGER NOT NULL,
  at INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  key_no INTEGER NOT NULL,
  tool TEXT NOT NULL,
  credits INTEGER NOT NULL CHECK (credits >= 0),
  is_free INTEGER NOT NULL,
  grant_no INTEGER,
  parts TEXT,
  key TEXT,
  on_crash TEXT NOT NULL,
  lease_ms INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  has_lapsed INTEGER NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (account_no, at, call_id),
  CHECK ((credits = 0) = (grant_no IS NULL)),
  CHECK (is_free = 0 OR credits = 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX hold_by_lease ON hold (lease_until);

CREATE TABLE kept_call (
  account_no INTEGER NOT NULL,
  tool TEXT NOT NULL,
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state = 'running' OR state = 'kept' OR state = 'unknown'),
  may_act INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  response TEXT,
  PRIMARY KEY (account_no, tool, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_call_by_age ON kept_call (at);

CREATE TABLE kept_bytes (
  account_no INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT;

CREATE TRIGGER kept_call_made AFTER INSERT ON kept_call WHEN NEW.bytes > 0 BEGIN
  INSERT INTO kept_bytes (account_no, bytes) VALUES (NEW.account_no, NEW.bytes)
  ON CONFLICT (account_no) DO UPDATE SET bytes = kept_bytes.bytes + excluded.bytes;
END;
CREATE TRIGGER kept_call_changed AFTER UPDATE OF bytes ON kept_call WHEN NEW.bytes <> OLD.bytes BEGIN
  INSERT INTO kept_bytes (account_no, bytes) VALUES (NEW.account_no, 0) ON CONFLICT DO NOTHING;
  UPDATE kept_bytes SET bytes = bytes + NEW.bytes - OLD.bytes WHERE account_no = NEW.account_no;
END;
CREATE TRIGGER kept_call_deleted AFTER DELETE ON kept_call WHEN OLD.bytes > 0 BEGIN
  UPDATE kept_bytes SET bytes = bytes - OLD.bytes WHERE account_no = OLD.account_no;
END;
`;

/** In PostgreSQL beside them. A sealed response cannot be compressed. */
export const postgresHoldsStorage = `
ALTER TABLE hold SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE kept_call SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE kept_call ALTER COLUMN response SET STORAGE EXTERNAL;
ALTER TABLE kept_bytes SET (fillfactor = 50);
`;
