/**
 * What credits for sale need of the ledger: the balance below which an account's owner is told and what they know of it,
 * grants whose ends are waived or that were withdrawn, and notices. No index holds a column that a debit changes.
 */
const DAY = 86_400_000;
const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

export const sqlite0005SalesLedger = `
ALTER TABLE account ADD COLUMN low_balance INTEGER NOT NULL DEFAULT 20 CHECK (low_balance >= 0);
-- Null only while lines are taken in that do not tell it.
ALTER TABLE account ADD COLUMN told_level TEXT DEFAULT 'gone' CHECK (told_level IN ('enough', 'low', 'gone'));

ALTER TABLE credit_grant ADD COLUMN waived_expires_at INTEGER CHECK (waived_expires_at IS NULL OR expires_at IS NULL);
ALTER TABLE credit_grant ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0 CHECK (withdrawn BETWEEN 0 AND amount);
-- When its end is next to be told of, or has come; null where neither is to be.
ALTER TABLE credit_grant ADD COLUMN look_at INTEGER;

-- What is so already is told nobody.
UPDATE credit_grant SET look_at = CASE
    WHEN expires_at - ${30 * DAY} > ${now} THEN expires_at - ${30 * DAY}
    WHEN expires_at - ${7 * DAY} > ${now} THEN expires_at - ${7 * DAY}
    ELSE expires_at END
  WHERE expires_at > ${now} AND account_no IN (SELECT no FROM account WHERE state <> 'closed');
UPDATE account AS a SET told_level = (
    SELECT CASE WHEN coalesce(sum(remaining), 0) < 1 THEN 'gone' WHEN sum(remaining) < 20 THEN 'low' ELSE 'enough' END
    FROM credit_grant g WHERE g.account_no = a.no AND (g.expires_at IS NULL OR g.expires_at > ${now})
  ) WHERE state <> 'closed';

CREATE INDEX credit_grant_by_look ON credit_grant (look_at, no) WHERE look_at IS NOT NULL;

-- Numbers are never given twice: they are part of a notice's id, and who has settled one knows it by that.
CREATE TABLE notice (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_no INTEGER NOT NULL REFERENCES account (no),
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;
`;
