import type { AccountIndex, IndexedAccount } from "#accounts/account-index.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { lastRows, type SqlDatabase, sql } from "./sql-database.ts";

const readAccount = (row: SqlRow): IndexedAccount => ({
  account: row["account"] as string,
  createdAt: Number(row["created_at"]),
});

/** The list of accounts of a ledger that stores all accounts in one database. */
export const accountsOfLedger = (db: SqlDatabase): AccountIndex => ({
  record: async () => ({ recorded: true }),
  async list({ after, max }) {
    const rows = await lastRows(
      db,
      sql`SELECT id AS account, created_at FROM account
          WHERE no > coalesce((SELECT no FROM account WHERE id = ${after?.account ?? null}), 0)
          ORDER BY no LIMIT ${max}`,
    );
    return rows.map(readAccount);
  },
});

/** Lists the account that has an address, in the batch that registers the address, which comes before the account is opened. */
export const listAccountOf = (email: string) => [
  sql`INSERT INTO account_index (account, created_at)
      SELECT account, created_at FROM address WHERE email = ${email}
      ON CONFLICT DO NOTHING`,
];

/** The list of accounts in a table of its own, for accounts with a database each. */
export function createAccountIndex(db: SqlDatabase): AccountIndex {
  return {
    async record({ account, now }) {
      await db.batch([
        sql`INSERT INTO account_index (account, created_at) VALUES (${account}, ${now})
            ON CONFLICT DO NOTHING`,
      ]);
      return { recorded: true };
    },
    async list({ after, max }) {
      const rest =
        after === null
          ? sql`1 = 1`
          : sql`(created_at, account) > (${after.createdAt}, ${after.account})`;
      const rows = await lastRows(
        db,
        sql`SELECT account, created_at FROM account_index WHERE ${rest}
            ORDER BY created_at, account LIMIT ${max}`,
      );
      return rows.map(readAccount);
    },
  };
}
