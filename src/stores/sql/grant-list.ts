import type { GrantMade, WholeLedger } from "#operator/context.ts";
import { lastRows, readNumber, type SqlDatabase, sql } from "./sql-database.ts";

/** Lists all grants of a ledger that stores all accounts in one database, in pages. */
export function createGrantList(db: SqlDatabase): WholeLedger["grants"] {
  return async ({ after, max }) => {
    const rows = await lastRows(
      db,
      sql`SELECT g.no, a.id AS account, g.id, g.kind, g.amount, g.granted_at, g.expires_at
          FROM credit_grant g JOIN account a ON a.no = g.account_no
          WHERE g.no > ${after ?? 0} ORDER BY g.no LIMIT ${max}`,
    );
    const grants = rows.map((row) => ({
      account: row["account"] as string,
      id: row["id"] as string,
      kind: row["kind"] as GrantMade["kind"],
      amount: Number(row["amount"]),
      grantedAt: Number(row["granted_at"]),
      expiresAt: readNumber(row["expires_at"]),
    }));
    return { grants, next: rows.length < max ? null : Number(rows.at(-1)?.["no"]) };
  };
}
