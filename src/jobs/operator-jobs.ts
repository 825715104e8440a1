import type { JobQueue, JobQueueOperations, JobSummary } from "./job-queue.ts";

/** What an operator may do with a job queue. */
export type OperatorQueue = Pick<JobQueue, "list" | "retry">;

/** Where a list goes on: in which of the queues, and after which of its jobs. */
export type JobCursor = { queue: number; after: number | null };

/** What an operator asks of one or more job queues: plain data in and out, for the command line and over HTTP alike. */
export const operatorJobs = (queues: readonly OperatorQueue[]) => ({
  /** Jobs that wait, or that are dead; of each queue oldest first. A page may be empty before the last one. */
  async listJobs(order: {
    dead: boolean;
    after: JobCursor | null;
    max: number;
  }): Promise<{ jobs: JobSummary[]; next: JobCursor | null }> {
    const { queue, after } = order.after ?? { queue: 0, after: null };
    const state = order.dead ? "dead" : "waiting";
    const page = await queues[queue]?.list({ state, after, max: order.max });
    if (page?.next != null) return { jobs: page.jobs, next: { queue, after: page.next } };
    const isLast = queue + 1 >= queues.length;
    return { jobs: page?.jobs ?? [], next: isLast ? null : { queue: queue + 1, after: null } };
  },
  /** Makes a dead job due again, with all of its attempts. */
  async retryJob(order: JobQueueOperations["retry"][0]): Promise<JobQueueOperations["retry"][1]> {
    for (const queue of queues) {
      const retried = await queue.retry(order);
      if (retried.outcome !== "not_found") return retried;
    }
    return { outcome: "not_found" };
  },
});

export type OperatorJobs = ReturnType<typeof operatorJobs>;

/** Ids of jobs have no other characters, so that what was typed in place of one, an email address say, is not recorded. */
export const isJobId = (text: string) => /^[\w ]{1,200}$/.test(text);
