/**
 * The durable job queue: a port; stores implement it. Orders and results are plain data, and the time comes from the
 * caller. Delivery is at least once: a job is taken under a lease, belongs to nobody else until the lease ends, and to
 * everybody again after that, so a process that dies loses none.
 *
 * What causes a job writes it in its own transaction, with statements that the store exports (`stores/sql/jobs.ts`).
 */

/** Emails for a mail server, emails for the outbox folder, webhook deliveries, and reversals of calls. */
export const JOB_QUEUES = ["email", "outbox", "webhook", "reversal"] as const;
export type JobQueueName = (typeof JOB_QUEUES)[number];

export type NewJob = {
  id: string;
  queue: JobQueueName;
  /** What it is about, for logs and operators: a kind of email or event, or `reverse-call`. */
  kind: string;
  /** Whom it concerns: the recipient, the endpoint, the account. Jobs that take turns do so by target. */
  target: string;
  /** What logs and operators may see of the target. */
  label: string;
  payload: string;
  /** From then on the job is not worth doing. Milliseconds since 1970 UTC; null: always worth doing. */
  usefulUntil: number | null;
};

/** `take` counts the takes of this job: an order with an older number comes from someone whose lease has ended. */
export type TakenJob = NewJob & {
  createdAt: number;
  /** Attempts that failed. */
  attempts: number;
  take: number;
  /** Whether the last attempt at its target succeeded. */
  isProven: boolean;
};

/**
 * What came of a job that was taken.
 *
 * - `done`: deleted. This counts even if the lease has ended meanwhile, because the work was done.
 * - `later`: due again at `at`, unless its target was paused meanwhile.
 * - `paused`: due again when its target is resumed.
 * - `dead`: never attempted again unless an operator retries it; its payload and target are erased at `eraseAt`.
 */
export type Settlement = {
  id: string;
  take: number;
  now: number;
  /** Recorded for the target's next turn; left out where nothing was attempted, and where targets take no turns. */
  turn?: { didWell: boolean };
  /** HTTP status of the last response, for the log that an owner sees; left out where there was no attempt. */
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
  /** Null while it is paused, and once it is dead. */
  dueAt: number | null;
  /** Null while it waits. */
  diedAt: number | null;
  /** Whether a retry is possible: the payload is still there. */
  hasPayload: boolean;
};

export type JobQueueOperations = {
  /** Keeps jobs, due at once, in one transaction. The same id again is the first job. */
  add: [{ jobs: readonly NewJob[]; now: number }, { added: number }];
  /**
   * Takes at most `max` of those that are due, the longest due first; they are due again at `leaseUntil`.
   *
   * With `turns` at most one job of a target is under way at a time, and targets take turns: first those whose last
   * attempt succeeded, then the others, at most `unprovenMax` of them; within each, the one attempted longest ago.
   */
  take: [
    {
      queues: readonly JobQueueName[];
      now: number;
      leaseUntil: number;
      max: number;
      turns?: { unprovenMax: number };
    },
    { jobs: TakenJob[] },
  ];
  /** Records what came of jobs, in one transaction. `settled`: of how many, for some may have passed on to others. */
  settle: [{ settlements: readonly Settlement[] }, { settled: number }];
  /** When the next job is due, those under a lease included; null where none waits. */
  nextDue: [{ queues: readonly JobQueueName[] }, { at: number | null }];
  /** How many wait (paused ones included), since when the oldest, and how many are dead. */
  count: [
    { queues: readonly JobQueueName[] },
    { waiting: number; oldestAt: number | null; dead: number },
  ];
  /** Oldest first; `after`: the `next` of the page before, which is null where that was the last one. */
  list: [
    { state: "waiting" | "dead"; after: number | null; max: number },
    { jobs: JobSummary[]; next: number | null },
  ];
  /** Makes a dead job due at once, with all of its attempts. `erased`: its payload is gone, so it cannot be. */
  retry: [
    { id: string; now: number },
    { outcome: "retried" | "not_dead" | "erased" | "not_found" },
  ];
  /** Erases what dead jobs keep for too long, and deletes jobs that died before `before`, at most `max`. */
  forget: [{ now: number; before: number; max: number }, { forgotten: number; more: boolean }];
};

/** For metrics. */
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
