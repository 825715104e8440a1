import {
  type AccountEvent,
  EVENTS_KEPT,
  type EventKind,
  type Journal,
} from "#accounts/activity-log.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { lastRows, readCursor, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/**
 * The journal of a person's security events over a database. Each operation is one batch.
 *
 * `isUnverified`: the condition for people with an unverified address. It must match the condition of the partial index, or SQLite
 * reads all people. PostgreSQL writes it differently.
 */
export function createJournal(
  db: SqlDatabase,
  isUnverified: SqlQuery = sql`"emailVerified" = 0`,
): Journal {
  return {
    async recordEvent({ person, at, kind, detail, address }) {
      const [recorded] = await db.batch([
        sql`INSERT INTO person_event (person, at, kind, detail, address)
            SELECT id, ${at}, ${kind}, ${detail}, ${address} FROM person WHERE id = ${person}
            RETURNING no`,
        sql`DELETE FROM person_event WHERE person = ${person} AND no <= (
              SELECT no FROM person_event WHERE person = ${person}
              ORDER BY no DESC LIMIT 1 OFFSET ${EVENTS_KEPT})`,
      ]);
      return { recorded: recorded?.length === 1 };
    },
    async listEvents({ person, after, max }) {
      const rows = await lastRows(
        db,
        sql`SELECT * FROM person_event WHERE person = ${person} AND no < ${readCursor(after)}
            ORDER BY no DESC LIMIT ${max + 1}`,
      );
      const next = rows.length > max ? String(rows[max - 1]?.["no"]) : null;
      return { events: rows.slice(0, max).map(readEvent), next };
    },
    async findPerson({ account }) {
      const [row] = await lastRows(
        db,
        sql`SELECT id, email FROM person WHERE account = ${account}`,
      );
      return row === undefined
        ? null
        : { person: row["id"] as string, email: row["email"] as string };
    },
    async dropResetLinks({ person }) {
      // The prefix that better-auth uses, as a range so that the index is used.
      const dropped = await lastRows(
        db,
        sql`DELETE FROM person_token
            WHERE identifier >= 'reset-password:' AND identifier < 'reset-password;'
              AND value = ${person}
            RETURNING id`,
      );
      return { dropped: dropped.length };
    },
    async forgetStale({ unverifiedBefore, now, max }) {
      const before = new Date(unverifiedBefore).toISOString();
      const end = new Date(now).toISOString();
      const forgotten = await db.batch([
        sql`DELETE FROM person WHERE id IN (
              SELECT id FROM person WHERE ${isUnverified} AND "createdAt" < ${before} LIMIT ${max})
            RETURNING id`,
        sql`DELETE FROM person_session WHERE id IN (
              SELECT id FROM person_session WHERE "expiresAt" < ${end} LIMIT ${max}) RETURNING id`,
        sql`DELETE FROM person_token WHERE id IN (
              SELECT id FROM person_token WHERE "expiresAt" < ${end} LIMIT ${max}) RETURNING id`,
      ]);
      return { forgotten: forgotten.flat().length };
    },
  };
}

const readEvent = (row: SqlRow): AccountEvent => ({
  id: String(row["no"]),
  at: Number(row["at"]),
  kind: row["kind"] as EventKind,
  detail: row["detail"] as string | null,
  address: row["address"] as string | null,
});
