/**
 * The prices that the operator has set for an account: `account.prices`, a JSON object of credits by tool, null without any. They are in
 * the account's row, because each call reads it.
 */
export const sqlitePrices = "ALTER TABLE account ADD COLUMN prices TEXT;";
