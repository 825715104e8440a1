/**
 * The second migration: sign-in without passwords. It deletes passwords, one-time passwords, recovery codes, and users who never
 * verified their address, and ends all sessions. Users who had an authenticator app and a passkey require the passkey from then on. Owners who had a
 * password or codes are listed in `upgrade_notice` until they have been told (`accounts/tell-owners.ts`).
 */
export const sqlitePasswordless = `
-- Attempts to show that someone reads the emails of an address (accounts/attempts.ts), and links that undo a change of an address.
CREATE TABLE sign_in_attempt (
  id TEXT PRIMARY KEY,
  -- sign-in, new-address or undo.
  purpose TEXT NOT NULL,
  -- The address that signs in, the new one, or the one to go back to.
  email TEXT NOT NULL,
  -- The user whose address changes; null for a sign-in.
  userId TEXT REFERENCES users (id) ON DELETE CASCADE,
  -- SHA-256 of the secrets in the browser's cookie and in the link of the email, and a keyed hash of the code.
  browser TEXT NOT NULL UNIQUE,
  link TEXT NOT NULL UNIQUE,
  code TEXT NOT NULL,
  tries INTEGER NOT NULL,
  createdAt TEXT NOT NULL,
  expiresAt TEXT NOT NULL
) STRICT;
CREATE INDEX sign_in_attempt_by_user ON sign_in_attempt (userId) WHERE userId IS NOT NULL;
CREATE INDEX sign_in_attempt_by_end ON sign_in_attempt (expiresAt);

-- Owners who have yet to be told that passwords were retired. email_id: the email that a process is queueing.
CREATE TABLE upgrade_notice (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  email_id TEXT
) STRICT, WITHOUT ROWID;

DELETE FROM users WHERE emailVerified = 0;
INSERT INTO upgrade_notice (user_id) SELECT id FROM users WHERE
  EXISTS (SELECT 1 FROM user_login WHERE userId = users.id AND providerId = 'credential')
  OR EXISTS (SELECT 1 FROM user_totp WHERE userId = users.id);
UPDATE users SET twoFactorEnabled =
  EXISTS (SELECT 1 FROM user_totp WHERE userId = users.id AND verified = 1)
  AND EXISTS (SELECT 1 FROM user_passkey WHERE userId = users.id);
ALTER TABLE users RENAME COLUMN twoFactorEnabled TO requiresPasskey;
DROP INDEX users_unverified;
DELETE FROM user_session;
ALTER TABLE user_session DROP COLUMN provedAt;
DELETE FROM user_token;
DELETE FROM user_login WHERE providerId = 'credential';
DROP TABLE user_totp;
DELETE FROM email_requested;
DELETE FROM job WHERE queue IN ('email', 'outbox') AND kind IN
  ('verify_address', 'reset_password', 'address_in_use', 'confirm_address_change', 'verify_new_address');
UPDATE user_event SET kind = 'passkeys_reset' WHERE kind = 'factors_reset';
DELETE FROM user_event WHERE kind IN ('email_verified', 'password_changed', 'password_reset', 'password_removed',
  'totp_added', 'totp_removed', 'recovery_codes_replaced', 'factor_used');

-- Sign-ins have the address, which goes with the account. The other attempts go with their user, who may have another account.
CREATE TRIGGER attempts_forgotten AFTER DELETE ON address
BEGIN
  DELETE FROM sign_in_attempt WHERE email = OLD.email AND userId IS NULL;
END;
`;
