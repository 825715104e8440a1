import type { MaintainOrder, MaintainOutcome, Order, Outcome } from "#ledger/port.ts";
import { CLOCKS_APART_MS, IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import { type Due, dueGrants, expiredHolds } from "../sql/due-rows.ts";
import { addKeptSql, HOUR_SQL, rollUpSql } from "../sql/usage.ts";
import { textOf } from "./database.ts";
import { DATABASE_CLOCK, type NodeClock } from "./database-clock.ts";
import { decideTogether } from "./decide-together.ts";
import { keepPartitions, UPKEEP_LOCK } from "./partitions.ts";
import type { PostgresPool, PostgresQuery } from "./pool.ts";
import { FORGET_TRIES } from "./throttle.ts";
import { accountsBehind, createPostgresSumUsage } from "./usage-sums.ts";

type Rows = Pick<MaintainOutcome, "rolledUp" | "after">;

/** The tables that remember calls by their idempotency keys. */
const REMEMBERING = ["kept_call", "idempotency"] as const;
type Remembering = (typeof REMEMBERING)[number];

const oldIn = (table: Remembering) =>
  `SELECT account_no, tool, key FROM ${table} WHERE at <= $1 ORDER BY at LIMIT $2`;

/** As for every change, the lock comes first: a call may be replacing the record of its key, and a trigger counts what is left of kept calls. */
const lockOwners = (table: Remembering) => `
  SELECT no FROM account WHERE no = ANY (ARRAY(SELECT DISTINCT account_no FROM (${oldIn(table)}) old))
  ORDER BY no FOR NO KEY UPDATE`;

const forgetIn = (table: Remembering) => `
  DELETE FROM ${table} WHERE account_no = ANY ($3) AND (account_no, tool, key) IN (${oldIn(table)}) RETURNING 1`;

const OLD = `SELECT account_no, at, call_id FROM debit WHERE at < $1 ORDER BY account_no, at, call_id LIMIT $2`;

const LOCK_ACCOUNTS = `
  SELECT no FROM account WHERE no = ANY (ARRAY(SELECT DISTINCT account_no FROM (${OLD}) old))
  ORDER BY no FOR NO KEY UPDATE`;

/** Look rows up by their keys. Otherwise the planner may read all old partitions to find a few rows. */
const BY_KEYS =
  "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off";

/** Debits of accounts that are not locked are left for the next step: they arrived after the lock, and their sums may be changing. */
const OLD_OF_LOCKED = OLD.replace("WHERE", "WHERE account_no = ANY ($3) AND");

const ROLL_UP = `
  WITH old AS MATERIALIZED (${OLD_OF_LOCKED}), deleted AS (
    DELETE FROM debit d USING old o
    WHERE d.account_no = o.account_no AND d.at = o.at AND d.call_id = o.call_id AND d.at < $1
    RETURNING d.account_no, d.at, d.call_id, d.key_no, d.tool, d.credits, d.is_free, d.reversed_at
  ), summed AS (
    ${rollUpSql("deleted")}
  ), subtracted AS (
    ${addKeptSql(`SELECT d.account_no, ${HOUR_SQL}, key_no, tool, -count(*), -sum(credits)
      FROM deleted d JOIN account a ON a.no = d.account_no
      WHERE reversed_at IS NULL AND at < a.summed_until GROUP BY 1, 2, 3, 4`)}
  ), marked AS (
    UPDATE reversal r SET debit_kept = 0 FROM deleted d
    WHERE d.reversed_at IS NOT NULL AND r.account_no = d.account_no AND r.debit_at = d.at AND r.call_id = d.call_id
  )
  SELECT count(*) AS "rolledUp" FROM deleted`;

/** What is left of hours whose debits were all rolled up. */
const DELETE_EMPTY =
  "DELETE FROM usage_kept WHERE account_no = ANY ($1) AND hour < $2 AND calls = 0";

/**
 * Maintenance of the ledger: writes the events of grants that expire, rolls old debits up by account, hour, key and tool, deletes old
 * idempotency records, and then sums debits for the usage of one account after the other. `after` is 0 until then, and then the number
 * of an account.
 */
export function createPostgresMaintain(pool: PostgresPool, clock: NodeClock) {
  const sumUsage = createPostgresSumUsage(pool);

  /** Returns how far `now` is ahead of the database's clock; negative if it is behind. */
  async function clockAhead(now: number): Promise<number> {
    if (clock === "caller") return 0;
    const [row] = await pool.once<{ clock: number }>("read", DATABASE_CLOCK);
    return now - (row?.clock ?? now);
  }

  async function step(query: PostgresQuery, order: MaintainOrder): Promise<Rows> {
    const { now, rollUpBefore, rowsMax } = order;
    const [mine] = await query<{ mine: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS mine", [
      UPKEEP_LOCK,
    ]);
    if (mine?.mine !== true) return { rolledUp: 0, after: null };
    const tries = (await query(FORGET_TRIES, [now, rowsMax])).length;
    if (tries === rowsMax) return { rolledUp: 0, after: 0 };
    await query(BY_KEYS);
    const locked = await query<{ no: number }>(LOCK_ACCOUNTS, [rollUpBefore, rowsMax]);
    const nos = locked.map(({ no }) => no);
    const [row] = await query<{ rolledUp: number }>(ROLL_UP, [rollUpBefore, rowsMax, nos]);
    const rolledUp = row?.rolledUp ?? 0;
    if (rolledUp > 0) await query(DELETE_EMPTY, [nos, rollUpBefore]);
    return { rolledUp, after: rolledUp === rowsMax ? 0 : null };
  }

  /** Deletes what is remembered of old calls, at most `rowsMax` rows. Returns how many. */
  async function forget(now: number, rowsMax: number): Promise<number> {
    let forgotten = 0;
    for (const table of REMEMBERING)
      forgotten += await pool.transaction("write", async (query) => {
        const old = [now - IDEMPOTENCY_KEPT_MS, rowsMax - forgotten];
        await query(BY_KEYS);
        const locked = await query<{ no: number }>(lockOwners(table), old);
        if (locked.length === 0) return 0;
        return (await query(forgetIn(table), [...old, locked.map(({ no }) => no)])).length;
      });
    return forgotten;
  }

  /** Sums debits of the next accounts. Returns where to go on; null at the end. */
  async function sum(after: number): Promise<number | null> {
    const { behind, last } = await pool.transaction("read", (query) =>
      accountsBehind(query, after),
    );
    let more = false;
    for (const account of behind) more = (await sumUsage({ account })).more || more;
    return more ? after : last;
  }

  return async (order: MaintainOrder): Promise<MaintainOutcome> => {
    if (order.after !== null && order.after > 0)
      return { notified: 0, rolledUp: 0, forgotten: 0, after: await sum(order.after) };
    const clockAheadMs = await clockAhead(order.now);
    const aheadMs = Math.max(0, clockAheadMs);
    const now = order.now - aheadMs;
    const rollUpBefore = order.rollUpBefore - aheadMs;
    if (order.after === null) {
      // Partitions are created for the calls that this node will receive, so by its own clock.
      await keepPartitions(pool, order.now, rollUpBefore, "try");
    }
    // An expiry is by the clock of the node, as for its calls.
    const { done: notified, isMore } = await decideDue(pool, DUE_EVENTS_TURN, dueGrants(order));
    const forgotten = await forget(now, order.rowsMax);
    const left = order.rowsMax - forgotten;
    const rows: Rows =
      isMore || left === 0
        ? { rolledUp: 0, after: 0 }
        : await pool.transaction("write", (query) =>
            step(query, { ...order, now, rollUpBefore, rowsMax: left }),
          );
    const outcome = { notified, ...rows, forgotten, after: rows.after ?? (await sum(0)) };
    const isReported = order.after === null && Math.abs(clockAheadMs) > CLOCKS_APART_MS;
    return isReported ? { ...outcome, clockAheadMs } : outcome;
  };
}

/** Decides about the rows that are due. One node at a time does so: `turn` is a lock that ends with the transaction. */
const decideDue = <Name extends "recordDue" | "lapse">(
  { roundTrips }: PostgresPool,
  turn: string,
  { rule, query, read, isDone }: Due<Name>,
): Promise<{ done: number; isMore: boolean }> =>
  roundTrips("write", async (send) => {
    const [mine = [], due = []] = await send({ statements: [turn, textOf(query)] });
    const { orders, isMore } = read(due);
    if (mine.length === 0 || orders.length === 0) return { done: 0, isMore: false };
    const outcomes = await decideTogether(send, rule, orders);
    const done = outcomes.filter((outcome) => !(outcome instanceof Error) && isDone(outcome));
    return { done: done.length, isMore };
  });

/** The numbers are arbitrary but fixed. */
const DUE_EVENTS_TURN = "SELECT 1 WHERE pg_try_advisory_xact_lock(7200005)";
const EXPIRED_HOLDS_TURN = "SELECT 1 WHERE pg_try_advisory_xact_lock(7200006)";

/** Ends the holds whose holders are silent. */
export const createExpireHolds =
  (pool: PostgresPool) =>
  async (order: Order<"expireHolds">): Promise<Outcome<"expireHolds">> => {
    const { done, isMore } = await decideDue(pool, EXPIRED_HOLDS_TURN, expiredHolds(order));
    return { ended: done, isMore };
  };
