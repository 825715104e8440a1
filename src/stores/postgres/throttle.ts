import {
  type Counts,
  countRequest,
  type RequestCount,
  type RequestVerdict,
} from "#accounts/request-counts.ts";
import { orderFault } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * Counts requests for all nodes together. Names are keyed hashes, so the database does not reveal whose counts
 * they are. The ledger's maintenance deletes expired counts.
 *
 * A count that may have reached the server is not sent again, because counting a request twice would take one away.
 */
export function createPostgresThrottle({ once, transaction }: PostgresPool): Counts {
  return {
    async countRequest(name, rule, at): Promise<RequestVerdict> {
      try {
        return await transaction("write", async (query) => {
          // An advisory lock, because the row may not exist yet. It is the transaction's only lock, so it cannot deadlock.
          await query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [THROTTLE_LOCK, name]);
          const [row] = await query<{ state: RequestCount }>(
            "SELECT state FROM throttle_kept WHERE name = $1",
            [name],
          );
          const { next, ...verdict } = countRequest(row?.state, rule, at);
          if (next !== undefined) {
            await query(KEEP, [name, JSON.stringify(next), next.at + rule.window * 1_000]);
          }
          return verdict;
        });
      } catch (error) {
        throw orderFault(error);
      }
    },
    async giveBack(name) {
      await once("write", GIVE_BACK, [name]).catch((error) => {
        throw orderFault(error);
      });
    },
  };
}

/** An arbitrary but fixed number. Locks with two numbers never conflict with those with one. */
const THROTTLE_LOCK = 7_200_003;

const KEEP = `INSERT INTO throttle_kept (name, state, forget_at) VALUES ($1, $2::jsonb, $3)
  ON CONFLICT (name) DO UPDATE SET state = excluded.state, forget_at = excluded.forget_at`;

const GIVE_BACK = `UPDATE throttle_kept
  SET state = jsonb_set(state, '{count}', to_jsonb(greatest((state->>'count')::integer - 1, 0))) WHERE name = $1`;

/** Part of the ledger's maintenance. */
export const FORGET_TRIES = `
  DELETE FROM throttle_kept WHERE name IN
    (SELECT name FROM throttle_kept WHERE forget_at <= $1 ORDER BY forget_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;
