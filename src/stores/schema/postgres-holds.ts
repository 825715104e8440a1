/** The calls that run before they are charged, in PostgreSQL: the tables of sqlite-holds.ts, which also describes them. */
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
