/**
 * The durable job queue: a port that stores implement. Orders and results are plain data, and the caller passes the time.
 *
 * Delivery is at least once. A job is taken under a lease, and no other process takes it until the lease ends. So a process
 * that dies does not lose its jobs.
 *
 * A change that causes a job adds it in the same transaction, with statements that the store exports (`stores/sql/jobs.ts`).
 */

/** Emails for a mail server, emails for the outbox folder, webhook deliveries, and reversals of calls. */
export const JOB_QUEUES = ["email", "outbox", "webhook", "reversal"] as const;
export type JobQueueName = (typeof JOB_QUEUES)[number];

export type NewJob = {
  id: string;
  queue: JobQueueName;
  /** The kind of email or event, or `reverse-call`; shown in logs and to operators. */
  kind: string;
  /** The recipient, webhook endpoint or account. Jobs that take turns do so by target. */
  target: string;
  /** The target as shown in logs and to operators, without personal data. */
  label: string;
  payload: string;
  /** The time from which the job is pointless, in milliseconds since 1970 UTC. Null: never. */
  usefulUntil: number | null;
};

export type TakenJob = NewJob & {
  createdAt: number;
  /** The number of failed attempts. */
  attempts: number;
  /** Counts how often the job was taken. An order with a lower number comes from a process whose lease has ended. */
  take: number;
  /** Whether the last attempt at its target succeeded. */
  isProven: boolean;
};

/**
 * The result of a job that was taken.
 *
 * - `done`: the job is deleted, even if its lease has ended since, because the work was done.
 * - `later`: the job is due again at `at`, unless its target was paused since.
 * - `paused`: the job is due again when its target is resumed, which may have happened since.
 * - `dead`: the job is not attempted again unless an operator retries it. Its payload and target are erased at `eraseAt`.
 */
export type Settlement = {
  id: string;
  take: number;
  now: number;
  /**
   * Determines the target's next turn: whether the attempt succeeded, or `forgotten` as if there had been none. Missing if nothing was
   * attempted, or if targets do not take turns.
   */
  turn?: { didWell: boolean } | "forgotten";
  /** The HTTP status of the last response, which the owner sees. Missing if there was no attempt. */
  status?: number | null;
} & (
  | { outcome: "done" }
  | { outcome: "later"; at: number; attempts: number; error: string | null }
  | { outcome: "paused" }
  | { outcome: "dead"; attempts: number; error: string; eraseAt: number | null }
);

export type JobSummary = Pick<NewJob, "id" | "queue" | "kind" | "label"> & {
  createdAt: number;
  attempts: number;
  lastError: string | null;
  /** Null if the job is paused or dead. */
  dueAt: number | null;
  /** Null unless the job is dead. */
  diedAt: number | null;
  /** Whether the payload is still stored, so that the job can be retried. */
  hasPayload: boolean;
};

export type JobQueueOperations = {
  /** Adds jobs in one transaction, due immediately. A job whose id is already in the queue is ignored. */
  add: [{ jobs: readonly NewJob[]; now: number }, { added: number }];
  /**
   * Takes at most `max` due jobs, starting with the one that has been due the longest. They are due again at `leaseUntil`.
   *
   * With `turns`, targets take turns, of which `max` is the number: first the targets whose last attempt succeeded, then at most
   * `unprovenMax` others. Within each group, the target that was attempted longest ago comes first, and among those that were not
   * attempted, the one whose job has been due the longest. A turn takes the `jobsMax` oldest due jobs of its target, by default one. A
   * target has one turn at a time.
   */
  take: [
    {
      queues: readonly JobQueueName[];
      now: number;
      leaseUntil: number;
      max: number;
      turns?: { unprovenMax: number; jobsMax?: number };
    },
    { jobs: TakenJob[] },
  ];
  /** Records the results of jobs in one transaction. `settled` is lower if the lease of some jobs ended and others took them. */
  settle: [{ settlements: readonly Settlement[] }, { settled: number }];
  /** Returns when the next job is due, including leased jobs; null if none is waiting. */
  nextDue: [{ queues: readonly JobQueueName[] }, { at: number | null }];
  /** Counts the waiting jobs (including paused ones) and the dead jobs. `oldestAt`: when the oldest waiting job was added. */
  count: [
    { queues: readonly JobQueueName[] },
    { waiting: number; oldestAt: number | null; dead: number },
  ];
  /** Lists jobs, oldest first. `after` is the `next` of the previous page; `next` is null on the last page. */
  list: [
    { state: "waiting" | "dead"; after: number | null; max: number },
    { jobs: JobSummary[]; next: number | null },
  ];
  /** Makes a dead job due immediately and resets its attempts. `erased`: its payload was erased, so it cannot be retried. */
  retry: [
    { id: string; now: number },
    { outcome: "retried" | "not_dead" | "erased" | "not_found" },
  ];
  /** Erases the payloads and targets of dead jobs whose `eraseAt` has passed, and deletes jobs that died before `before`; at most `max` of each. */
  forget: [{ now: number; before: number; max: number }, { forgotten: number; more: boolean }];
};

/** The counts of a queue, for metrics. */
export type JobCount = { queue: JobQueueName } & JobQueueOperations["count"][1];

export const countJobs = (
  jobs: Pick<JobQueue, "count">,
  queues: readonly JobQueueName[],
): Promise<JobCount[]> =>
  Promise.all(queues.map(async (queue) => ({ queue, ...(await jobs.count({ queues: [queue] })) })));

export type JobQueue = {
  [Name in keyof JobQueueOperations]: (
    order: JobQueueOperations[Name][0],
  ) => Promise<JobQueueOperations[Name][1]>;
};
