/**
 * What the ledger of a file with many accounts has in addition. A Durable Object has one account and leaves it out: this index
 * would be a third row that every debit writes and pays for, and reading the few spent grants as well costs a thousandth
 * of that (docs/decisions/0010).
 */
export const sqliteManyAccounts = `
-- The grants that a debit looks at: those with credits left.
CREATE INDEX credit_grant_open ON credit_grant (account_no) WHERE remaining > 0;
`;
