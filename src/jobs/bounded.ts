import type { JobQueue } from "./job-queue.ts";
import type { JobRunner } from "./job-runner.ts";

type Jobs = Pick<JobQueue, "take" | "settle" | "nextDue">;

/** One round of an invocation that may do only so much: at most `max` jobs, and none is begun from `until` on. */
export async function runBounded(
  jobs: Jobs,
  { max, until }: { max: number; until: number },
  open: (jobs: Jobs) => JobRunner,
): Promise<void> {
  let left = max;
  const runner = open({
    ...jobs,
    async take(order) {
      if (left <= 0 || order.now >= until) return { jobs: [] };
      const taken = await jobs.take({ ...order, max: Math.min(order.max, left) });
      left -= taken.jobs.length;
      return taken;
    },
  });
  runner.look();
  await runner.idle();
}
