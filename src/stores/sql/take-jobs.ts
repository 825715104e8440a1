import type { JobQueueName, JobQueueOperations, TakenJob } from "#jobs/job-queue.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { rowOf } from "../stored-row.ts";
import {
  lastRows,
  limitSql,
  listOf,
  type SqlDatabase,
  type SqlQuery,
  sql,
} from "./sql-database.ts";

/** How jobs are taken from the queue (jobs.ts), in turns or in the order in which they are due. */

type TakeOrder = JobQueueOperations["take"][0];
type TurnsOrder = TakeOrder & { turns: NonNullable<TakeOrder["turns"]> };

/** Takes due jobs under a lease (`JobQueueOperations`). */
export const takeJobs = (db: SqlDatabase, order: TakeOrder): Promise<TakenJob[]> =>
  order.turns === undefined ? takeNext(db, order) : takeTurns(db, order as TurnsOrder);

/**
 * Finds the next jobs without a lock, and then takes those that no other process has taken since. So a long backlog does not
 * delay other writers.
 */
async function takeNext(db: SqlDatabase, order: TakeOrder): Promise<TakenJob[]> {
  const { queues, now, max } = order;
  if (max <= 0) return [];
  const chosen = await lastRows(db, nextDueOf(queues, now, max));
  if (chosen.length === 0) return [];
  const numbers = chosen.map(({ no }) => Number(no));
  const taken = await lastRows(db, takeQuery(order, listOf(numbers)));
  const jobs = new Map(taken.map((row) => [Number(row["no"]), readTaken(row, false)]));
  const mine = numbers.flatMap((no) => jobs.get(no) ?? []);
  if (mine.length === chosen.length) return mine;
  // Other processes took some of them. There may be more.
  return [...mine, ...(await takeNext(db, { ...order, max: max - mine.length }))];
}

/** Finds the targets whose turn it is without a lock, and then takes jobs of those that no other process is working for. */
async function takeTurns(db: SqlDatabase, order: TurnsOrder): Promise<TakenJob[]> {
  const { queues, now, max, turns } = order;
  const [queue] = queues;
  if (queue === undefined || queues.length > 1)
    throw new RangeError("With turns, jobs can be taken from one queue only");
  if (max <= 0) return [];
  const candidates = await lastRows(db, nextTurns(queue, now, max));
  const isWell = (row: SqlRow) => Number(row["did_well"]) === 1;
  const unproven = candidates.filter((row) => !isWell(row));
  const chosen = [
    ...candidates.filter(isWell),
    ...unproven.slice(0, Math.max(0, turns.unprovenMax)),
  ];
  if (chosen.length === 0) return [];
  const taken = await db.batch(
    chosen.map(({ target }) => takeQuery(order, oldestOf(queue, target as string, order))),
  );
  const groups = taken.map((rows, at) =>
    rows
      .toSorted((one, other) => Number(one["no"]) - Number(other["no"]))
      .map((row) => readTaken(row, isWell(chosen[at] as SqlRow))),
  );
  const mine = groups.filter(({ length }) => length > 0);
  if (mine.length === chosen.length) return mine.flat();
  // Other processes took some of them. There may be more.
  const unprovenLeft = turns.unprovenMax - mine.filter(([job]) => job?.isProven === false).length;
  const rest = await takeTurns(db, {
    ...order,
    max: max - mine.length,
    turns: { ...turns, unprovenMax: unprovenLeft },
  });
  return [...mine.flat(), ...rest];
}

const takeQuery = ({ now, leaseUntil }: TakeOrder, numbers: SqlQuery) =>
  sql`UPDATE job SET due_at = ${leaseUntil}, leased_until = ${leaseUntil}, takes = takes + 1
      WHERE no IN (${numbers}) AND due_at <= ${now} RETURNING *`;

/** The oldest due jobs of a target, if none of its jobs is under way. */
const oldestOf = (queue: JobQueueName, target: string, { now, turns }: TurnsOrder) =>
  sql`SELECT no FROM job WHERE queue = ${queue} AND target = ${target} AND due_at <= ${now}
      AND NOT ${isUnderWay(sql`${queue}`, sql`${target}`, now)}
      ORDER BY due_at, no ${limitSql(turns.jobsMax ?? 1)}`;

/** Each queue is read separately, so that the index is used. */
function nextDueOf(queues: readonly JobQueueName[], now: number, max: number): SqlQuery {
  const [first, ...others] = queues.map(
    (queue) => sql`SELECT no, due_at FROM (
      SELECT no, due_at FROM job WHERE queue = ${queue} AND due_at <= ${now}
      ORDER BY due_at, no LIMIT ${max}) next`,
  );
  const all = others.reduce((union, each) => sql`${union} UNION ALL ${each}`, first ?? sql``);
  return sql`SELECT * FROM (${all}) candidate ORDER BY due_at, no LIMIT ${max}`;
}

const isUnderWay = (queue: SqlQuery, target: SqlQuery, now: number) => sql`EXISTS (
  SELECT 1 FROM job o
  WHERE o.queue = ${queue} AND o.target = ${target} AND o.leased_until > 0 AND o.leased_until > ${now})`;

/**
 * The targets with a due job whose turn is next. Targets are found along the index, one look-up each, however many jobs wait.
 */
const nextTurns = (queue: JobQueueName, now: number, max: number): SqlQuery => sql`
    SELECT w.target, coalesce(t.did_well, 0) AS did_well FROM (
      WITH RECURSIVE waiting (target) AS (
        SELECT (SELECT target FROM job
                WHERE queue = ${queue} AND due_at IS NOT NULL ORDER BY target LIMIT 1)
        WHERE EXISTS (SELECT 1 FROM job WHERE queue = ${queue} AND due_at <= ${now})
        UNION ALL
        SELECT (SELECT o.target FROM job o
                WHERE o.queue = ${queue} AND o.due_at IS NOT NULL AND o.target > waiting.target
                ORDER BY o.target LIMIT 1)
        FROM waiting WHERE waiting.target IS NOT NULL)
      SELECT target FROM waiting WHERE target IS NOT NULL) w
    JOIN job j ON j.no = (
      SELECT o.no FROM job o
      WHERE o.queue = ${queue} AND o.target = w.target AND o.due_at IS NOT NULL
      ORDER BY o.due_at, o.no LIMIT 1)
    LEFT JOIN job_turn t ON t.queue = ${queue} AND t.target = w.target
    WHERE j.due_at <= ${now} AND NOT ${isUnderWay(sql`j.queue`, sql`j.target`, now)}
    ORDER BY coalesce(t.did_well, 0) DESC, coalesce(t.tried_at, 0), j.due_at, j.no LIMIT ${max}`;

const TAKEN = rowOf<Omit<TakenJob, "isProven">>(
  "id, queue, kind, label, target, payload, useful_until, created_at, attempts, takes",
);
const readTaken = (row: SqlRow, isProven: boolean): TakenJob => ({ ...TAKEN.read(row), isProven });
