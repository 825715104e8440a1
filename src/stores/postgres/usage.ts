import {
  hourOf,
  type KeyCalls,
  type LedgerOperations,
  type MaintainOrder,
  type MaintainOutcome,
  type UsageRow,
} from "#ledger/port.ts";
import { HOUR_MS, IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import { keepPartitions, UPKEEP_LOCK } from "./partitions.ts";
import type { PostgresPool, PostgresQuery } from "./pool.ts";
import { FORGET_TRIES } from "./throttle.ts";

/** Usage by hour, and the upkeep that folds old debits into it. */
export function createPostgresUsage(pool: PostgresPool, clock: UpkeepClock) {
  return {
    usage: createUsage(pool),
    recentCalls: createRecentCalls(pool),
    maintain: createMaintain(pool, clock),
  };
}

const USAGE = (where: string) => `
  SELECT a.id AS account, k.id AS key, u.tool, u.hour, sum(u.calls)::bigint AS calls, sum(u.credits)::bigint AS credits
  FROM (
    SELECT account_no, key_no, tool, hour, calls, credits FROM usage_hour
    WHERE hour >= $1 AND hour < $2 ${where}
    UNION ALL
    SELECT account_no, key_no, tool, at - at % ${HOUR_MS}, 1, credits FROM debit
    WHERE at >= $1 AND at < $2 AND reversed_at IS NULL ${where}
  ) u JOIN account a ON a.no = u.account_no JOIN api_key k ON k.no = u.key_no
  GROUP BY a.id, u.hour, k.id, u.tool ORDER BY u.hour, a.id, k.id, u.tool`;

const OF_ONE = "AND account_no = (SELECT no FROM account WHERE id = $3)";

function createUsage({ once, transaction }: PostgresPool) {
  return ({ account, from, to }: LedgerOperations["usage"][0]): Promise<UsageRow[]> => {
    // An hour counts where its start lies within the bounds, whether its calls were folded or not.
    const bounds = [hourOf(from + HOUR_MS - 1), hourOf(to + HOUR_MS - 1)];
    if (account !== null) return once("read", USAGE(OF_ONE), [...bounds, account]);
    return transaction("report", (query) => query<UsageRow>(USAGE(""), bounds));
  };
}

function createRecentCalls({ once }: PostgresPool) {
  return ({ account, from }: LedgerOperations["recentCalls"][0]): Promise<KeyCalls[]> =>
    once(
      "read",
      `SELECT (SELECT id FROM api_key WHERE no = key_no) AS key, count(*) AS calls, sum(credits)::bigint AS credits
       FROM debit WHERE account_no = (SELECT no FROM account WHERE id = $1) AND at >= $2 AND reversed_at IS NULL
       GROUP BY key_no`,
      [account, from],
    );
}

/**
 * Nodes have clocks of their own, and one that is fast would delete for all what is not old yet. So nothing is deleted that
 * is not old by the database's clock too. `caller`: for ledgers whose time is made up.
 */
export type UpkeepClock = "database" | "caller";

const CLOCK = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock";
const CLOCKS_APART_MS = 5_000;

const FORGET = `
  DELETE FROM idempotency WHERE (account_no, tool, key) IN
    (SELECT account_no, tool, key FROM idempotency WHERE at <= $1 ORDER BY at LIMIT $2)
  RETURNING 1`;

const OLD = `SELECT account_no, at, call_id FROM debit WHERE at < $1 ORDER BY account_no, at, call_id LIMIT $2`;

const LOCK_ACCOUNTS = `
  SELECT 1 FROM account WHERE no = ANY (ARRAY(SELECT DISTINCT account_no FROM (${OLD}) old))
  ORDER BY no FOR NO KEY UPDATE`;

/** Row by row through the keys: else a few rows are found by reading all days that are old. */
const BY_KEYS =
  "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off";

const FOLD = `
  WITH old AS MATERIALIZED (${OLD}), gone AS (
    DELETE FROM debit d USING old o
    WHERE d.account_no = o.account_no AND d.at = o.at AND d.call_id = o.call_id AND d.at < $1
    RETURNING d.account_no, d.at, d.call_id, d.key_no, d.tool, d.credits, d.reversed_at
  ), summed AS (
    INSERT INTO usage_hour AS u (account_no, hour, key_no, tool, calls, credits)
    SELECT account_no, at - at % ${HOUR_MS}, key_no, tool, count(*), sum(credits)
    FROM gone WHERE reversed_at IS NULL GROUP BY 1, 2, 3, 4
    ON CONFLICT (account_no, hour, key_no, tool)
    DO UPDATE SET calls = u.calls + excluded.calls, credits = u.credits + excluded.credits
  ), marked AS (
    UPDATE reversal r SET debit_kept = false FROM gone g
    WHERE g.reversed_at IS NOT NULL AND r.account_no = g.account_no AND r.debit_at = g.at AND r.call_id = g.call_id
  )
  SELECT count(*) AS folded FROM gone`;

function createMaintain(pool: PostgresPool, clock: UpkeepClock) {
  /** Less than 0: the node is behind. */
  async function clockAhead(now: number): Promise<number> {
    if (clock === "caller") return 0;
    const [row] = await pool.once<{ clock: number }>("read", CLOCK);
    return now - (row?.clock ?? now);
  }

  async function step(query: PostgresQuery, order: MaintainOrder): Promise<MaintainOutcome> {
    const { now, foldBefore, rowsMax } = order;
    const [mine] = await query<{ mine: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS mine", [
      UPKEEP_LOCK,
    ]);
    if (mine?.mine !== true) return { folded: 0, forgotten: 0, after: null };
    const forgotten = (await query(FORGET, [now - IDEMPOTENCY_KEPT_MS, rowsMax])).length;
    const tries = (await query(FORGET_TRIES, [now, rowsMax])).length;
    const left = rowsMax - forgotten;
    if (left === 0 || tries === rowsMax) return { folded: 0, forgotten, after: 0 };
    await query(BY_KEYS);
    await query(LOCK_ACCOUNTS, [foldBefore, left]);
    const [row] = await query<{ folded: number }>(FOLD, [foldBefore, left]);
    const folded = row?.folded ?? 0;
    return { folded, forgotten, after: folded === left ? 0 : null };
  }

  return async (order: MaintainOrder): Promise<MaintainOutcome> => {
    const clockAheadMs = await clockAhead(order.now);
    const fast = Math.max(0, clockAheadMs);
    const [now, foldBefore] = [order.now - fast, order.foldBefore - fast];
    if (order.after === null) {
      // Days are made for the calls that this node will take, by its own clock.
      await keepPartitions(pool, order.now, foldBefore, "try");
    }
    const outcome = await pool.transaction("write", (query) =>
      step(query, { ...order, now, foldBefore }),
    );
    const isTold = order.after === null && Math.abs(clockAheadMs) > CLOCKS_APART_MS;
    return isTold ? { ...outcome, clockAheadMs } : outcome;
  };
}
