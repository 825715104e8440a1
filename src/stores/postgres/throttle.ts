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
 * What is counted of tries, for all nodes together. Whose counts they are is not known here: names are keyed hashes. What is
 * forgotten is swept by the ledger's upkeep.
 *
 * Nothing is sent again where it may have arrived: a try that is counted twice is a try less.
 */
export function createPostgresThrottle({ once, transaction }: PostgresPool): Counts {
  /** `decide` says what is kept from now on, undefined leaves it as it is; of several at once one comes after the other. */
  async function change<State extends object, Outcome>(
    name: string,
    decide: (kept: State | undefined) => { kept: State | undefined; outcome: Outcome },
    forgetAt: number,
  ): Promise<Outcome> {
    try {
      return await transaction("write", async (query) => {
        // Not of a row, which may not be there yet. The only lock of its transaction, so nobody waits in a circle.
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

/** Any number will do, but always the same; with two numbers it is a space of its own beside those with one. */
const THROTTLE_LOCK = 7_200_003;

const KEEP = `INSERT INTO throttle_kept (name, state, forget_at) VALUES ($1, $2::jsonb, $3)
  ON CONFLICT (name) DO UPDATE SET state = excluded.state, forget_at = excluded.forget_at`;

/** A step of the upkeep. */
export const FORGET_TRIES = `
  DELETE FROM throttle_kept WHERE name IN
    (SELECT name FROM throttle_kept WHERE forget_at <= $1 ORDER BY forget_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;
