/** Letters that wait for a transport; a row goes when its letter was delivered or given up (docs/mail.md). */
export const sqlite0004Letters = `
CREATE TABLE letter (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  body_text TEXT NOT NULL,
  body_html TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- The transport it was posted for: smtp or outbox.
  way TEXT NOT NULL,
  posted_at INTEGER NOT NULL,
  useful_until INTEGER,
  -- While a letter is under a lease, this is the lease's end.
  due_at INTEGER NOT NULL,
  leased_until INTEGER NOT NULL DEFAULT 0,
  takes INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX letter_by_due ON letter (due_at, no);
CREATE INDEX letter_by_recipient ON letter (recipient);

-- Letters that strangers asked for, by recipient (SHA-256): counted for a day, so that nobody is flooded.
CREATE TABLE letter_asked (
  recipient TEXT NOT NULL,
  letter_group TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX letter_asked_by_recipient ON letter_asked (recipient, letter_group, at);
CREATE INDEX letter_asked_by_age ON letter_asked (at);
`;
