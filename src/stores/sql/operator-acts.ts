import {
  ACT_TEXT_CHARS_MAX,
  ACTS_KEPT,
  type OperatorAct,
  type OperatorActs,
} from "#operator/acts.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { lastRows, readCursor, type SqlDatabase, sql } from "./sql-database.ts";

/** The acts of operators in a table. */
export function createOperatorActs(db: SqlDatabase): OperatorActs {
  return {
    async record(order) {
      const { at, by, address } = order;
      const [act, outcome] = [cut(order.act), cut(order.outcome)];
      const subject = order.subject === null ? null : cut(order.subject);
      await db.batch([
        sql`INSERT INTO operator_act (at, operator, act, subject, outcome, address)
            VALUES (${at}, ${by}, ${act}, ${subject}, ${outcome}, ${address})`,
        sql`DELETE FROM operator_act
            WHERE no <= (SELECT max(no) FROM operator_act) - ${ACTS_KEPT}`,
      ]);
      return { recorded: true };
    },
    async list({ after, max }) {
      const rows = await lastRows(
        db,
        sql`SELECT * FROM operator_act WHERE no < ${readCursor(after)}
            ORDER BY no DESC LIMIT ${max + 1}`,
      );
      const next = rows.length > max ? String(rows[max - 1]?.["no"]) : null;
      return { acts: rows.slice(0, max).map(readAct), next };
    },
  };
}

const cut = (text: string) => text.slice(0, ACT_TEXT_CHARS_MAX);

const readAct = (row: SqlRow): OperatorAct & { id: string } => ({
  id: String(row["no"]),
  at: Number(row["at"]),
  by: row["operator"] as string,
  act: row["act"] as string,
  subject: row["subject"] as string | null,
  outcome: row["outcome"] as string,
  address: row["address"] as string | null,
});
