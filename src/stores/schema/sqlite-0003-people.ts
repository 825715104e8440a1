/**
 * People: who signs in. The first four tables have the columns that better-auth 1.7 reads and writes, in its names;
 * times in them are ISO 8601 texts. What ties a person to an account is ours.
 */
export const sqlite0003People = `
CREATE TABLE person (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  emailVerified INTEGER NOT NULL,
  image TEXT,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL,
  -- Null until the address is verified and all that a new account begins with was given.
  account TEXT UNIQUE
) STRICT;
CREATE INDEX person_unverified ON person (createdAt) WHERE emailVerified = 0;

CREATE TABLE person_session (
  id TEXT PRIMARY KEY,
  expiresAt TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL,
  ipAddress TEXT,
  userAgent TEXT,
  userId TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX person_session_by_person ON person_session (userId);
CREATE INDEX person_session_by_end ON person_session (expiresAt);

CREATE TABLE person_login (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL,
  providerId TEXT NOT NULL,
  userId TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE,
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
CREATE INDEX person_login_by_person ON person_login (userId);

CREATE TABLE person_token (
  id TEXT PRIMARY KEY,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expiresAt TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL
) STRICT;
CREATE INDEX person_token_by_identifier ON person_token (identifier);
CREATE INDEX person_token_by_end ON person_token (expiresAt);

-- What happened to an account, for its owner to see.
CREATE TABLE person_event (
  no INTEGER PRIMARY KEY,
  person TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  detail TEXT,
  address TEXT
) STRICT;
CREATE INDEX person_event_by_person ON person_event (person, no);

-- The directory follows the person, and the person goes with the address: within the statement, so never by half.
CREATE TRIGGER person_moved AFTER UPDATE OF email ON person
WHEN NEW.account IS NOT NULL AND NEW.email <> OLD.email
BEGIN
  UPDATE address SET email = NEW.email WHERE account = NEW.account;
END;
CREATE TRIGGER address_forgotten AFTER DELETE ON address
BEGIN
  DELETE FROM person_token WHERE value IN (SELECT id FROM person WHERE account = OLD.account);
  DELETE FROM person WHERE account = OLD.account;
END;
`;
