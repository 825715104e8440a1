import {
  ACTION_TEXT_CHARS_MAX,
  ACTIONS_KEPT,
  type OperatorAction,
  type OperatorActions,
} from "#operator/actions.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { rowOf } from "../stored-row.ts";
import { lastRows, readCursor, type SqlDatabase, sql } from "./sql-database.ts";

/** The record of operators' actions over a database. */
export function createOperatorActions(db: SqlDatabase): OperatorActions {
  return {
    async start({ at, by, action, subject, address }) {
      const [[row] = []] = await db.batch([
        sql`INSERT INTO operator_action (at, operator, action, subject, outcome, address)
            VALUES (${at}, ${by}, ${cut(action)}, ${cut(subject)}, 'started', ${address}) RETURNING no`,
        sql`DELETE FROM operator_action
            WHERE no <= (SELECT max(no) FROM operator_action) - ${ACTIONS_KEPT}`,
      ]);
      return { id: String(row?.["no"]) };
    },
    async end({ id, end }) {
      const no = Number(id);
      await db.batch([
        end === null
          ? sql`DELETE FROM operator_action WHERE no = ${no}`
          : sql`UPDATE operator_action SET outcome = ${end.outcome}, detail = ${cut(end.detail)}
              WHERE no = ${no}`,
      ]);
      return { recorded: true };
    },
    async list({ after, max }) {
      const rows = await lastRows(
        db,
        sql`SELECT * FROM operator_action WHERE no < ${readCursor(after)}
            ORDER BY no DESC LIMIT ${max + 1}`,
      );
      const next = rows.length > max ? String(rows[max - 1]?.["no"]) : null;
      return { actions: rows.slice(0, max).map(readAction), next };
    },
  };
}

const cut = (text: string | null) => text?.slice(0, ACTION_TEXT_CHARS_MAX) ?? null;

const ACTION = rowOf<Omit<OperatorAction, "by">>("at, action, subject, outcome, detail, address");
const readAction = (row: SqlRow): OperatorAction & { id: string } => ({
  id: String(row["no"]),
  by: row["operator"] as string,
  ...ACTION.read(row),
});
