import type { JobQueue, JobQueueOperations, JobSummary } from "./job-queue.ts";

/** What an operator asks of the job queue: plain data in and out, for the command line and over HTTP alike. */
export type ListedJob = Omit<JobSummary, "createdAt" | "dueAt" | "diedAt"> & {
  /** ISO 8601 in UTC. */
  createdAt: string;
  dueAt: string | null;
  diedAt: string | null;
};

export type OperatorJobs = {
  /** Jobs that wait, or that are dead, oldest first; `next`: what to give as `after` for the next page. */
  listJobs(order: {
    dead: boolean;
    after: string | null;
    max: number;
  }): Promise<{ jobs: ListedJob[]; next: string | null }>;
  /** Has a dead job attempted again, with all of its attempts. */
  retryJob(order: { id: string; now: number }): Promise<JobQueueOperations["retry"][1]>;
};

export const operatorJobs = (jobs: Pick<JobQueue, "list" | "retry">): OperatorJobs => ({
  async listJobs({ dead, after, max }) {
    const state = dead ? "dead" : "waiting";
    const found = (await jobs.list({ state, after, max: max + 1 })).jobs;
    const page = found.slice(0, max);
    return { jobs: page.map(shown), next: found.length > max ? (page.at(-1)?.id ?? null) : null };
  },
  retryJob: jobs.retry,
});

const shown = ({ createdAt, dueAt, diedAt, ...job }: JobSummary): ListedJob => ({
  ...job,
  createdAt: iso(createdAt),
  dueAt: dueAt === null ? null : iso(dueAt),
  diedAt: diedAt === null ? null : iso(diedAt),
});

const iso = (at: number) => new Date(at).toISOString();
