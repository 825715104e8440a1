/**
 * The calls that run before they are charged, in SQLite: part of a node's file and of a Durable Object. The text has no comments, for the
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

/** The calls that run before they are charged, in PostgreSQL: the tables above, which are described there. */
export const postgresHolds = `
CREATE TABLE hold (
  account_no bigint NOT NULL,
  at bigint NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  key_no bigint NOT NULL,
  tool text COLLATE "C" NOT NULL,
  credits bigint NOT NULL CHECK (credits >= 0),
  is_free smallint NOT NULL,
  grant_no bigint,
  parts text,
  key text COLLATE "C",
  on_crash text COLLATE "C" NOT NULL,
  lease_ms bigint NOT NULL,
  lease_until bigint NOT NULL,
  has_lapsed smallint NOT NULL,
  PRIMARY KEY (account_no, at, call_id),
  CHECK ((credits = 0) = (grant_no IS NULL)),
  CHECK (is_free = 0 OR credits = 0)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX hold_by_lease ON hold (lease_until);

CREATE TABLE kept_call (
  account_no bigint NOT NULL,
  tool text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  body_sha256 text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('running', 'kept', 'unknown')),
  may_act smallint NOT NULL,
  bytes bigint NOT NULL,
  response text COLLATE "C",
  PRIMARY KEY (account_no, tool, key)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
-- It is sealed, so it cannot be compressed.
ALTER TABLE kept_call ALTER COLUMN response SET STORAGE EXTERNAL;
CREATE INDEX kept_call_by_age ON kept_call (at);

CREATE TABLE kept_bytes (
  account_no bigint PRIMARY KEY,
  bytes bigint NOT NULL CHECK (bytes >= 0)
) WITH (fillfactor = 50);

CREATE FUNCTION count_kept_bytes() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE
  more bigint := 0;
BEGIN
  IF TG_OP <> 'DELETE' THEN more := NEW.bytes; END IF;
  IF TG_OP <> 'INSERT' THEN more := more - OLD.bytes; END IF;
  IF more = 0 THEN RETURN NULL; END IF;
  INSERT INTO kept_bytes AS k (account_no, bytes) VALUES (coalesce(NEW.account_no, OLD.account_no), greatest(more, 0))
  ON CONFLICT (account_no) DO UPDATE SET bytes = k.bytes + more;
  RETURN NULL;
END $f$;
CREATE TRIGGER kept_call_counted AFTER INSERT OR UPDATE OR DELETE ON kept_call
  FOR EACH ROW EXECUTE FUNCTION count_kept_bytes();
`;
