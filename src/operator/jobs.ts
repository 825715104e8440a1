import * as z from "zod";
import { isJobId } from "#jobs/operator-jobs.ts";
import { changing, count, done, pageMax, reading, time, unchanged } from "./define-operation.ts";

/** Operations on background jobs that wait or have failed permanently. */

const job = z.object({
  id: z.string(),
  queue: z.string(),
  kind: z.string(),
  label: z.string(),
  createdAt: time,
  attempts: count,
  lastError: z.string().nullable(),
  dueAt: time.nullable(),
  diedAt: time.nullable(),
  hasPayload: z.boolean(),
});
const UNCHANGED = { not_dead: "not dead", erased: "erased", not_found: "not found" };
const jobCursor = z.strictObject({ queue: count, after: count.nullable() }).nullable();

export const JOB_OPERATIONS = {
  listJobs: reading({
    input: z.strictObject({ dead: z.boolean(), after: jobCursor, max: pageMax }),
    output: z.object({ jobs: z.array(job), next: jobCursor }),
    run: ({ jobs }, order) => jobs.listJobs(order),
  }),
  retryJob: changing({
    input: z.strictObject({ id: z.string().refine(isJobId), now: time }),
    output: z.object({ outcome: z.enum(["retried", "not_dead", "erased", "not_found"]) }),
    action: {
      subject: ({ id }) => id,
      end: ({ outcome }) => (outcome === "retried" ? done() : unchanged(UNCHANGED[outcome])),
    },
    run: ({ jobs }, order) => jobs.retryJob(order),
  }),
};
