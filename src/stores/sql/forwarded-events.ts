import type { PendingEvents } from "#events/dispatch-events.ts";
import type { LedgerEvent } from "#ledger/events.ts";
import { lastRows, type SqlDatabase, sql } from "./sql-database.ts";

/** The events that the accounts' objects have forwarded and that are not handled yet, in the table `forwarded_event`. */
export type ForwardedEvents = PendingEvents & {
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
