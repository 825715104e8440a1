import type { RandomBytes } from "#ids.ts";
import { attemptJobs } from "./attempt-jobs.ts";
import { createOutage, type OutagePolicy } from "./back-off.ts";
import type { JobQueue, JobQueueName, Settlement, TakenJob } from "./job-queue.ts";

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
  /** Awaited after each write, so that other users of the database get their turn. */
  rest?: (() => Promise<void>) | undefined;
};

export type JobRunner = {
  /** Starts the jobs that are due, without waiting for them. */
  look(): void;
  /** Resolves when no job is under way. */
  idle(): Promise<void>;
  /** Runs the jobs that are due. Resolves when none is under way, with the time when the next one is due; null if none waits. */
  runDue(): Promise<number | null>;
  /** Takes no more jobs. Jobs that are under way continue. */
  close(): void;
  /** Takes no more jobs and aborts those under way, which are then due again immediately. */
  abort(): void;
};

/** After the queue could not be used, it is tried again after this time. */
const AFTER_FAULT_MS = 5_000;

/**
 * Runs the jobs of one or more queues: takes due jobs under a lease, attempts them, and records the results. A single loop
 * writes the results of all attempts, so that many attempts cost few transactions.
 */
export function createJobRunner(wiring: JobRunnerWiring): JobRunner {
  const { jobs, policy, now, logError, rest } = wiring;
  const { queues, atOnce, jobsAtOnce = 1, takeWhenFree = 1 } = policy;
  const aborting = new AbortController();
  const outage = createOutage(policy.outage, wiring.random);
  const underWay = new Set<Promise<void>>();
  const unprovenMax = policy.turns === "failing last" ? atOnce : Math.ceil(atOnce / 2);
  let unproven = 0;
  /** When to try again after the queue itself failed. */
  let lookAgainAt = 0;
  /** Results that are not recorded yet. One that could not be recorded stays here, so that its job is not repeated. */
  const settlements: Settlement[] = [];
  let looking: Promise<void> | null = null;
  let isLookRequested = false;
  let isClosed = false;

  function look(): void {
    isLookRequested = true;
    looking ??= lookUntilDone();
  }

  async function lookUntilDone(): Promise<void> {
    try {
      while (isLookRequested) {
        isLookRequested = false;
        await settleAll();
        await fill();
      }
      lookAgainAt = 0;
    } catch (cause) {
      lookAgainAt = now() + AFTER_FAULT_MS;
      logError(`${policy.queueName}: the job queue failed; trying again in ${AFTER_FAULT_MS} ms`, {
        cause,
      });
    } finally {
      looking = null;
    }
  }

  async function settleAll(): Promise<void> {
    if (settlements.length === 0) return;
    const pending = [...settlements];
    await jobs.settle({ settlements: pending });
    settlements.splice(0, pending.length);
    await rest?.();
  }

  async function fill(): Promise<void> {
    const time = now();
    if (isClosed || outage.until() > time) return;
    const most = outage.most(atOnce);
    const max = most - underWay.size;
    if (max <= 0 || max < Math.min(takeWhenFree, most)) return;
    // While it is not known whether an outage is over, a single job finds out.
    const jobsMax = outage.isInDoubt() ? 1 : jobsAtOnce;
    const turns = { unprovenMax: unprovenMax - unproven, jobsMax };
    const leaseUntil = time + policy.leaseMs;
    const order = { queues, now: time, leaseUntil, max };
    const taken = await jobs.take(policy.turns === null ? order : { ...order, turns });
    for (const group of groupsOf(taken.jobs, policy)) begin(group);
    if (taken.jobs.length > 0) await rest?.();
  }

  function begin(group: JobGroup): void {
    const one = group[0].isProven ? 0 : 1;
    unproven += one;
    const attempt = attemptJobs(wiring, group, aborting.signal, outage).then((settled) => {
      settlements.push(...settled);
      unproven -= one;
      underWay.delete(attempt);
      look();
    });
    underWay.add(attempt);
  }

  async function idle(): Promise<void> {
    while (looking !== null || underWay.size > 0) await Promise.all([looking, ...underWay]);
  }

  return {
    look,
    idle,
    async runDue() {
      look();
      await idle();
      const { at } = await jobs.nextDue({ queues });
      return at === null ? null : Math.max(at, outage.until(), lookAgainAt);
    },
    close() {
      isClosed = true;
    },
    abort() {
      isClosed = true;
      aborting.abort();
    },
  };
}

/** Without turns, the jobs of a target may be taken together, and are attempted each by itself. */
function groupsOf(jobs: readonly TakenJob[], { turns }: JobPolicy): JobGroup[] {
  if (turns === null) return jobs.map((job) => [job]);
  return [...Map.groupBy(jobs, ({ target }) => target).values()] as unknown as JobGroup[];
}

/** Turns an attempt at one job into the attempt of a runner. */
export const attemptEach =
  (attempt: (job: TakenJob, signal: AbortSignal) => Promise<JobResult>) =>
  (jobs: JobGroup, signal: AbortSignal): Promise<JobResult[]> =>
    Promise.all(jobs.map((job) => attempt(job, signal)));

export type Bounds = {
  /** The maximum number of jobs. The last look at the queue may exceed it if an attempt has several. */
  max: number;
  /** The maximum number of attempts; by default one for each job. */
  attemptsMax?: number;
  /** None is started at this time or later. */
  until: number;
};

/** Runs jobs within the bounds of a Worker's invocation. */
export async function runBounded(
  jobs: JobRunnerWiring["jobs"],
  { max, attemptsMax = max, until }: Bounds,
  open: (jobs: JobRunnerWiring["jobs"]) => JobRunner,
): Promise<void> {
  const left = { jobs: max, attempts: attemptsMax };
  const runner = open({
    ...jobs,
    async take(order) {
      const jobsMax = Math.min(order.turns?.jobsMax ?? 1, left.jobs);
      const most = Math.min(order.max, left.attempts, left.jobs);
      if (most <= 0 || order.now >= until) return { jobs: [] };
      const turns = order.turns && { turns: { ...order.turns, jobsMax } };
      const taken = await jobs.take({ ...order, ...turns, max: most });
      left.jobs -= taken.jobs.length;
      left.attempts -= turns
        ? Map.groupBy(taken.jobs, ({ target }) => target).size
        : taken.jobs.length;
      return taken;
    },
  });
  runner.look();
  await runner.idle();
}
