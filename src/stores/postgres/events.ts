import { parseEventId } from "#ledger/events.ts";
import type { LedgerOperations } from "#ledger/port.ts";
import { decideTogether } from "./decide-together.ts";
import { inline } from "./literals.ts";
import type { PostgresPool } from "./pool.ts";

type Order<Name extends keyof LedgerOperations> = LedgerOperations[Name][0];
type Outcome<Name extends keyof LedgerOperations> = LedgerOperations[Name][1];

/** Writing the events that become due as time passes, and deleting the events that were handled. */
export function createPostgresEvents({ once, roundTrips }: PostgresPool) {
  return {
    recordExpiries: ({ now, max }: Order<"recordExpiries">): Promise<Outcome<"recordExpiries">> =>
      roundTrips("write", async (send) => {
        const [mine = [], due = []] = await send({
          statements: [LOCK, inline(DUE, [now, max + 1])],
        });
        if (mine.length === 0 || due.length === 0) return { notified: 0, more: false };
        const orders = due.slice(0, max).map((row) => ({
          account: row["account"] as string,
          grantNo: row["no"] as number,
          now,
        }));
        const outcomes = await decideTogether(send, "recordDue", orders);
        const notified = outcomes.filter((outcome) => "recorded" in outcome && outcome.recorded);
        return { notified: notified.length, more: due.length > max };
      }),
    async deleteEvents({ ids }: Order<"deleteEvents">): Promise<Outcome<"deleteEvents">> {
      const named = ids
        .flatMap((id) => parseEventId(id) ?? [])
        .filter(({ at, no }) => Number.isSafeInteger(at) && Number.isSafeInteger(no));
      if (named.length === 0) return { deleted: 0 };
      const deleted = await once("write", DELETE, [
        named.map(({ account }) => account),
        named.map(({ at }) => at),
        named.map(({ no }) => no),
      ]);
      return { deleted: deleted.length };
    },
  };
}

/** One node at a time. The number is arbitrary but fixed, and the lock ends with the transaction. */
const LOCK = "SELECT 1 WHERE pg_try_advisory_xact_lock(7200005)";

const DUE = `SELECT g.no, a.id AS account FROM credit_grant g JOIN account a ON a.no = g.account_no
  WHERE event_due_at <= $1 ORDER BY event_due_at, g.no LIMIT $2`;

/** Rows that another transaction has locked are skipped, because that transaction deletes them. So deletions cannot deadlock. */
const DELETE = `DELETE FROM event WHERE no IN (
    SELECT e.no FROM unnest($1::text[], $2::bigint[], $3::bigint[]) t (account, at, no)
    JOIN event e ON e.no = t.no AND e.at = t.at JOIN account a ON a.no = e.account_no AND a.id = t.account
    FOR UPDATE OF e SKIP LOCKED)
  RETURNING 1`;
