import type { MaintainOrder, MaintainOutcome } from "#ledger/port.ts";
import { IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import { rollUpSql } from "../sql/usage.ts";
import { DATABASE_CLOCK, type NodeClock } from "./database-clock.ts";
import { keepPartitions, UPKEEP_LOCK } from "./partitions.ts";
import type { PostgresPool, PostgresQuery } from "./pool.ts";
import { FORGET_TRIES } from "./throttle.ts";

const CLOCKS_APART_MS = 5_000;

const FORGET = `
  DELETE FROM idempotency WHERE (account_no, tool, key) IN
    (SELECT account_no, tool, key FROM idempotency WHERE at <= $1 ORDER BY at LIMIT $2)
  RETURNING 1`;

const OLD = `SELECT account_no, at, call_id FROM debit WHERE at < $1 ORDER BY account_no, at, call_id LIMIT $2`;

const LOCK_ACCOUNTS = `
  SELECT 1 FROM account WHERE no = ANY (ARRAY(SELECT DISTINCT account_no FROM (${OLD}) old))
  ORDER BY no FOR NO KEY UPDATE`;

/** Look rows up by their keys. Otherwise the planner may read all old partitions to find a few rows. */
const BY_KEYS =
  "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off";

const ROLL_UP = `
  WITH old AS MATERIALIZED (${OLD}), deleted AS (
    DELETE FROM debit d USING old o
    WHERE d.account_no = o.account_no AND d.at = o.at AND d.call_id = o.call_id AND d.at < $1
    RETURNING d.account_no, d.at, d.call_id, d.key_no, d.tool, d.credits, d.is_free, d.reversed_at
  ), summed AS (
    ${rollUpSql("deleted")}
  ), marked AS (
    UPDATE reversal r SET debit_kept = 0 FROM deleted d
    WHERE d.reversed_at IS NOT NULL AND r.account_no = d.account_no AND r.debit_at = d.at AND r.call_id = d.call_id
  )
  SELECT count(*) AS "rolledUp" FROM deleted`;

/** Maintenance of the ledger: rolls old debits up by account, hour, key and tool, and deletes old idempotency records. */
export function createPostgresMaintain(pool: PostgresPool, clock: NodeClock) {
  /** Returns how far `now` is ahead of the database's clock; negative if it is behind. */
  async function clockAhead(now: number): Promise<number> {
    if (clock === "caller") return 0;
    const [row] = await pool.once<{ clock: number }>("read", DATABASE_CLOCK);
    return now - (row?.clock ?? now);
  }

  async function step(query: PostgresQuery, order: MaintainOrder): Promise<MaintainOutcome> {
    const { now, rollUpBefore, rowsMax } = order;
    const [mine] = await query<{ mine: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS mine", [
      UPKEEP_LOCK,
    ]);
    if (mine?.mine !== true) return { rolledUp: 0, forgotten: 0, after: null };
    const forgotten = (await query(FORGET, [now - IDEMPOTENCY_KEPT_MS, rowsMax])).length;
    const tries = (await query(FORGET_TRIES, [now, rowsMax])).length;
    const left = rowsMax - forgotten;
    if (left === 0 || tries === rowsMax) return { rolledUp: 0, forgotten, after: 0 };
    await query(BY_KEYS);
    await query(LOCK_ACCOUNTS, [rollUpBefore, left]);
    const [row] = await query<{ rolledUp: number }>(ROLL_UP, [rollUpBefore, left]);
    const rolledUp = row?.rolledUp ?? 0;
    return { rolledUp, forgotten, after: rolledUp === left ? 0 : null };
  }

  return async (order: MaintainOrder): Promise<MaintainOutcome> => {
    const clockAheadMs = await clockAhead(order.now);
    const { earliestNow = order.now } = order;
    const aheadMs = Math.max(0, clockAheadMs, order.now - earliestNow);
    const now = order.now - aheadMs;
    const rollUpBefore = order.rollUpBefore - aheadMs;
    if (order.after === null) {
      // Partitions are created for the calls that this node will receive, so by its own clock.
      await keepPartitions(pool, order.now, rollUpBefore, "try");
    }
    const outcome = await pool.transaction("write", (query) =>
      step(query, { ...order, now, rollUpBefore }),
    );
    const isReported = order.after === null && Math.abs(clockAheadMs) > CLOCKS_APART_MS;
    return isReported ? { ...outcome, clockAheadMs } : outcome;
  };
}
