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
  limitSql,
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

type TakeOrder = JobQueueOperations["take"][0];
type TurnsOrder = TakeOrder & { turns: NonNullable<TakeOrder["turns"]> };

const take = (db: SqlDatabase, order: TakeOrder): Promise<TakenJob[]> =>
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
