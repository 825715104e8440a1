import type { RandomBytes } from "#ids.ts";
import { createOutage, type Outage, type OutagePolicy, withJitter } from "./back-off.ts";
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
  /** Must be longer than any attempt. After this time, the job of a process that died is attempted again. */
  leaseMs: number;
  /**
   * Whether targets take turns: one job per target at a time, and at most half of `atOnce` for targets whose last attempt did
   * not succeed.
   */
  takesTurns: boolean;
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

export type JobRunnerWiring = {
  jobs: Pick<JobQueue, "take" | "settle" | "nextDue">;
  policy: JobPolicy;
  attempt(job: TakenJob, signal: AbortSignal): Promise<JobResult>;
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
  const { queues, atOnce } = policy;
  const aborting = new AbortController();
  const outage = createOutage(policy.outage, wiring.random);
  const underWay = new Set<Promise<void>>();
  const unprovenMax = Math.ceil(atOnce / 2);
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
    const max = outage.most(atOnce) - underWay.size;
    if (max <= 0) return;
    const turns = policy.takesTurns ? { turns: { unprovenMax: unprovenMax - unproven } } : {};
    const leaseUntil = time + policy.leaseMs;
    const taken = await jobs.take({ queues, now: time, leaseUntil, max, ...turns });
    for (const job of taken.jobs) begin(job);
    if (taken.jobs.length > 0) await rest?.();
  }

  function begin(job: TakenJob): void {
    const one = job.isProven ? 0 : 1;
    unproven += one;
    const attempt = attemptOne(wiring, job, aborting.signal, outage).then((settlement) => {
      settlements.push(settlement);
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

/** Attempts a job. Never rejects. */
async function attemptOne(
  wiring: JobRunnerWiring,
  job: TakenJob,
  signal: AbortSignal,
  outage: Outage,
): Promise<Settlement> {
  const { policy, now, logError } = wiring;
  const { id, take, attempts, usefulUntil } = job;
  const name = policy.nameOf(job);
  if (usefulUntil !== null && usefulUntil <= now()) {
    const error = "it expired before it could be attempted";
    if (name !== null) logError(`${name} was dropped: ${error}`, {});
    return { id, take, now: now(), outcome: "dead", attempts, error, eraseAt: now() };
  }
  const result = await wiring.attempt(job, signal).catch((cause: unknown): JobResult => {
    const error = `unexpected ${cause instanceof Error ? cause.name : "error"}`;
    if (!signal.aborted) logError(`The job ${id} failed unexpectedly`, { cause });
    return { outcome: "failed", error };
  });
  // An attempt that was aborted before it got a response says nothing about the target.
  const isInconclusive = signal.aborted && result.outcome !== "done" && result.status == null;
  if (result.outcome !== "aborted" && !isInconclusive) return settle(wiring, job, result, outage);
  return { id, take, now: now(), outcome: "later", at: now(), attempts, error: null };
}

function settle(
  wiring: JobRunnerWiring,
  job: TakenJob,
  result: Exclude<JobResult, { outcome: "aborted" }>,
  outage: Outage,
): Settlement {
  const { policy, random, logError } = wiring;
  const now = wiring.now();
  const { id, take } = job;
  const name = policy.nameOf(job);
  const { status } = result;
  const common = {
    id,
    take,
    now,
    ...(policy.takesTurns && { turn: { didWell: result.outcome === "done" } }),
    ...(status !== undefined && { status }),
  };
  if (result.outcome !== "unreachable") outage.succeeded();
  if (result.outcome === "done") return { ...common, outcome: "done" };
  if (result.outcome === "paused") return { id, take, now, outcome: "paused" };

  const { error } = result;
  const isOutage = result.outcome === "unreachable";
  if (isOutage && outage.failed(now)) logError(`${policy.queueName} are paused: ${error}`, {});
  const attempts = job.attempts + (isOutage && result.counts !== true ? 0 : 1);
  const own = attempts > job.attempts ? policy.waitMs(attempts) : 0;
  const isFinal = own === null || (!isOutage && result.isFinal === true);
  if (isFinal || now - job.createdAt >= policy.giveUpAfterMs) {
    if (name !== null) logError(`${name} failed for good: ${error}`, {});
    return { ...common, outcome: "dead", attempts, error, eraseAt: policy.eraseAt(job, now) };
  }
  if (name !== null && attempts > job.attempts)
    logError(`${name} failed and will be retried: ${error}`, {});
  const notBeforeMs = isOutage ? 0 : (result.notBeforeMs ?? 0);
  const at = Math.max(
    now + Math.max(notBeforeMs, own === 0 ? 0 : withJitter(own, random)),
    outage.until(),
  );
  return { ...common, outcome: "later", at, attempts, error };
}

/** Runs jobs within the bounds of a Worker's invocation: at most `max` jobs, and none is started at `until` or later. */
export async function runBounded(
  jobs: JobRunnerWiring["jobs"],
  { max, until }: { max: number; until: number },
  open: (jobs: JobRunnerWiring["jobs"]) => JobRunner,
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
