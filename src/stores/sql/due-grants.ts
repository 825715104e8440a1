import type { DueOrder } from "#ledger/rules/accounts.ts";
import { DUE_GRANTS_A_STEP } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { limitSql, type SqlQuery, sql } from "./sql-database.ts";

/** The grants of which a step of maintenance writes the events, and one more if there are more. */
export const dueGrants = (now: number, rowsMax: number): SqlQuery =>
  sql`SELECT g.no, a.id AS account FROM credit_grant g JOIN account a ON a.no = g.account_no
    WHERE event_due_at <= ${now} ORDER BY event_due_at, g.no ${limitSql(mostOf(rowsMax) + 1)}`;

export function readDueGrants(rows: readonly SqlRow[], now: number, rowsMax: number) {
  const orders = rows
    .slice(0, mostOf(rowsMax))
    .map((row): DueOrder => ({ account: String(row["account"]), grantNo: Number(row["no"]), now }));
  return { orders, isMore: rows.length > orders.length };
}

const mostOf = (rowsMax: number) => Math.min(rowsMax, DUE_GRANTS_A_STEP);
