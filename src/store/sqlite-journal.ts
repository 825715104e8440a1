import {
  type AccountEvent,
  EVENTS_KEPT,
  type EventKind,
  type SyncJournal,
} from "#accounts/journal.ts";
import type { SqlDriver, SqlRow } from "./sqlite-driver.ts";

/** The journal's operations as SQLite statements, to be called inside a transaction of the driver. */
export function createSqliteJournal(driver: SqlDriver): SyncJournal {
  const insert = driver.prepare(
    `INSERT INTO person_event (person, at, kind, detail, address)
     SELECT id, ?, ?, ?, ? FROM person WHERE id = ?`,
  );
  const dropOld = driver.prepare(
    `DELETE FROM person_event WHERE person = ?1 AND no <= (
       SELECT no FROM person_event WHERE person = ?1 ORDER BY no DESC LIMIT 1 OFFSET ${EVENTS_KEPT})`,
  );
  const list = driver.prepare(
    "SELECT * FROM person_event WHERE person = ? AND no < ? ORDER BY no DESC LIMIT ?",
  );
  // Better-auth's names for them; by their beginning, so that the index is used.
  const dropResetLinks = driver.prepare(
    `DELETE FROM person_token
     WHERE identifier >= 'reset-password:' AND identifier < 'reset-password;' AND value = ?`,
  );
  const forgetUnverified = driver.prepare(
    `DELETE FROM person WHERE id IN (
       SELECT id FROM person WHERE emailVerified = 0 AND createdAt < ? LIMIT ?)`,
  );
  const forgetSessions = driver.prepare(
    "DELETE FROM person_session WHERE id IN (SELECT id FROM person_session WHERE expiresAt < ? LIMIT ?)",
  );
  const forgetTokens = driver.prepare(
    "DELETE FROM person_token WHERE id IN (SELECT id FROM person_token WHERE expiresAt < ? LIMIT ?)",
  );
  return {
    noteEvent({ person, at, kind, detail, address }) {
      const noted = insert.run(at, kind, detail, address, person) > 0;
      if (noted) dropOld.run(person);
      return { noted };
    },
    listEvents({ person, after, max }) {
      const rows = list.all(person, readCursor(after), max + 1);
      const next = rows.length > max ? String(rows[max - 1]?.["no"]) : null;
      return { events: rows.slice(0, max).map(readEvent), next };
    },
    dropResetLinks: ({ person }) => ({ dropped: dropResetLinks.run(person) }),
    forgetStale({ unverifiedBefore, now, max }) {
      const before = new Date(unverifiedBefore).toISOString();
      const end = new Date(now).toISOString();
      const forgotten =
        forgetUnverified.run(before, max) +
        forgetSessions.run(end, max) +
        forgetTokens.run(end, max);
      return { forgotten };
    },
  };
}

/** Whatever is no cursor starts at the newest. */
const readCursor = (after: string | null) =>
  after !== null && /^\d{1,15}$/.test(after) ? Number(after) : Number.MAX_SAFE_INTEGER;

const readEvent = (row: SqlRow): AccountEvent => ({
  id: String(row["no"]),
  at: row["at"] as number,
  kind: row["kind"] as EventKind,
  detail: row["detail"] as string | null,
  address: row["address"] as string | null,
});
