/**
 * People, addresses and letters in PostgreSQL: the tables of sqlite-0003 and -0004 and of `address`, with what the two
 * databases spell differently: truth values, times that better-auth gives as such, triggers.
 *
 * Lock order: a person's row, then what belongs to it (its address, sessions, logins, links, events). Moving a person's
 * address goes that way by itself, from \`person\` through a trigger to \`address\`. Removing an address goes the other way,
 * so whoever does it locks the person first; or the two may wait for each other (40P01).
 */
export const postgres0003People = `
CREATE TABLE address (
  email text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL
);
CREATE TABLE closed_address (
  email_hash text COLLATE "C" PRIMARY KEY,
  closed_at bigint NOT NULL
);

CREATE TABLE person (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  email text COLLATE "C" NOT NULL UNIQUE,
  "emailVerified" boolean NOT NULL,
  image text,
  "createdAt" timestamptz NOT NULL,
  "updatedAt" timestamptz NOT NULL,
  -- Null until the address is verified and all that a new account begins with was given.
  account text COLLATE "C" UNIQUE
);
CREATE INDEX person_unverified ON person ("createdAt") WHERE NOT "emailVerified";

CREATE TABLE person_session (
  id text COLLATE "C" PRIMARY KEY,
  "expiresAt" timestamptz NOT NULL,
  token text COLLATE "C" NOT NULL UNIQUE,
  "createdAt" timestamptz NOT NULL,
  "updatedAt" timestamptz NOT NULL,
  "ipAddress" text,
  "userAgent" text,
  "userId" text COLLATE "C" NOT NULL REFERENCES person (id) ON DELETE CASCADE
);
CREATE INDEX person_session_by_person ON person_session ("userId");
CREATE INDEX person_session_by_end ON person_session ("expiresAt");

CREATE TABLE person_login (
  id text COLLATE "C" PRIMARY KEY,
  "accountId" text COLLATE "C" NOT NULL,
  "providerId" text COLLATE "C" NOT NULL,
  "userId" text COLLATE "C" NOT NULL REFERENCES person (id) ON DELETE CASCADE,
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
CREATE INDEX person_login_by_person ON person_login ("userId");

CREATE TABLE person_token (
  id text COLLATE "C" PRIMARY KEY,
  identifier text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  "expiresAt" timestamptz NOT NULL,
  "createdAt" timestamptz NOT NULL,
  "updatedAt" timestamptz NOT NULL
);
CREATE INDEX person_token_by_identifier ON person_token (identifier);
CREATE INDEX person_token_by_end ON person_token ("expiresAt");

CREATE TABLE person_event (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  person text COLLATE "C" NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  at bigint NOT NULL,
  kind text NOT NULL,
  detail text,
  address text
);
CREATE INDEX person_event_by_person ON person_event (person, no);

-- The directory follows the person, and the person goes with the address: within the statement, so never by half.
CREATE FUNCTION follow_person() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  UPDATE address SET email = NEW.email WHERE account = NEW.account;
  RETURN NULL;
END $f$;
CREATE TRIGGER person_moved AFTER UPDATE OF email ON person FOR EACH ROW
WHEN (NEW.account IS NOT NULL AND NEW.email <> OLD.email) EXECUTE FUNCTION follow_person();
CREATE FUNCTION forget_person() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  DELETE FROM person_token WHERE value IN (SELECT id FROM person WHERE account = OLD.account);
  DELETE FROM person WHERE account = OLD.account;
  RETURN NULL;
END $f$;
CREATE TRIGGER address_forgotten AFTER DELETE ON address FOR EACH ROW EXECUTE FUNCTION forget_person();

CREATE TABLE letter (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  recipient text COLLATE "C" NOT NULL,
  subject text NOT NULL,
  body_text text NOT NULL,
  body_html text NOT NULL,
  kind text COLLATE "C" NOT NULL,
  -- The transport it was posted for: smtp or outbox.
  way text COLLATE "C" NOT NULL,
  posted_at bigint NOT NULL,
  useful_until bigint,
  -- While a letter is under a lease, this is the lease's end.
  due_at bigint NOT NULL,
  leased_until bigint NOT NULL DEFAULT 0,
  takes bigint NOT NULL DEFAULT 0,
  failures bigint NOT NULL DEFAULT 0
);
CREATE INDEX letter_by_due ON letter (due_at, no);
CREATE INDEX letter_by_recipient ON letter (recipient);

-- Letters that strangers asked for, by recipient (SHA-256): counted for a day, so that nobody is flooded.
CREATE TABLE letter_asked (
  recipient text COLLATE "C" NOT NULL,
  letter_group text COLLATE "C" NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX letter_asked_by_recipient ON letter_asked (recipient, letter_group, at);
CREATE INDEX letter_asked_by_age ON letter_asked (at);
`;
