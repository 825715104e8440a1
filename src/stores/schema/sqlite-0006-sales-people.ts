/**
 * Purchases: what was offered, how the payment stood when it was looked at last, and the grants that came of it. Notices: what
 * is wanted of them, and webhooks.
 */
export const sqlite0006SalesPeople = `
CREATE TABLE purchase (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  offer TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  credits INTEGER NOT NULL,
  months INTEGER,
  -- Money in minor units of the currency, as the provider counts.
  price INTEGER NOT NULL,
  currency TEXT NOT NULL,
  -- The provider's names of the page and of the payment.
  session TEXT,
  payment TEXT,
  status TEXT NOT NULL,
  paid_at INTEGER,
  paid INTEGER NOT NULL,
  refunded INTEGER NOT NULL,
  refunded_at INTEGER,
  dispute TEXT NOT NULL,
  pay_url TEXT,
  receipt_url TEXT,
  invoice_url TEXT,
  grant_id TEXT,
  voided INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  restored_grant TEXT,
  trouble TEXT,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX purchase_by_account ON purchase (account, created_at, id);
CREATE INDEX purchase_by_age ON purchase (created_at, id);
CREATE INDEX purchase_by_session ON purchase (session) WHERE session IS NOT NULL;
CREATE INDEX purchase_by_payment ON purchase (payment) WHERE payment IS NOT NULL;
CREATE INDEX purchase_by_pay_day ON purchase (paid_at) WHERE paid_at IS NOT NULL;
CREATE INDEX purchase_by_refund_day ON purchase (refunded_at) WHERE refunded_at IS NOT NULL;

-- Which letters about credits the owner of an account wants; both where there is no row.
CREATE TABLE notice_choice (
  account TEXT PRIMARY KEY,
  low INTEGER NOT NULL,
  expiring INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Addresses of an account's own that get webhooks.
CREATE TABLE webhook_endpoint (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  -- As a JSON array.
  kinds TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  paused_at INTEGER,
  -- Whether the last try did well, and when it was: whose turn it is goes by that.
  did_well INTEGER NOT NULL DEFAULT 0,
  tried_at INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_endpoint_by_account ON webhook_endpoint (account, created_at, id);

-- Each webhook with its tries, kept for its owner to see.
CREATE TABLE webhook_delivery (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  endpoint TEXT NOT NULL REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
  account TEXT NOT NULL,
  notice TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'waiting',
  tries INTEGER NOT NULL DEFAULT 0,
  -- Null where it is not tried any more, or its endpoint is paused. While it is under a lease, this is the lease's end.
  due_at INTEGER,
  leased_until INTEGER NOT NULL DEFAULT 0,
  takes INTEGER NOT NULL DEFAULT 0,
  last_tried_at INTEGER,
  last_status INTEGER,
  last_fault TEXT,
  -- Whether its owner had it sent again.
  again INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_delivery_by_due ON webhook_delivery (due_at, no) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_by_endpoint ON webhook_delivery (endpoint, no);
-- One of an endpoint is on its way at a time: the one that is, and the one that is next.
CREATE INDEX webhook_delivery_leased ON webhook_delivery (endpoint) WHERE leased_until > 0;
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (endpoint, due_at, no) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_by_age ON webhook_delivery (created_at);

-- Notices of which all that comes of them was written.
CREATE TABLE notice_handled (
  notice TEXT PRIMARY KEY,
  handled_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX notice_handled_by_age ON notice_handled (handled_at);

-- Where a letter can be unsubscribed from by a single request (RFC 8058).
ALTER TABLE letter ADD COLUMN unsubscribe TEXT;

-- With the address goes what its owner wanted to be told, and where; and the links to pages of the provider's that have their
-- name on them. Whoever settles such a purchase at the moment is overtaken by that.
CREATE TRIGGER address_forgotten_notices AFTER DELETE ON address
BEGIN
  DELETE FROM webhook_endpoint WHERE account = OLD.account;
  DELETE FROM notice_choice WHERE account = OLD.account;
  UPDATE purchase SET pay_url = NULL, receipt_url = NULL, invoice_url = NULL, updated_at = updated_at + 1
    WHERE account = OLD.account
      AND (pay_url IS NOT NULL OR receipt_url IS NOT NULL OR invoice_url IS NOT NULL);
END;
`;
