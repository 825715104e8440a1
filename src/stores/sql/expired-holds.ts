import type { LedgerOperations } from "#ledger/port.ts";
import type { LapseOrder } from "#ledger/rules/holds.ts";
import { EXPIRED_HOLDS_A_STEP } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { limitSql, type SqlQuery, sql } from "./sql-database.ts";

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
