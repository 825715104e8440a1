import {
  type Counts,
  countRequest,
  type RequestCount,
  type RequestVerdict,
} from "#accounts/counted-throttle.ts";
import {
  BUCKET_KEPT_MS,
  type Bucket,
  MISTAKES_KEPT_MS,
  type Mistakes,
  type ThrottleDecision,
  takeTry,
  takeTurn,
} from "#accounts/sign-in-throttle.ts";
import { orderFault } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * Counts password attempts and requests for all nodes together. Names are keyed hashes, so the database does not reveal whose counts
 * they are. The ledger's maintenance deletes expired counts.
 *
 * A count that may have reached the server is not sent again, because counting an attempt twice would take one away.
 */
export function createPostgresThrottle({ once, transaction }: PostgresPool): Counts {
  /** Changes a stored count. `decide` returns the new count, or undefined to leave it unchanged. Concurrent changes take turns. */
  async function change<State extends object, Outcome>(
    name: string,
    decide: (kept: State | undefined) => { kept: State | undefined; outcome: Outcome },
    forgetAt: number,
  ): Promise<Outcome> {
    try {
      return await transaction("write", async (query) => {
        // An advisory lock, because the row may not exist yet. It is the transaction's only lock, so it cannot deadlock.
        await query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [THROTTLE_LOCK, name]);
        const [row] = await query<{ state: State }>(
          "SELECT state FROM throttle_kept WHERE name = $1",
          [name],
        );
        const { kept, outcome } = decide(row?.state);
        if (kept !== undefined) await query(KEEP, [name, JSON.stringify(kept), forgetAt]);
        return outcome;
      });
    } catch (error) {
      throw orderFault(error);
    }
  }

  return {
    takeTry: (name, at) =>
      change<Bucket, number>(
        name,
        (had) => {
          const { bucket, retryAfterMs } = takeTry(had, at);
          return { kept: bucket, outcome: retryAfterMs };
        },
        at + BUCKET_KEPT_MS,
      ),
    takeTurn: (name, at) =>
      change<Mistakes, ThrottleDecision>(
        name,
        (had) => {
          const { mistakes, decision } = takeTurn(had, at);
          return { kept: mistakes, outcome: decision };
        },
        at + MISTAKES_KEPT_MS,
      ),
    countRequest: (name, rule, at) =>
      change<RequestCount, RequestVerdict>(
        name,
        (had) => {
          const { next, ...outcome } = countRequest(had, rule, at);
          return { kept: next, outcome };
        },
        at + rule.window * 1_000,
      ),
    async forget(name) {
      await once("write", "DELETE FROM throttle_kept WHERE name = $1", [name]).catch((error) => {
        throw orderFault(error);
      });
    },
  };
}

/** An arbitrary but fixed number. Locks with two numbers never conflict with those with one. */
const THROTTLE_LOCK = 7_200_003;

const KEEP = `INSERT INTO throttle_kept (name, state, forget_at) VALUES ($1, $2::jsonb, $3)
  ON CONFLICT (name) DO UPDATE SET state = excluded.state, forget_at = excluded.forget_at`;

/** Part of the ledger's maintenance. */
export const FORGET_TRIES = `
  DELETE FROM throttle_kept WHERE name IN
    (SELECT name FROM throttle_kept WHERE forget_at <= $1 ORDER BY forget_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;
