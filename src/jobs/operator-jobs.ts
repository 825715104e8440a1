import type { JobQueue, JobSummary } from "./job-queue.ts";

/** What an operator asks of the job queue: plain data in and out, for the command line and over HTTP alike. */
export const operatorJobs = (jobs: Pick<JobQueue, "list" | "retry">) => ({
  /** Jobs that wait, or that are dead, oldest first; `next`: what to give as `after` for the next page. */
  async listJobs(order: {
    dead: boolean;
    after: string | null;
    max: number;
  }): Promise<{ jobs: JobSummary[]; next: string | null }> {
    const { dead, after, max } = order;
    const state = dead ? "dead" : "waiting";
    const found = (await jobs.list({ state, after, max: max + 1 })).jobs;
    const page = found.slice(0, max);
    return { jobs: page, next: found.length > max ? (page.at(-1)?.id ?? null) : null };
  },
  /** Has a dead job attempted again, with all of its attempts. */
  retryJob: jobs.retry,
});
