import type { LedgerOperations } from "#ledger/port.ts";
import type { DueOrder } from "#ledger/rules/accounts.ts";
import type { LapseOrder } from "#ledger/rules/holds.ts";
import { DUE_GRANTS_A_STEP, EXPIRED_HOLDS_A_STEP } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { limitSql, type SqlQuery, sql } from "./sql-database.ts";

/** The grants of which a step of maintenance writes the events, and one more if there are more. */
export const dueGrants = (now: number, rowsMax: number): SqlQuery =>
  sql`SELECT g.no, a.id AS account FROM credit_grant g JOIN account a ON a.no = g.account_no
    WHERE event_due_at <= ${now} ORDER BY event_due_at, g.no ${limitSql(dueGrantsMax(rowsMax) + 1)}`;

export function readDueGrants(rows: readonly SqlRow[], now: number, rowsMax: number) {
  const orders = rows
    .slice(0, dueGrantsMax(rowsMax))
    .map((row): DueOrder => ({ account: String(row["account"]), grantNo: Number(row["no"]), now }));
  return { orders, isMore: rows.length > orders.length };
}

const dueGrantsMax = (rowsMax: number) => Math.min(rowsMax, DUE_GRANTS_A_STEP);

type Order = LedgerOperations["expireHolds"][0];

/** The holds whose leases are over, at most as many as a step ends. */
export const expiredHolds = ({ now, max }: Order): SqlQuery =>
  sql`SELECT a.id AS account, h.at, h.call_id FROM hold h JOIN account a ON a.no = h.account_no
    WHERE lease_until <= ${now} ORDER BY lease_until, h.account_no, h.at, h.call_id ${limitSql(mostOf(max))}`;

export function readExpiredHolds(
  rows: readonly SqlRow[],
  { now, max }: Order,
): { orders: LapseOrder[]; isMore: boolean } {
  const orders = rows.map((row) => ({
    account: String(row["account"]),
    at: Number(row["at"]),
    callId: String(row["call_id"]),
    now,
  }));
  return { orders, isMore: orders.length === mostOf(max) };
}

const mostOf = (max: number) => Math.min(max, EXPIRED_HOLDS_A_STEP);
