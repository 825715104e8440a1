/** Purchases and notices in PostgreSQL: the tables of sqlite-0006. */
export const postgres0006SalesPeople = `
CREATE TABLE purchase (
  id text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  offer text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  credits bigint NOT NULL,
  months integer,
  price bigint NOT NULL,
  currency text COLLATE "C" NOT NULL,
  session text COLLATE "C",
  payment text COLLATE "C",
  status text NOT NULL,
  paid_at bigint,
  paid bigint NOT NULL,
  refunded bigint NOT NULL,
  refunded_at bigint,
  dispute text NOT NULL,
  pay_url text,
  receipt_url text,
  invoice_url text,
  grant_id text,
  voided bigint NOT NULL,
  spent bigint NOT NULL,
  restored_grant text,
  trouble text,
  updated_at bigint NOT NULL
);
CREATE INDEX purchase_by_account ON purchase (account, created_at, id);
CREATE INDEX purchase_by_age ON purchase (created_at, id);
CREATE INDEX purchase_by_session ON purchase (session) WHERE session IS NOT NULL;
CREATE INDEX purchase_by_payment ON purchase (payment) WHERE payment IS NOT NULL;
CREATE INDEX purchase_by_pay_day ON purchase (paid_at) WHERE paid_at IS NOT NULL;
CREATE INDEX purchase_by_refund_day ON purchase (refunded_at) WHERE refunded_at IS NOT NULL;

-- Which letters about credits the owner of an account wants; both where there is no row.
CREATE TABLE notice_choice (
  account text COLLATE "C" PRIMARY KEY,
  low integer NOT NULL,
  expiring integer NOT NULL
);

-- Addresses of an account's own that get webhooks.
CREATE TABLE webhook_endpoint (
  id text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  url text NOT NULL,
  secret text NOT NULL,
  -- As a JSON array.
  kinds text NOT NULL,
  created_at bigint NOT NULL,
  paused_at bigint,
  -- Whether the last try did well, and when it was: whose turn it is goes by that.
  did_well integer NOT NULL DEFAULT 0,
  tried_at bigint NOT NULL DEFAULT 0
);
CREATE INDEX webhook_endpoint_by_account ON webhook_endpoint (account, created_at, id);

-- Each webhook with its tries, kept for its owner to see.
CREATE TABLE webhook_delivery (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  endpoint text COLLATE "C" NOT NULL REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
  account text COLLATE "C" NOT NULL,
  notice text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  body text NOT NULL,
  created_at bigint NOT NULL,
  status text COLLATE "C" NOT NULL DEFAULT 'waiting',
  tries integer NOT NULL DEFAULT 0,
  -- Null where it is not tried any more, or its endpoint is paused. While it is under a lease, this is the lease's end.
  due_at bigint,
  leased_until bigint NOT NULL DEFAULT 0,
  takes bigint NOT NULL DEFAULT 0,
  last_tried_at bigint,
  last_status integer,
  last_fault text,
  -- Whether its owner had it sent again.
  again integer NOT NULL
);
CREATE INDEX webhook_delivery_by_due ON webhook_delivery (due_at, no) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_by_endpoint ON webhook_delivery (endpoint, no);
-- One of an endpoint is on its way at a time: the one that is, and the one that is next.
CREATE INDEX webhook_delivery_leased ON webhook_delivery (endpoint) WHERE leased_until > 0;
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (endpoint, due_at, no) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_by_age ON webhook_delivery (created_at);

-- Notices of which all that comes of them was written.
CREATE TABLE notice_handled (
  notice text COLLATE "C" PRIMARY KEY,
  handled_at bigint NOT NULL
);
CREATE INDEX notice_handled_by_age ON notice_handled (handled_at);

-- Where a letter can be unsubscribed from by a single request (RFC 8058).
ALTER TABLE letter ADD COLUMN unsubscribe text;

-- With the address goes what its owner wanted to be told, and where; and the links to pages of the provider's that have their
-- name on them. Whoever settles such a purchase at the moment is overtaken by that.
CREATE FUNCTION forget_notices() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  DELETE FROM webhook_endpoint WHERE account = OLD.account;
  DELETE FROM notice_choice WHERE account = OLD.account;
  UPDATE purchase SET pay_url = NULL, receipt_url = NULL, invoice_url = NULL, updated_at = updated_at + 1
    WHERE account = OLD.account
      AND (pay_url IS NOT NULL OR receipt_url IS NOT NULL OR invoice_url IS NOT NULL);
  RETURN NULL;
END $f$;
CREATE TRIGGER address_forgotten_notices AFTER DELETE ON address FOR EACH ROW EXECUTE FUNCTION forget_notices();
`;
