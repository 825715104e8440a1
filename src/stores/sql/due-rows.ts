import type { Order } from "#ledger/port.ts";
import type { RuleOrders } from "#ledger/rules/rules.ts";
import { DUE_GRANTS_A_STEP, EXPIRED_HOLDS_A_STEP } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { limitSql, type SqlQuery, sql } from "./sql-database.ts";

/** Rows about which a rule decides as time passes. */
export type Due<Name extends "recordDue" | "lapse"> = {
  rule: Name;
  query: SqlQuery;
  /** `isMore`: there may be more rows. */
  read(rows: readonly SqlRow[]): { orders: RuleOrders[Name][0][]; isMore: boolean };
  /** Whether the rule has done something about its row, which another node may have found too. */
  isDone(outcome: RuleOrders[Name][1]): boolean;
};

/** The grants of which a step of maintenance writes the events. One more is read, if there are more. */
export function dueGrants({ now, rowsMax }: { now: number; rowsMax: number }): Due<"recordDue"> {
  const max = Math.min(rowsMax, DUE_GRANTS_A_STEP);
  return {
    rule: "recordDue",
    query: sql`SELECT g.no, a.id AS account FROM credit_grant g JOIN account a ON a.no = g.account_no
      WHERE event_due_at <= ${now} ORDER BY event_due_at, g.no ${limitSql(max + 1)}`,
    read(rows) {
      const orders = rows
        .slice(0, max)
        .map((row) => ({ account: String(row["account"]), grantNo: Number(row["no"]), now }));
      return { orders, isMore: rows.length > orders.length };
    },
    isDone: ({ recorded }) => recorded,
  };
}

/** The holds whose leases are over, at most as many as a step ends. */
export function expiredHolds({ now, max }: Order<"expireHolds">): Due<"lapse"> {
  const most = Math.min(max, EXPIRED_HOLDS_A_STEP);
  return {
    rule: "lapse",
    query: sql`SELECT a.id AS account, h.at, h.call_id FROM hold h JOIN account a ON a.no = h.account_no
      WHERE lease_until <= ${now} ORDER BY lease_until, h.account_no, h.at, h.call_id ${limitSql(most)}`,
    read(rows) {
      const orders = rows.map((row) => ({
        account: String(row["account"]),
        at: Number(row["at"]),
        callId: String(row["call_id"]),
        now,
      }));
      return { orders, isMore: orders.length === most };
    },
    isDone: ({ ended }) => ended,
  };
}
