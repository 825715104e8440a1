import {
  type EventContent,
  eventId,
  type LedgerEvent,
  type LedgerEvents,
  parseEventId,
} from "#ledger/events.ts";
import { lastRows, limitSql, type SqlDatabase, type SqlDialect, sql } from "./sql-database.ts";

/** The events of the ledger that are not handled yet: in its own database, or in D1, where the accounts' objects forward them to. */

/** The events in the database of a ledger. */
export const createLedgerEvents = (db: SqlDatabase, dialect: SqlDialect): LedgerEvents => ({
  async list({ max }) {
    const rows = await lastRows(
      db,
      sql`SELECT no, (SELECT id FROM account a WHERE a.no = account_no) AS account, at, kind, data
        FROM event ORDER BY no ${limitSql(max)}`,
    );
    return rows.map((row) => {
      const [account, at] = [row["account"] as string, row["at"] as number];
      const content: EventContent = { kind: row["kind"], ...JSON.parse(row["data"] as string) };
      return { id: eventId(account, at, row["no"] as number), account, at, ...content };
    });
  },
  async settle(events) {
    // A transaction that has locked an event, such as the closing of its account, deletes it. Waiting for it could deadlock.
    const unlocked = dialect === "postgres" ? sql`FOR UPDATE SKIP LOCKED` : sql``;
    const deletions = events.flatMap(({ id }) => {
      const event = parseEventId(id);
      if (event === null) return [];
      const { account, at, no } = event;
      const own = sql`(SELECT no FROM account WHERE id = ${account})`;
      return sql`DELETE FROM event WHERE no IN (
        SELECT no FROM event WHERE no = ${no} AND at = ${at} AND account_no = ${own} ${unlocked})`;
    });
    if (deletions.length > 0) await db.batch(deletions);
  },
});

/** The events that the accounts' objects have forwarded, in the table `forwarded_event`. */
export type ForwardedEvents = LedgerEvents & {
  /** Adds events. An event that is already stored is ignored. */
  add(events: readonly LedgerEvent[]): Promise<void>;
};

export function createForwardedEvents(db: SqlDatabase): ForwardedEvents {
  return {
    async add(events) {
      await db.batch(
        events.map(
          (event) =>
            sql`INSERT INTO forwarded_event (id, event) VALUES (${event.id}, ${JSON.stringify(event)})
                ON CONFLICT DO NOTHING`,
        ),
      );
    },
    async list({ max }) {
      const rows = await lastRows(
        db,
        sql`SELECT event FROM forwarded_event ORDER BY no LIMIT ${max}`,
      );
      return rows.map((row) => JSON.parse(row["event"] as string) as LedgerEvent);
    },
    async settle(events) {
      await db.batch(events.map(({ id }) => sql`DELETE FROM forwarded_event WHERE id = ${id}`));
    },
  };
}
