import {
  ACT_TEXT_CHARS_MAX,
  ACTS_KEPT,
  type OperatorAct,
  type OperatorActs,
} from "#operator/actions.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { lastRows, readCursor, type SqlDatabase, sql } from "./sql-database.ts";

/** The record of operators' acts over a database. */
export function createOperatorActs(db: SqlDatabase): OperatorActs {
  return {
    async start({ at, by, act, subject, address }) {
      const [[row] = []] = await db.batch([
        sql`INSERT INTO operator_act (at, operator, act, subject, outcome, address)
            VALUES (${at}, ${by}, ${cut(act)}, ${cut(subject)}, 'started', ${address}) RETURNING no`,
        sql`DELETE FROM operator_act
            WHERE no <= (SELECT max(no) FROM operator_act) - ${ACTS_KEPT}`,
      ]);
      return { id: String(row?.["no"]) };
    },
    async end({ id, end }) {
      const no = Number(id);
      await db.batch([
        end === null
          ? sql`DELETE FROM operator_act WHERE no = ${no}`
          : sql`UPDATE operator_act SET outcome = ${end.outcome}, detail = ${cut(end.detail)}
              WHERE no = ${no}`,
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

const cut = (text: string | null) => text?.slice(0, ACT_TEXT_CHARS_MAX) ?? null;

const readAct = (row: SqlRow): OperatorAct & { id: string } => ({
  id: String(row["no"]),
  at: Number(row["at"]),
  by: row["operator"] as string,
  act: row["act"] as string,
  subject: row["subject"] as string | null,
  outcome: row["outcome"] as OperatorAct["outcome"],
  detail: row["detail"] as string | null,
  address: row["address"] as string | null,
});
