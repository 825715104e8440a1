import type { JobQueue, JobQueueOperations, JobSummary } from "./job-queue.ts";

/** The operations of a job queue that operators use. */
export type OperatorQueue = Pick<JobQueue, "list" | "retry">;

/** The position of a page: the index of the queue, and the job in it after which the page starts. */
export type JobCursor = { queue: number; after: number | null };

/** The operator's view of one or more job queues, for the command line and the HTTP API. */
export const operatorJobs = (queues: readonly OperatorQueue[]) => ({
  /** Lists waiting or dead jobs, oldest first within each queue. A page other than the last one may be empty. */
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

/** Whether the text can be a job id. Other text, such as an email address typed by mistake, must not be recorded. */
export const isJobId = (text: string) => /^[\w ]{1,200}$/.test(text);
