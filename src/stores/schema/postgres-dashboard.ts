/**
 * The tables of the dashboard in PostgreSQL: the tables of sqlite-dashboard.ts, with boolean and timestamptz where better-auth uses
 * them, and `throttle_kept`, which only PostgreSQL has. The second migration (passwordless.ts) drops what second factors need.
 *
 * Lock order: the user's row first, then the rows that belong to it (address, sessions, logins, links, events). Changing
 * a user's email keeps this order by itself, because a trigger goes on from `users` to `address`. Deleting an address
 * takes the other direction, so the caller locks the user first; otherwise two of them can deadlock (40P01).
 */
export const postgresDashboard = `
CREATE TABLE address (
  email text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL
);

-- Hashes of the addresses of closed accounts, so that signing up again brings no second free call: of their canonical form.
CREATE TABLE closed_address (
  email_hash text COLLATE "C" PRIMARY KEY,
  closed_at bigint NOT NULL
);

-- Which accounts got starter credits, and why others did not. email_hash stands for the person, in the canonical form of the address.
CREATE TABLE starter_claim (
  account text COLLATE "C" PRIMARY KEY,
  email_hash text COLLATE "C" NOT NULL,
  -- Keyed hash of the network; empty where it is unknown, and after two days.
  network text COLLATE "C" NOT NULL DEFAULT '',
  at bigint NOT NULL,
  outcome text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX starter_claim_granted ON starter_claim (email_hash) WHERE outcome = 'granted';
CREATE INDEX starter_claim_by_day ON starter_claim (outcome, at);
CREATE INDEX starter_claim_by_network ON starter_claim (network, at) WHERE network <> '';

CREATE TABLE users (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  email text COLLATE "C" NOT NULL UNIQUE,
  "emailVerified" boolean NOT NULL,
  image text,
  "createdAt" timestamptz NOT NULL,
  "updatedAt" timestamptz NOT NULL,
  -- Null until the address is verified and the new account has its starter credits.
  account text COLLATE "C" UNIQUE,
  -- Whether signing in asks for a second factor: a passkey or an authenticator app.
  "twoFactorEnabled" boolean NOT NULL DEFAULT false
);
CREATE INDEX users_unverified ON users ("createdAt") WHERE NOT "emailVerified";

CREATE TABLE user_session (
  id text COLLATE "C" PRIMARY KEY,
  "expiresAt" timestamptz NOT NULL,
  token text COLLATE "C" NOT NULL UNIQUE,
  "createdAt" timestamptz NOT NULL,
  "updatedAt" timestamptz NOT NULL,
  "ipAddress" text,
  "userAgent" text,
  -- When the user last confirmed their identity in this session, after signing in.
  "provedAt" timestamptz,
  "userId" text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX user_session_by_user ON user_session ("userId");
CREATE INDEX user_session_by_end ON user_session ("expiresAt");

CREATE TABLE user_login (
  id text COLLATE "C" PRIMARY KEY,
  "accountId" text COLLATE "C" NOT NULL,
  "providerId" text COLLATE "C" NOT NULL,
  "userId" text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" timestamptz,
  "refreshTokenExpiresAt" timestamptz,
  scope text,
  password text,
  "createdAt" timestamptz NOT NULL,
  "updatedAt" timestamptz NOT NULL,
  UNIQUE ("providerId", "accountId")
);
CREATE INDEX user_login_by_user ON user_login ("userId");

CREATE TABLE user_token (
  id text COLLATE "C" PRIMARY KEY,
  identifier text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  "expiresAt" timestamptz NOT NULL,
  "createdAt" timestamptz NOT NULL,
  "updatedAt" timestamptz NOT NULL
);
CREATE INDEX user_token_by_identifier ON user_token (identifier);
CREATE INDEX user_token_by_end ON user_token ("expiresAt");

-- The authenticator app and the recovery codes of a user, both encrypted under the service's secret. Without the app
-- (not verified) the row holds the recovery codes of a user who has passkeys.
CREATE TABLE user_totp (
  id text COLLATE "C" PRIMARY KEY,
  "userId" text COLLATE "C" NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
  secret text NOT NULL,
  "backupCodes" text NOT NULL,
  verified boolean NOT NULL,
  "failedVerificationCount" integer NOT NULL DEFAULT 0,
  "lockedUntil" timestamptz,
  -- The last 30-second step whose code was used: no code counts twice.
  "usedStep" integer NOT NULL DEFAULT 0
);

CREATE TABLE user_passkey (
  id text COLLATE "C" PRIMARY KEY,
  "userId" text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text,
  "credentialID" text COLLATE "C" NOT NULL UNIQUE,
  "publicKey" text NOT NULL,
  counter bigint NOT NULL,
  "deviceType" text NOT NULL,
  "backedUp" boolean NOT NULL,
  transports text,
  aaguid text,
  "createdAt" timestamptz,
  "lastUsedAt" timestamptz
);
CREATE INDEX user_passkey_by_user ON user_passkey ("userId");

CREATE TABLE user_event (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  at bigint NOT NULL,
  kind text NOT NULL,
  detail text,
  address text,
  -- The browser in words.
  browser text,
  -- How often it happened: failed sign-ins of one hour are one row.
  times integer NOT NULL DEFAULT 1,
  -- What became of the emails about it: each, summary, over_limit or queue_full; null if it has none.
  emailed text
);
CREATE INDEX user_event_by_user ON user_event (user_id, no);
CREATE INDEX user_event_by_kind ON user_event (user_id, kind, no);
CREATE INDEX user_event_by_age ON user_event (at);

-- The durable job queue; the columns are explained in sqlite-jobs.ts.
CREATE TABLE job (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  queue text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  label text NOT NULL,
  useful_until bigint,
  created_at bigint NOT NULL,
  due_at bigint,
  leased_until bigint NOT NULL DEFAULT 0,
  takes bigint NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  died_at bigint,
  erase_at bigint,
  payload text
);
CREATE INDEX job_by_due ON job (queue, due_at, no) WHERE due_at IS NOT NULL;
CREATE INDEX job_by_target ON job (queue, target, due_at, no) WHERE due_at IS NOT NULL;
CREATE INDEX job_leased ON job (queue, target) WHERE leased_until > 0;
CREATE INDEX job_dead ON job (died_at) WHERE died_at IS NOT NULL;
CREATE INDEX job_to_erase ON job (erase_at) WHERE erase_at IS NOT NULL;
CREATE TABLE job_turn (
  queue text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  did_well integer NOT NULL,
  tried_at bigint NOT NULL,
  PRIMARY KEY (queue, target)
);

-- Emails that anyone can cause, by recipient (SHA-256): counted for a day, to protect mailboxes from floods.
CREATE TABLE email_requested (
  recipient text COLLATE "C" NOT NULL,
  email_group text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  -- Keyed hash of the network that caused it; empty where it is unknown.
  network text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE INDEX email_requested_by_recipient ON email_requested (recipient, email_group, at);
CREATE INDEX email_requested_by_network ON email_requested (network, at) WHERE network <> '';
CREATE INDEX email_requested_by_age ON email_requested (at);

CREATE TABLE purchase (
  id text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  offer text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  credits bigint NOT NULL,
  months integer,
  -- Money is in minor units of the currency, as at the payment provider.
  price bigint NOT NULL,
  currency text COLLATE "C" NOT NULL,
  -- The provider's ids of the checkout session and of the payment.
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
  trouble text,
  updated_at bigint NOT NULL
);
CREATE INDEX purchase_by_account ON purchase (account, created_at, id);
CREATE INDEX purchase_by_age ON purchase (created_at, id);
CREATE INDEX purchase_by_session ON purchase (session) WHERE session IS NOT NULL;
CREATE INDEX purchase_by_payment ON purchase (payment) WHERE payment IS NOT NULL;
CREATE INDEX purchase_by_pay_day ON purchase (paid_at) WHERE paid_at IS NOT NULL;
CREATE INDEX purchase_by_refund_day ON purchase (refunded_at) WHERE refunded_at IS NOT NULL;

-- Which emails about credits the owner wants; no row means both.
CREATE TABLE notification_choice (
  account text COLLATE "C" PRIMARY KEY,
  low integer NOT NULL,
  expiring integer NOT NULL
);

-- URLs of customers that get webhooks.
CREATE TABLE webhook_endpoint (
  id text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  url text NOT NULL,
  -- Encrypted under SECRET, for this endpoint.
  secret text NOT NULL,
  -- The secret before the last rotation, and until when it signs too.
  previous_secret text,
  previous_until bigint,
  -- The event kinds, as a JSON array.
  kinds text NOT NULL,
  created_at bigint NOT NULL,
  paused_at bigint,
  -- 'owner', or 'gone' where the endpoint responded with 410; null while it is active.
  paused_by text
);
CREATE INDEX webhook_endpoint_by_account ON webhook_endpoint (account, created_at, id);
CREATE INDEX webhook_endpoint_rotated ON webhook_endpoint (previous_until) WHERE previous_until IS NOT NULL;

-- Webhook deliveries with what came of their attempts, shown to the owner. One that waits or has failed has a job of its id.
CREATE TABLE webhook_delivery (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  endpoint text COLLATE "C" NOT NULL REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
  account text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  body text NOT NULL,
  created_at bigint NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  last_tried_at bigint,
  last_status integer,
  last_error text,
  -- Whether the owner had it sent again.
  again integer NOT NULL
);
CREATE INDEX webhook_delivery_by_endpoint ON webhook_delivery (endpoint, no);
CREATE INDEX webhook_delivery_by_age ON webhook_delivery (created_at);

-- Events whose email and deliveries are written.
CREATE TABLE event_handled (
  event text COLLATE "C" PRIMARY KEY,
  handled_at bigint NOT NULL
);
CREATE INDEX event_handled_by_age ON event_handled (handled_at);

-- Counts of attempts for all nodes together (stores/postgres/throttle.ts). Names are keyed hashes.
CREATE TABLE throttle_kept (
  name text COLLATE "C" PRIMARY KEY,
  state jsonb NOT NULL,
  forget_at bigint NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX throttle_kept_by_end ON throttle_kept (forget_at);

-- Triggers, because one statement then does both or neither: a user's new address is their account's, and a user is
-- deleted with the address.
CREATE FUNCTION follow_user() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  UPDATE address SET email = NEW.email WHERE account = NEW.account;
  RETURN NULL;
END $f$;
CREATE TRIGGER user_moved AFTER UPDATE OF email ON users FOR EACH ROW
WHEN (NEW.account IS NOT NULL AND NEW.email <> OLD.email) EXECUTE FUNCTION follow_user();
CREATE FUNCTION forget_user() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  DELETE FROM user_token WHERE value IN (SELECT id FROM users WHERE account = OLD.account);
  DELETE FROM users WHERE account = OLD.account;
  RETURN NULL;
END $f$;
CREATE TRIGGER address_forgotten AFTER DELETE ON address FOR EACH ROW EXECUTE FUNCTION forget_user();

-- Notification choices, endpoints and the links to the provider's pages, which show the customer's name, are deleted with the
-- address. The new updated_at makes a concurrent settlement of the purchase start over.
CREATE FUNCTION forget_events() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  DELETE FROM webhook_endpoint WHERE account = OLD.account;
  DELETE FROM notification_choice WHERE account = OLD.account;
  UPDATE purchase SET pay_url = NULL, receipt_url = NULL, invoice_url = NULL, updated_at = updated_at + 1
    WHERE account = OLD.account
      AND (pay_url IS NOT NULL OR receipt_url IS NOT NULL OR invoice_url IS NOT NULL);
  RETURN NULL;
END $f$;
CREATE TRIGGER address_forgotten_events AFTER DELETE ON address FOR EACH ROW EXECUTE FUNCTION forget_events();
CREATE FUNCTION forget_delivery() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  DELETE FROM job WHERE id = OLD.id;
  RETURN NULL;
END $f$;
CREATE TRIGGER webhook_delivery_forgotten AFTER DELETE ON webhook_delivery FOR EACH ROW EXECUTE FUNCTION forget_delivery();
CREATE FUNCTION forget_endpoint() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  DELETE FROM job_turn WHERE queue = 'webhook' AND target = OLD.id;
  RETURN NULL;
END $f$;
CREATE TRIGGER webhook_endpoint_forgotten AFTER DELETE ON webhook_endpoint FOR EACH ROW EXECUTE FUNCTION forget_endpoint();

CREATE TABLE operator_action (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  operator text NOT NULL,
  action text NOT NULL,
  subject text,
  outcome text NOT NULL CHECK (outcome IN ('started', 'done', 'unchanged', 'refused', 'failed', 'unknown')),
  detail text,
  address text
);
`;
