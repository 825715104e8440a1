import type { NoticeSource } from "#events/dispatch-events.ts";
import type { LedgerEvent } from "#ledger/events.ts";
import { lastRows, type SqlDatabase, sql } from "./sql-database.ts";

/** Notices on their way from the accounts' objects to whoever carries them on, in the table forwarded_notice. */
export type ForwardedNotices = NoticeSource & {
  /** Each once, however often it is handed on, until it was settled. */
  add(notices: readonly LedgerEvent[]): Promise<void>;
};

export function createForwardedNotices(db: SqlDatabase): ForwardedNotices {
  return {
    async add(notices) {
      await db.batch(
        notices.map(
          (notice) =>
            sql`INSERT INTO forwarded_notice (id, notice) VALUES (${notice.id}, ${JSON.stringify(notice)})
                ON CONFLICT DO NOTHING`,
        ),
      );
    },
    async list({ max }) {
      const rows = await lastRows(
        db,
        sql`SELECT notice FROM forwarded_notice ORDER BY no LIMIT ${max}`,
      );
      return rows.map((row) => JSON.parse(row["notice"] as string) as LedgerEvent);
    },
    async settle(notices) {
      await db.batch(notices.map(({ id }) => sql`DELETE FROM forwarded_notice WHERE id = ${id}`));
    },
  };
}
