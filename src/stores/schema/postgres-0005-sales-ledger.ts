import { postgres0002Debit } from "./postgres-0002-debit.ts";

/**
 * What selling credits adds to the ledger: levels of balances and when to look at a grant next, for notices; the lifetime
 * plan and withdrawals; the notices that nobody has settled. Then the debits again, which tell of balances from now on.
 *
 * `look_at` has an index, so no debit may change it. What is past at this moment, by the database's clock, is told to nobody.
 */
export const postgres0005SalesLedger = `
ALTER TABLE account
  ADD COLUMN low_balance bigint NOT NULL DEFAULT 20 CHECK (low_balance >= 0),
  -- What its owner knows of the balance; of a new account, that there is none. Null only while lines are taken in that do
  -- not tell it.
  ADD COLUMN told_level text DEFAULT 'gone' CHECK (told_level IN ('enough', 'low', 'gone'));
ALTER TABLE credit_grant
  ADD COLUMN waived_expires_at bigint CHECK (waived_expires_at IS NULL OR expires_at IS NULL),
  ADD COLUMN withdrawn bigint NOT NULL DEFAULT 0 CHECK (withdrawn >= 0 AND withdrawn <= amount),
  -- When its end is next to be told of, or has come; null where neither is to be.
  ADD COLUMN look_at bigint;

CREATE TABLE notice (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_no bigint NOT NULL REFERENCES account (no),
  at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  data jsonb NOT NULL
);
CREATE INDEX notice_by_account ON notice (account_no, no);

-- Before it has an index, so that each row stays within its page.
UPDATE credit_grant g SET look_at = CASE
    WHEN g.expires_at - 2592000000 > t.now THEN g.expires_at - 2592000000
    WHEN g.expires_at - 604800000 > t.now THEN g.expires_at - 604800000
    ELSE g.expires_at END
FROM account a, (SELECT floor(extract(epoch FROM now()) * 1000)::bigint AS now) t
WHERE a.no = g.account_no AND a.state <> 'closed' AND g.expires_at > t.now;
CREATE INDEX credit_grant_by_look ON credit_grant (look_at, no) WHERE look_at IS NOT NULL;
UPDATE account a SET told_level = CASE WHEN b.balance < a.low_balance THEN 'low' ELSE 'enough' END
FROM (
  SELECT account_no, sum(remaining) AS balance FROM credit_grant
  WHERE NOT spent AND (expires_at IS NULL OR expires_at > floor(extract(epoch FROM now()) * 1000)::bigint)
  GROUP BY account_no
) b
WHERE a.no = b.account_no AND a.state <> 'closed';

${postgres0002Debit}`;
