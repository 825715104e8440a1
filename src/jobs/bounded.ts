import type { JobQueue } from "./job-queue.ts";

/** The same queue for one invocation, which may do only so much: it gives at most `max` jobs, and none from `until` on. */
export function boundJobs<Jobs extends Pick<JobQueue, "take">>(
  jobs: Jobs,
  { max, until }: { max: number; until: number },
): Jobs {
  let left = max;
  return {
    ...jobs,
    async take(order) {
      if (left <= 0 || order.now >= until) return { jobs: [] };
      const taken = await jobs.take({ ...order, max: Math.min(order.max, left) });
      left -= taken.jobs.length;
      return taken;
    },
  } satisfies Pick<JobQueue, "take"> as Jobs;
}
