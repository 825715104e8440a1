import { done, type OperationsOf, unchanged } from "./define-operation.ts";
import type { JOB_SCHEMAS } from "./schemas/jobs.ts";

/** Operations on background jobs that wait or have failed permanently. */

const UNCHANGED = { not_dead: "not dead", erased: "erased", not_found: "not found" };

export const JOB_OPERATIONS: OperationsOf<typeof JOB_SCHEMAS> = {
  listJobs: {
    action: null,
    run: ({ jobs }, order) => jobs.listJobs(order),
  },
  retryJob: {
    action: {
      subject: ({ id }) => id,
      end: ({ outcome }) => (outcome === "retried" ? done() : unchanged(UNCHANGED[outcome])),
    },
    run: ({ jobs }, order) => jobs.retryJob(order),
  },
};
