/**
 * The tables of the dashboard in SQLite: who signs in, their addresses, emails, purchases, webhooks, and what operators did.
 * Part of a node's file, of D1 (d1-migrations.ts) and of PostgreSQL (in-postgres.ts). A TypeScript module for the reason that
 * sqlite-ledger.ts gives.
 *
 * `users` (`user` is a reserved word of PostgreSQL), `user_session`, `user_login`, `user_token` and `user_passkey` have the columns that
 * better-auth 1.7 reads and writes, in its names; times in them are ISO 8601 texts. The second migration (passwordless.ts) drops
 * `user_totp` and everything else about second factors.
 */
export const sqliteDashboard = `
CREATE TABLE address (
  email TEXT PRIMARY KEY,
  account TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Hashes of the addresses of closed accounts, so that signing up again brings no second free call: of their canonical form.
CREATE TABLE closed_address (
  email_hash TEXT PRIMARY KEY,
  closed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which accounts got starter credits, and why others did not. email_hash stands for the person, in the canonical form of the address.
CREATE TABLE starter_claim (
  account TEXT PRIMARY KEY,
  email_hash TEXT NOT NULL,
  -- Keyed hash of the network; empty where it is unknown, and after two days.
  network TEXT NOT NULL DEFAULT '',
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX starter_claim_granted ON starter_claim (email_hash) WHERE outcome = 'granted';
CREATE INDEX starter_claim_by_day ON starter_claim (outcome, at);
CREATE INDEX starter_claim_by_network ON starter_claim (network, at) WHERE network <> '';

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  emailVerified INTEGER NOT NULL,
  image TEXT,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL,
  -- Null until the address is verified and the new account has its starter credits.
  account TEXT UNIQUE,
  -- Whether signing in asks for a second factor: a passkey or an authenticator app.
  twoFactorEnabled INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX users_unverified ON users (createdAt) WHERE emailVerified = 0;

CREATE TABLE user_session (
  id TEXT PRIMARY KEY,
  expiresAt TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL,
  ipAddress TEXT,
  userAgent TEXT,
  -- When the user last confirmed their identity in this session, after signing in.
  provedAt TEXT,
  userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX user_session_by_user ON user_session (userId);
CREATE INDEX user_session_by_end ON user_session (expiresAt);

CREATE TABLE user_login (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL,
  providerId TEXT NOT NULL,
  userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  accessToken TEXT,
  refreshToken TEXT,
  idToken TEXT,
  accessTokenExpiresAt TEXT,
  refreshTokenExpiresAt TEXT,
  scope TEXT,
  password TEXT,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL,
  UNIQUE (providerId, accountId)
) STRICT;
CREATE INDEX user_login_by_user ON user_login (userId);

CREATE TABLE user_token (
  id TEXT PRIMARY KEY,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expiresAt TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL
) STRICT;
CREATE INDEX user_token_by_identifier ON user_token (identifier);
CREATE INDEX user_token_by_end ON user_token (expiresAt);

-- The authenticator app and the recovery codes of a user, both encrypted under the service's secret. Without the app
-- (verified = 0) the row holds the recovery codes of a user who has passkeys.
CREATE TABLE user_totp (
  id TEXT PRIMARY KEY,
  userId TEXT NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  backupCodes TEXT NOT NULL,
  verified INTEGER NOT NULL,
  failedVerificationCount INTEGER NOT NULL DEFAULT 0,
  lockedUntil TEXT,
  -- The last 30-second step whose code was used: no code counts twice.
  usedStep INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE user_passkey (
  id TEXT PRIMARY KEY,
  userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT,
  credentialID TEXT NOT NULL UNIQUE,
  publicKey TEXT NOT NULL,
  counter INTEGER NOT NULL,
  deviceType TEXT NOT NULL,
  backedUp INTEGER NOT NULL,
  transports TEXT,
  aaguid TEXT,
  createdAt TEXT,
  lastUsedAt TEXT
) STRICT;
CREATE INDEX user_passkey_by_user ON user_passkey (userId);

-- Security events of an account, shown to its owner.
CREATE TABLE user_event (
  no INTEGER PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  detail TEXT,
  address TEXT,
  -- The browser in words.
  browser TEXT,
  -- How often it happened: failed sign-ins of one hour are one row.
  times INTEGER NOT NULL DEFAULT 1,
  -- What became of the emails about it: each, summary, over_limit or queue_full; null if it has none.
  emailed TEXT
) STRICT;
CREATE INDEX user_event_by_user ON user_event (user_id, no);
CREATE INDEX user_event_by_kind ON user_event (user_id, kind, no);
CREATE INDEX user_event_by_age ON user_event (at);

-- Emails that anyone can cause, by recipient (SHA-256): counted for a day, to protect mailboxes from floods.
CREATE TABLE email_requested (
  recipient TEXT NOT NULL,
  email_group TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- Keyed hash of the network that caused it; empty where it is unknown.
  network TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX email_requested_by_recipient ON email_requested (recipient, email_group, at);
CREATE INDEX email_requested_by_network ON email_requested (network, at) WHERE network <> '';
CREATE INDEX email_requested_by_age ON email_requested (at);

CREATE TABLE purchase (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  offer TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  credits INTEGER NOT NULL,
  months INTEGER,
  -- Money is in minor units of the currency, as at the payment provider.
  price INTEGER NOT NULL,
  currency TEXT NOT NULL,
  -- The provider's ids of the checkout session and of the payment.
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
  trouble TEXT,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX purchase_by_account ON purchase (account, created_at, id);
CREATE INDEX purchase_by_age ON purchase (created_at, id);
CREATE INDEX purchase_by_session ON purchase (session) WHERE session IS NOT NULL;
CREATE INDEX purchase_by_payment ON purchase (payment) WHERE payment IS NOT NULL;
CREATE INDEX purchase_by_pay_day ON purchase (paid_at) WHERE paid_at IS NOT NULL;
CREATE INDEX purchase_by_refund_day ON purchase (refunded_at) WHERE refunded_at IS NOT NULL;

-- Which emails about credits the owner wants; no row means both.
CREATE TABLE notification_choice (
  account TEXT PRIMARY KEY,
  low INTEGER NOT NULL,
  expiring INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- URLs of customers that get webhooks.
CREATE TABLE webhook_endpoint (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  url TEXT NOT NULL,
  -- Encrypted under SECRET, for this endpoint.
  secret TEXT NOT NULL,
  -- The secret before the last rotation, and until when it signs too.
  previous_secret TEXT,
  previous_until INTEGER,
  -- The event kinds, as a JSON array.
  kinds TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  paused_at INTEGER,
  -- 'owner', or 'gone' where the endpoint responded with 410; null while it is active.
  paused_by TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_endpoint_by_account ON webhook_endpoint (account, created_at, id);
CREATE INDEX webhook_endpoint_rotated ON webhook_endpoint (previous_until) WHERE previous_until IS NOT NULL;

-- Webhook deliveries with what came of their attempts, shown to the owner. One that waits or has failed has a job of its id.
CREATE TABLE webhook_delivery (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  endpoint TEXT NOT NULL REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
  account TEXT NOT NULL,
  event TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  last_tried_at INTEGER,
  last_status INTEGER,
  last_error TEXT,
  -- Whether the owner had it sent again.
  again INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_delivery_by_endpoint ON webhook_delivery (endpoint, no);
CREATE INDEX webhook_delivery_by_age ON webhook_delivery (created_at);

-- Events whose email and deliveries are written.
CREATE TABLE event_handled (
  event TEXT PRIMARY KEY,
  handled_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX event_handled_by_age ON event_handled (handled_at);

-- Triggers, because one statement then does both or neither: a user's new address is their account's, and a user is
-- deleted with the address.
CREATE TRIGGER user_moved AFTER UPDATE OF email ON users
WHEN NEW.account IS NOT NULL AND NEW.email <> OLD.email
BEGIN
  UPDATE address SET email = NEW.email WHERE account = NEW.account;
END;
CREATE TRIGGER address_forgotten AFTER DELETE ON address
BEGIN
  DELETE FROM user_token WHERE value IN (SELECT id FROM users WHERE account = OLD.account);
  DELETE FROM users WHERE account = OLD.account;
END;
-- Notification choices, endpoints and the links to the provider's pages, which show the customer's name, are deleted with the
-- address. The new updated_at makes a concurrent settlement of the purchase start over.
CREATE TRIGGER address_forgotten_events AFTER DELETE ON address
BEGIN
  DELETE FROM webhook_endpoint WHERE account = OLD.account;
  DELETE FROM notification_choice WHERE account = OLD.account;
  UPDATE purchase SET pay_url = NULL, receipt_url = NULL, invoice_url = NULL, updated_at = updated_at + 1
    WHERE account = OLD.account
      AND (pay_url IS NOT NULL OR receipt_url IS NOT NULL OR invoice_url IS NOT NULL);
END;
CREATE TRIGGER webhook_delivery_forgotten AFTER DELETE ON webhook_delivery
BEGIN
  DELETE FROM job WHERE id = OLD.id;
END;
CREATE TRIGGER webhook_endpoint_forgotten AFTER DELETE ON webhook_endpoint
BEGIN
  DELETE FROM job_turn WHERE queue = 'webhook' AND target = OLD.id;
END;

-- What operators did, one row per action.
CREATE TABLE operator_action (
  no INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  -- The name of the operator's token, or the user of the operating system who ran the command.
  operator TEXT NOT NULL,
  action TEXT NOT NULL,
  -- The id of the account or key, if there is one; never an email address.
  subject TEXT,
  outcome TEXT NOT NULL CHECK (outcome IN ('started', 'done', 'unchanged', 'refused', 'failed', 'unknown')),
  -- What came of it, or why it was refused.
  detail TEXT,
  -- The network address of the operator, if known.
  address TEXT
) STRICT;
`;
