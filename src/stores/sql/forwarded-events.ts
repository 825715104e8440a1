import type { PendingEvents } from "#events/dispatch-events.ts";
import type { LedgerEvent } from "#ledger/events.ts";
import { lastRows, type SqlDatabase, sql } from "./sql-database.ts";

/** Notices on their way from the accounts' objects to whoever carries them on, in the table forwarded_event. */
export type ForwardedEvents = PendingEvents & {
  /** Each once, however often it is handed on, until it was settled. */
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
