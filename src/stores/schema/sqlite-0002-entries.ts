/**
 * What the list of an account's entries needs: the time at which credits were voided, what a reversed call was
 * (its debit is folded away some day), and indexes in the order of the list. None of them holds a column that a debit
 * changes, so a debit writes what it wrote before.
 */
export const sqlite0002Entries = `
ALTER TABLE credit_grant ADD COLUMN voided_at INTEGER;
-- When an account was closed was not noted: the last that is known of it stands for that.
UPDATE credit_grant AS g SET voided_at = max(
  g.granted_at,
  coalesce((SELECT max(at) FROM debit d WHERE d.account_no = g.account_no), 0),
  coalesce((SELECT max(hour) FROM usage_hour u WHERE u.account_no = g.account_no), 0),
  coalesce((SELECT max(granted_at) FROM credit_grant o WHERE o.account_no = g.account_no), 0)
) WHERE voided > 0;

ALTER TABLE reversal ADD COLUMN grant_no INTEGER;
ALTER TABLE reversal ADD COLUMN key_no INTEGER;
ALTER TABLE reversal ADD COLUMN tool TEXT;
UPDATE reversal AS r SET (grant_no, key_no, tool) = (
  SELECT grant_no, key_no, tool FROM debit d
  WHERE d.account_no = r.account_no AND d.at = r.debit_at AND d.call_id = r.call_id
) WHERE debit_kept = 1;

CREATE INDEX credit_grant_by_age ON credit_grant (account_no, granted_at, id);
CREATE INDEX credit_grant_by_end ON credit_grant (account_no, expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX credit_grant_voided ON credit_grant (account_no, voided_at, id) WHERE voided_at IS NOT NULL;
CREATE INDEX reversal_by_age ON reversal (account_no, reversed_at, debit_at, call_id);
CREATE INDEX reversal_folded ON reversal (account_no, debit_at, call_id) WHERE debit_kept = 0;
`;
