import {
  type ActivityEvent,
  type ActivityLog,
  EVENTS_KEPT,
  type EventKind,
} from "#accounts/activity-log.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { lastRows, readCursor, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/**
 * The activity log of a user's security events over a database. Each operation is one batch.
 *
 * `isUnverified`: the condition for users with an unverified address. It must match the condition of the partial index, or SQLite
 * reads all users. PostgreSQL writes it differently.
 */
export function createActivityLog(
  db: SqlDatabase,
  isUnverified: SqlQuery = sql`"emailVerified" = 0`,
): ActivityLog {
  return {
    async recordEvent({ user, at, kind, detail, address }) {
      const [recorded] = await db.batch([
        sql`INSERT INTO user_event (user_id, at, kind, detail, address)
            SELECT id, ${at}, ${kind}, ${detail}, ${address} FROM users WHERE id = ${user}
            RETURNING no`,
        sql`DELETE FROM user_event WHERE user_id = ${user} AND no <= (
              SELECT no FROM user_event WHERE user_id = ${user}
              ORDER BY no DESC LIMIT 1 OFFSET ${EVENTS_KEPT})`,
      ]);
      return { recorded: recorded?.length === 1 };
    },
    async listEvents({ user, after, max }) {
      const rows = await lastRows(
        db,
        sql`SELECT * FROM user_event WHERE user_id = ${user} AND no < ${readCursor(after)}
            ORDER BY no DESC LIMIT ${max + 1}`,
      );
      const next = rows.length > max ? String(rows[max - 1]?.["no"]) : null;
      return { events: rows.slice(0, max).map(readEvent), next };
    },
    async findUser({ account }) {
      const [row] = await lastRows(db, sql`SELECT id, email FROM users WHERE account = ${account}`);
      return row === undefined
        ? null
        : { user: row["id"] as string, email: row["email"] as string };
    },
    async dropResetLinks({ user }) {
      // The identifiers are hashes. The value of a reset link is the user; a sign-in that waits for a second factor has it too.
      const dropped = await lastRows(
        db,
        sql`DELETE FROM user_token WHERE value = ${user} RETURNING id`,
      );
      return { dropped: dropped.length };
    },
    async forgetStale({ unverifiedBefore, now, max }) {
      const before = new Date(unverifiedBefore).toISOString();
      const end = new Date(now).toISOString();
      const forgotten = await db.batch([
        sql`DELETE FROM users WHERE id IN (
              SELECT id FROM users WHERE ${isUnverified} AND "createdAt" < ${before} LIMIT ${max})
            RETURNING id`,
        sql`DELETE FROM user_session WHERE id IN (
              SELECT id FROM user_session WHERE "expiresAt" < ${end} LIMIT ${max}) RETURNING id`,
        sql`DELETE FROM user_token WHERE id IN (
              SELECT id FROM user_token WHERE "expiresAt" < ${end} LIMIT ${max}) RETURNING id`,
      ]);
      return { forgotten: forgotten.flat().length };
    },
  };
}

const readEvent = (row: SqlRow): ActivityEvent => ({
  id: String(row["no"]),
  at: Number(row["at"]),
  kind: row["kind"] as EventKind,
  detail: row["detail"] as string | null,
  address: row["address"] as string | null,
});
