import { attemptJobs } from "./attempt-jobs.ts";
import { createOutage } from "./back-off.ts";
import type { JobGroup, JobPolicy, JobResult, JobRunnerWiring } from "./job-policy.ts";
import type { Settlement, TakenJob } from "./job-queue.ts";

export type JobRunner = {
  /** Starts the jobs that are due, without waiting for them. */
  look(): void;
  /** Resolves when no job is under way. */
  idle(): Promise<void>;
  /** Runs the jobs that are due. Resolves when none is under way, with the time at which to look again; null if no job waits. */
  runDue(): Promise<number | null>;
  /** Takes no more jobs. Jobs that are under way continue. */
  close(): void;
  /** Takes no more jobs and aborts those under way, which are then due again immediately. */
  abort(): void;
};

/** After the queue could not be used, it is tried again after this time. */
const AFTER_FAULT_MS = 5_000;
/** Until a job that is due may be taken: another process is working for its target. */
const WHILE_OTHERS_WORK_MS = 1_000;

/**
 * Runs the jobs of one or more queues: takes due jobs under a lease, attempts them, and records the results. A single loop
 * writes the results of all attempts, so that many attempts cost few transactions.
 */
export function createJobRunner(wiring: JobRunnerWiring): JobRunner {
  const { jobs, policy, now, logError } = wiring;
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
      if (at === null) return null;
      const time = now();
      const next = Math.max(at, outage.until(), lookAgainAt);
      return next > time ? next : time + WHILE_OTHERS_WORK_MS;
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
