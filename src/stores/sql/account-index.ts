import type { AccountIndex } from "#accounts/account-index.ts";
import { lastRows, type SqlDatabase, sql } from "./sql-database.ts";

/** The list of accounts in a table. */
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
      return rows.map((row) => ({
        account: row["account"] as string,
        createdAt: Number(row["created_at"]),
      }));
    },
  };
}
