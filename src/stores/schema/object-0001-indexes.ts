/**
 * In the database of an object all grants are of one account, and the index of the open ones would be a third row that
 * every debit writes and pays for. That the few spent ones are read as well costs a thousandth of it (docs/decisions/0010).
 */
export const object0001Indexes = "DROP INDEX credit_grant_open;";
