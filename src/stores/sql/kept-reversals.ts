import { KEPT_WAIT, type KeptCall, type KeptReversals } from "#ledger/kept-reversals.ts";
import { lastRows, type SqlDatabase, sql } from "./sql-database.ts";

/** Calls to be given back later, in the table kept_reversal. */
export function createKeptReversals(db: SqlDatabase): KeptReversals {
  return {
    async keep({ account, callId, at }, now) {
      await lastRows(
        db,
        sql`INSERT INTO kept_reversal (account, call_id, at, kept_at, tries, due_at)
          VALUES (${account}, ${callId}, ${at}, ${now}, 0, ${now}) ON CONFLICT DO NOTHING`,
      );
    },
    async takeDue({ now, max }) {
      const rows = await lastRows(
        db,
        sql`UPDATE kept_reversal
          SET tries = tries + 1, due_at = ${now} + (${KEPT_WAIT.firstMs} << min(tries, ${KEPT_WAIT.doublingsMax}))
          WHERE (account, at, call_id) IN
            (SELECT account, at, call_id FROM kept_reversal WHERE due_at <= ${now} ORDER BY due_at LIMIT ${max})
          RETURNING account, call_id AS "callId", at, kept_at AS "keptAt", tries`,
      );
      return rows as unknown as KeptCall[];
    },
    async done(calls) {
      await db.batch(
        calls.map(
          ({ account, callId, at }) =>
            sql`DELETE FROM kept_reversal WHERE account = ${account} AND at = ${at} AND call_id = ${callId}`,
        ),
      );
    },
  };
}
