import * as z from "zod";
import { isJobId } from "#jobs/operator-jobs.ts";
import { count, pageMax, time } from "./members.ts";

/** Inputs and outputs of operations on background jobs. */

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
const jobCursor = z.strictObject({ queue: count, after: count.nullable() }).nullable();

export const JOB_SCHEMAS = {
  listJobs: {
    input: z.strictObject({ dead: z.boolean(), after: jobCursor, max: pageMax }),
    output: z.object({ jobs: z.array(job), next: jobCursor }),
  },
  retryJob: {
    input: z.strictObject({ id: z.string().refine(isJobId), now: time }),
    output: z.object({ outcome: z.enum(["retried", "not_dead", "erased", "not_found"]) }),
  },
};
