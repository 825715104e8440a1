import type {
  JobQueue,
  JobQueueName,
  JobQueueOperations,
  JobSummary,
  Settlement,
} from "#jobs/job-queue.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { rowOf } from "../stored-row.ts";
import { addJobs } from "./add-jobs.ts";
import {
  lastRows,
  listOf,
  readNumber,
  type SqlDatabase,
  type SqlQuery,
  sql,
} from "./sql-database.ts";
import { takeJobs } from "./take-jobs.ts";

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
    take: async (order) => ({ jobs: await takeJobs(db, order) }),
    async settle({ settlements }) {
      const before = settlements.flatMap((each) => [...alsoOnSettle(each), ...turnQuery(each)]);
      const settling = groupAlike(settlements).map(settleQuery);
      const rows = await db.batch([...before, ...settling]);
      return { settled: rows.slice(before.length).flat().length };
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
export const isHeld = (
  { id, take: number, outcome }: Settlement,
  ids: SqlQuery = sql`${id}`,
): SqlQuery =>
  outcome === "done"
    ? sql`id IN (${ids}) AND takes >= ${number} AND died_at IS NULL`
    : sql`id IN (${ids}) AND takes = ${number} AND died_at IS NULL`;

const turnQuery = (settlement: Settlement): SqlQuery[] => {
  const { now, turn } = settlement;
  if (turn === undefined) return [];
  const target = sql`FROM job WHERE ${isHeld(settlement)}`;
  if (turn === "forgotten")
    return [sql`DELETE FROM job_turn WHERE (queue, target) IN (SELECT queue, target ${target})`];
  return [
    sql`INSERT INTO job_turn (queue, target, did_well, tried_at)
        SELECT queue, target, ${Number(turn.didWell)}, ${now} ${target}
        ON CONFLICT (queue, target) DO UPDATE SET did_well = excluded.did_well, tried_at = excluded.tried_at`,
  ];
};

/** D1 takes at most 100 parameters, and a settlement has a few besides the ids. */
const IDS_MAX = 80;

/** Settlements that differ only in their jobs, to be settled by one statement. */
type Alike = readonly [Settlement, ...Settlement[]];

function groupAlike(settlements: readonly Settlement[]): Alike[] {
  const groups = new Map<string, [Settlement, ...Settlement[]]>();
  const full: Alike[] = [];
  for (const settlement of settlements) {
    const { id: _, turn: __, ...common } = settlement;
    // A job that is done is deleted, whenever that was.
    const name = JSON.stringify(common.outcome === "done" ? [common.take] : common);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [settlement]);
    else if (group.push(settlement) >= IDS_MAX) {
      full.push(group);
      groups.delete(name);
    }
  }
  return [...full, ...groups.values()];
}

function settleQuery(alike: Alike): SqlQuery {
  const [settlement] = alike;
  const isIt = isHeld(settlement, listOf(alike.map(({ id }) => id)));
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
      // With another time than that of its lease, the target was paused or resumed since the job was taken.
      return sql`UPDATE job SET due_at = CASE WHEN due_at = leased_until THEN NULL ELSE due_at END,
          leased_until = 0 WHERE ${isIt} RETURNING id`;
    case "dead": {
      const { now, attempts, error, eraseAt } = settlement;
      const isErased = eraseAt !== null && eraseAt <= now;
      return sql`UPDATE job SET due_at = NULL, leased_until = 0, attempts = ${attempts}, last_error = ${error},
          died_at = ${now}, ${isErased ? ERASED : sql`erase_at = ${eraseAt}`}
        WHERE ${isIt} RETURNING id`;
    }
  }
}

export const ERASED = sql`payload = NULL, target = '', erase_at = NULL`;

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

const SUMMARY = rowOf<Omit<JobSummary, "hasPayload">>(
  "id, queue, kind, label, created_at, attempts, last_error, due_at, died_at",
);
const readSummary = (row: SqlRow): JobSummary => ({
  ...SUMMARY.read(row),
  hasPayload: row["payload"] !== null,
});
