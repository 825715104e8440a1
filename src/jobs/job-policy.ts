import type { RandomBytes } from "#ids.ts";
import type { OutagePolicy } from "./back-off.ts";
import type { JobQueue, JobQueueName, TakenJob } from "./job-queue.ts";

/** What a runner of jobs (job-runner.ts) is told about a queue, and what an attempt tells it. */

/**
 * The result of one attempt. Errors are logged and stored, so they must not contain secrets.
 *
 * - `failed`: the job waits at least `notBeforeMs` for its next attempt. With `isFinal`, it is dead.
 * - `unreachable`: the target of all jobs could not be reached. It is a failure of this job only if `counts` is set.
 * - `paused`: the job's target is paused.
 * - `aborted`: the signal ended the attempt. This is not a failure, and the job is due again immediately.
 */
export type JobResult = { status?: number | null } & (
  | { outcome: "done" }
  | { outcome: "failed"; error: string; isFinal?: boolean; notBeforeMs?: number }
  | { outcome: "unreachable"; error: string; counts?: boolean }
  | { outcome: "paused" }
  | { outcome: "aborted" }
);

export type JobPolicy = {
  queues: readonly JobQueueName[];
  /** The maximum number of concurrent attempts. */
  atOnce: number;
  /** The maximum number of jobs of one target in an attempt; one by default. */
  jobsAtOnce?: number;
  /**
   * Jobs are taken only when this number of attempts may start, so that one look at the queue serves several; one by default. A slow
   * target then delays others for as long as its attempt takes.
   */
  takeWhenFree?: number;
  /** Must be longer than any attempt. After this time, the job of a process that died is attempted again. */
  leaseMs: number;
  /**
   * How targets take turns, one attempt per target at a time; null if they do not.
   *
   * - `proven first`: targets whose last attempt succeeded come first, and others get at most half of `atOnce`.
   * - `failing last`: targets whose last attempt failed come last. Nothing is stored about others.
   */
  turns: "proven first" | "failing last" | null;
  /** How long a job waits after this number of failures, before jitter. Null: the job is dead. */
  waitMs(failures: number): number | null;
  /** A job that fails at this age is dead. */
  giveUpAfterMs: number;
  outage: OutagePolicy;
  /** The name of the jobs in the log, in the plural. */
  queueName: string;
  /** The name of one job in the log; null if its failures are not logged. */
  nameOf(job: TakenJob): string | null;
  /** When the payload and target of a dead job are erased; null: when the job is deleted. */
  eraseAt(job: TakenJob, now: number): number | null;
};

/** Jobs of one target. */
export type JobGroup = readonly [TakenJob, ...TakenJob[]];

export type JobRunnerWiring = {
  jobs: Pick<JobQueue, "take" | "settle" | "nextDue">;
  policy: JobPolicy;
  /** Attempts the jobs of one target, and returns the result of each. It is one job unless the policy says more. */
  attempt(jobs: JobGroup, signal: AbortSignal): Promise<readonly JobResult[]>;
  now(): number;
  random: RandomBytes;
  logError(message: string, details: { cause?: unknown }): void;
};
