import type { JobQueueOperations, NewJob } from "#jobs/job-queue.ts";
import { type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/** Adds jobs to the queue. Apart from jobs.ts, because the Worker that serves calls needs no more of the queue. */
export async function addJobs(
  db: SqlDatabase,
  { jobs, now }: JobQueueOperations["add"][0],
): Promise<JobQueueOperations["add"][1]> {
  const rows = await db.batch(
    jobs.map((job) => sql`${insertJob(job, now, sql`NOT ${isKnown(job.id)}`)} RETURNING id`),
  );
  return { added: rows.flat().length };
}

export const isKnown = (id: string) => sql`EXISTS (SELECT 1 FROM job WHERE id = ${id})`;

/** Returns a statement that inserts a job, due immediately, if the condition holds. It runs in the transaction that causes the job. */
export const insertJob = (
  { id, queue, kind, target, label, payload, usefulUntil }: NewJob,
  now: number,
  condition: SqlQuery,
  leasedUntil = 0,
) => sql`INSERT INTO job
    (id, queue, kind, target, label, payload, useful_until, created_at, due_at, leased_until)
  SELECT ${id}, ${queue}, ${kind}, ${target}, ${label}, ${payload}, ${usefulUntil}, ${now}, ${now}, ${leasedUntil}
  WHERE ${condition}`;
