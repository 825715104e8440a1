import type {
  JobQueue,
  JobQueueName,
  JobQueueOperations,
  JobSummary,
  Settlement,
  TakenJob,
} from "#jobs/job-queue.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { addJobs } from "./add-jobs.ts";
import {
  lastRows,
  listOf,
  readNumber,
  type SqlDatabase,
  type SqlQuery,
  sql,
} from "./sql-database.ts";

/**
 * The job queue over a database, in the tables `job` and `job_turn`. `due_at` is null while a job is paused and after it died.
 *
 * `alsoOnSettle`: further statements for the transaction that settles a job. They run before the job is settled.
 */
export function createJobQueue(
  db: SqlDatabase,
  alsoOnSettle: (settlement: Settlement) => readonly SqlQuery[] = () => [],
): JobQueue {
  return {
    add: (order) => addJobs(db, order),
    take: async (order) => ({ jobs: await take(db, order) }),
    async settle({ settlements }) {
      const batches = settlements.map((each) => [
        ...alsoOnSettle(each),
        ...turnQuery(each),
        settleQuery(each),
      ]);
      const rows = await db.batch(batches.flat());
      let end = 0;
      const settled = batches.filter(({ length }) => {
        end += length;
        return rows[end - 1]?.length === 1;
      });
      return { settled: settled.length };
    },
    async nextDue({ queues }) {
      const [row] = await lastRows(
        db,
        sql`SELECT min(due_at) AS at FROM job WHERE ${isIn(queues)} AND due_at IS NOT NULL`,
      );
      return { at: readNumber(row?.["at"]) };
    },
    async count({ queues }) {
      const [row] = await lastRows(
        db,
        sql`SELECT count(*) - count(died_at) AS waiting, count(died_at) AS dead,
              min(CASE WHEN died_at IS NULL THEN created_at END) AS oldest
            FROM job WHERE ${isIn(queues)}`,
      );
      const [waiting, dead] = [Number(row?.["waiting"] ?? 0), Number(row?.["dead"] ?? 0)];
      return { waiting, dead, oldestAt: readNumber(row?.["oldest"]) };
    },
    async list({ state, after, max }) {
      const isState = state === "dead" ? sql`died_at IS NOT NULL` : sql`died_at IS NULL`;
      const rows = await lastRows(
        db,
        sql`SELECT * FROM job WHERE ${isState} AND no > ${after ?? 0} ORDER BY no LIMIT ${max + 1}`,
      );
      const page = rows.slice(0, max);
      const next = rows.length > max ? Number(page.at(-1)?.["no"]) : null;
      return { jobs: page.map(readSummary), next };
    },
    retry: (order) => retry(db, order),
    forget: (order) => forget(db, order),
  };
}

const isIn = (queues: readonly JobQueueName[]): SqlQuery => sql`queue IN (${listOf(queues)})`;

/** Whether this take still holds the job. A job that was done counts even if another process took it since. */
export const isHeld = ({ id, take: number, outcome }: Settlement): SqlQuery =>
  outcome === "done"
    ? sql`id = ${id} AND takes >= ${number} AND died_at IS NULL`
    : sql`id = ${id} AND takes = ${number} AND died_at IS NULL`;

const turnQuery = (settlement: Settlement): SqlQuery[] => {
  const { now, turn } = settlement;
  if (turn === undefined) return [];
  return [
    sql`INSERT INTO job_turn (queue, target, did_well, tried_at)
        SELECT queue, target, ${Number(turn.didWell)}, ${now} FROM job WHERE ${isHeld(settlement)}
        ON CONFLICT (queue, target) DO UPDATE SET did_well = excluded.did_well, tried_at = excluded.tried_at`,
  ];
};

function settleQuery(settlement: Settlement): SqlQuery {
  const isIt = isHeld(settlement);
  switch (settlement.outcome) {
    case "done":
      return sql`DELETE FROM job WHERE ${isIt} RETURNING id`;
    case "later": {
      const { at, attempts, error } = settlement;
      // `due_at` is null if the target was paused since.
      return sql`UPDATE job SET due_at = CASE WHEN due_at IS NULL THEN NULL ELSE ${at} END,
          leased_until = 0, attempts = ${attempts}, last_error = coalesce(${error}, last_error)
        WHERE ${isIt} RETURNING id`;
    }
    case "paused":
      return sql`UPDATE job SET due_at = NULL, leased_until = 0 WHERE ${isIt} RETURNING id`;
    case "dead": {
      const { now, attempts, error, eraseAt } = settlement;
      const isErased = eraseAt !== null && eraseAt <= now;
      return sql`UPDATE job SET due_at = NULL, leased_until = 0, attempts = ${attempts}, last_error = ${error},
          died_at = ${now}, ${isErased ? ERASED : sql`erase_at = ${eraseAt}`}
        WHERE ${isIt} RETURNING id`;
    }
  }
}

const ERASED = sql`payload = NULL, target = '', erase_at = NULL`;

/**
 * Finds the next jobs without a lock, and then takes those that no other process has taken since. So a long backlog does not
 * delay other writers.
 */
async function take(db: SqlDatabase, order: JobQueueOperations["take"][0]): Promise<TakenJob[]> {
  const { queues, now, leaseUntil, max, turns } = order;
  if (max <= 0) return [];
  const isFree = (of: SqlQuery) =>
    turns === undefined
      ? sql`1 = 1`
      : sql`NOT ${isUnderWay(sql`${of}.queue`, sql`${of}.target`, now)}`;
  const candidates = await lastRows(
    db,
    turns === undefined ? nextDueOf(queues, now, max) : nextTurns(queues, now, max),
  );
  const isWell = (row: SqlRow) => Number(row["did_well"]) === 1;
  const unproven = candidates.filter((row) => !isWell(row));
  const chosen = [
    ...candidates.filter(isWell),
    ...unproven.slice(0, Math.max(0, turns?.unprovenMax ?? max)),
  ];
  if (chosen.length === 0) return [];
  const numbers = listOf(chosen.map(({ no }) => Number(no)));
  const taken = await lastRows(
    db,
    sql`UPDATE job SET due_at = ${leaseUntil}, leased_until = ${leaseUntil}, takes = takes + 1
        WHERE no IN (${numbers}) AND due_at <= ${now} AND ${isFree(sql`job`)} RETURNING *`,
  );
  const rows = new Map(taken.map((row) => [Number(row["no"]), row]));
  const mine = chosen.flatMap((candidate) => {
    const row = rows.get(Number(candidate["no"]));
    return row === undefined ? [] : [readTaken(row, isWell(candidate))];
  });
  if (mine.length === chosen.length) return mine;
  // Other processes took some of them. There may be more.
  const unprovenLeft = (turns?.unprovenMax ?? 0) - mine.filter(({ isProven }) => !isProven).length;
  const rest = await take(db, {
    queues,
    now,
    leaseUntil,
    max: max - mine.length,
    ...(turns && { turns: { unprovenMax: unprovenLeft } }),
  });
  return [...mine, ...rest];
}

/** Each queue is read separately, so that the index is used. */
function nextDueOf(queues: readonly JobQueueName[], now: number, max: number): SqlQuery {
  const [first, ...others] = queues.map(
    (queue) => sql`SELECT no, due_at, 0 AS did_well FROM (
      SELECT no, due_at FROM job WHERE queue = ${queue} AND due_at <= ${now}
      ORDER BY due_at, no LIMIT ${max}) next`,
  );
  const all = others.reduce((union, each) => sql`${union} UNION ALL ${each}`, first ?? sql``);
  return sql`SELECT * FROM (${all}) candidate ORDER BY due_at, no LIMIT ${max}`;
}

const isUnderWay = (queue: SqlQuery, target: SqlQuery, now: number) => sql`EXISTS (
  SELECT 1 FROM job o
  WHERE o.queue = ${queue} AND o.target = ${target} AND o.leased_until > 0 AND o.leased_until > ${now})`;

/** The oldest job of each target with waiting jobs. Targets are found along the index, one look-up each, however many jobs wait. */
function nextTurns(queues: readonly JobQueueName[], now: number, max: number): SqlQuery {
  const [queue] = queues;
  if (queue === undefined || queues.length > 1)
    throw new RangeError("With turns, jobs can be taken from one queue only");
  return sql`
    SELECT j.no, coalesce(t.did_well, 0) AS did_well FROM (
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
}

async function retry(
  db: SqlDatabase,
  { id, now }: JobQueueOperations["retry"][0],
): Promise<JobQueueOperations["retry"][1]> {
  const [[before] = [], retried = []] = await db.batch([
    sql`SELECT died_at FROM job WHERE id = ${id}`,
    sql`UPDATE job SET due_at = ${now}, died_at = NULL, erase_at = NULL, attempts = 0, created_at = ${now}
        WHERE id = ${id} AND died_at IS NOT NULL AND payload IS NOT NULL RETURNING id`,
  ]);
  if (retried.length === 1) return { outcome: "retried" };
  if (before === undefined) return { outcome: "not_found" };
  return { outcome: before["died_at"] === null ? "not_dead" : "erased" };
}

async function forget(
  db: SqlDatabase,
  { now, before, max }: JobQueueOperations["forget"][0],
): Promise<JobQueueOperations["forget"][1]> {
  const rows = await db.batch([
    sql`UPDATE job SET ${ERASED} WHERE no IN (
          SELECT no FROM job WHERE erase_at <= ${now} ORDER BY erase_at LIMIT ${max}) RETURNING no`,
    sql`DELETE FROM job WHERE no IN (
          SELECT no FROM job WHERE died_at < ${before} ORDER BY died_at LIMIT ${max}) RETURNING no`,
  ]);
  return { forgotten: rows.flat().length, more: rows.some(({ length }) => length >= max) };
}

const readTaken = (row: SqlRow, isProven: boolean): TakenJob => ({
  ...readName(row),
  target: row["target"] as string,
  payload: row["payload"] as string,
  usefulUntil: readNumber(row["useful_until"]),
  createdAt: Number(row["created_at"]),
  attempts: Number(row["attempts"]),
  take: Number(row["takes"]),
  isProven,
});

const readSummary = (row: SqlRow): JobSummary => ({
  ...readName(row),
  createdAt: Number(row["created_at"]),
  attempts: Number(row["attempts"]),
  lastError: row["last_error"] as string | null,
  dueAt: readNumber(row["due_at"]),
  diedAt: readNumber(row["died_at"]),
  hasPayload: row["payload"] !== null,
});

const readName = (row: SqlRow) => ({
  id: row["id"] as string,
  queue: row["queue"] as JobQueueName,
  kind: row["kind"] as string,
  label: row["label"] as string,
});
