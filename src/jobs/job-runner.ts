import type { RandomBytes } from "#ids.ts";
import { withJitter } from "./back-off.ts";
import type { JobQueue, JobQueueName, Settlement, TakenJob } from "./job-queue.ts";
import { createOutage, type Outage, type OutagePolicy } from "./outage.ts";

/**
 * What came of one attempt. Errors are logged and kept: they must not contain a secret.
 *
 * - `failed`: the job waits for its next attempt, at least for `notBeforeMs`; with `isFinal` it is dead.
 * - `unreachable`: nothing could be reached, whatever the job. That is a failure of the job only where it `counts`.
 * - `paused`: its target wants none just now.
 * - `aborted`: the signal broke it off, which is no failure: it is due again at once.
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
  /** Attempts under way at once. */
  atOnce: number;
  /** Longer than any attempt takes. A job whose process died is attempted again after this. */
  leaseMs: number;
  /** One job of a target at a time, and at most half of those at once of targets that are not known to be good. */
  takesTurns: boolean;
  /** How long a job waits after so many failures, before jitter; null: it has failed for good. */
  waitMs(failures: number): number | null;
  /** A job that fails when it is as old as this has failed for good. */
  giveUpAfterMs: number;
  outage: OutagePolicy;
  /** What the log calls the jobs together, and one of them; null: what fails is not logged. */
  queueName: string;
  nameOf(job: TakenJob): string | null;
  /** Until when a dead job keeps its payload and target; null: for as long as it is listed. */
  eraseAt(job: TakenJob, now: number): number | null;
};

export type JobRunnerWiring = {
  jobs: Pick<JobQueue, "take" | "settle" | "nextDue">;
  policy: JobPolicy;
  attempt(job: TakenJob, signal: AbortSignal): Promise<JobResult>;
  now(): number;
  random: RandomBytes;
  logError(message: string, details: { cause?: unknown }): void;
  /** Awaited after each write, so that others who share the database get their turn. */
  rest?: (() => Promise<void>) | undefined;
};

export type JobRunner = {
  /** Starts to do what is due, without waiting for it. */
  look(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  /** Does what is due; resolves when nothing is under way with the time of the next look, null where none waits. */
  runDue(): Promise<number | null>;
  /** Takes no more jobs; those under way go on. */
  close(): void;
  /** The same, and breaks off what is under way: those jobs are due again at once. */
  abort(): void;
};

/** So soon the queue is asked again after it could not be used. */
const AFTER_FAULT_MS = 5_000;

/**
 * Does the jobs of one or more queues: takes what is due under a lease, attempts it, and records what came of it. One
 * loop writes for all attempts, so that many of them cost few transactions.
 */
export function createJobRunner(wiring: JobRunnerWiring): JobRunner {
  const { jobs, policy, now, logError, rest } = wiring;
  const { queues, atOnce } = policy;
  const aborting = new AbortController();
  const outage = createOutage(policy.outage, wiring.random);
  const underWay = new Set<Promise<void>>();
  const unprovenMax = Math.ceil(atOnce / 2);
  let unproven = 0;
  /** After a fault of the queue itself. */
  let lookAgainAt = 0;
  /** Not recorded yet. What could not be recorded stays here, so that this process does not repeat it. */
  const settlements: Settlement[] = [];
  let looking: Promise<void> | null = null;
  let [wasAsked, isClosed] = [false, false];

  function look(): void {
    wasAsked = true;
    looking ??= lookOn();
  }

  async function lookOn(): Promise<void> {
    try {
      while (wasAsked) {
        wasAsked = false;
        await settleAll();
        await fill();
      }
      lookAgainAt = 0;
    } catch (cause) {
      lookAgainAt = now() + AFTER_FAULT_MS;
      logError(`${policy.queueName} could not be taken or recorded; trying again soon`, { cause });
    } finally {
      looking = null;
    }
  }

  async function settleAll(): Promise<void> {
    if (settlements.length === 0) return;
    const these = [...settlements];
    await jobs.settle({ settlements: these });
    settlements.splice(0, these.length);
    await rest?.();
  }

  async function fill(): Promise<void> {
    const time = now();
    if (isClosed || outage.until() > time) return;
    const max = outage.most(atOnce) - underWay.size;
    if (max <= 0) return;
    const turns = policy.takesTurns ? { turns: { unprovenMax: unprovenMax - unproven } } : {};
    const lease = { now: time, leaseUntil: time + policy.leaseMs };
    const taken = await jobs.take({ queues, ...lease, max, ...turns });
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

/** Never rejects. */
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
    const error = "its time ended before it could be done";
    if (name !== null) logError(`${name} was dropped: ${error}`, {});
    return { id, take, now: now(), outcome: "dead", attempts, error, eraseAt: now() };
  }
  const result = await wiring.attempt(job, signal).catch((cause: unknown): JobResult => {
    const error = `unexpected ${cause instanceof Error ? cause.name : "error"}`;
    if (!signal.aborted) logError(`The job ${id} failed unexpectedly`, { cause });
    return { outcome: "failed", error };
  });
  const saysNothing = signal.aborted && result.outcome !== "done" && result.status == null;
  if (result.outcome !== "aborted" && !saysNothing) return settle(wiring, job, result, outage);
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
    ...{ id, take, now },
    ...(policy.takesTurns && { turn: { didWell: result.outcome === "done" } }),
    ...(status !== undefined && { status }),
  };
  if (result.outcome !== "unreachable") outage.succeeded();
  if (result.outcome === "done") return { ...common, outcome: "done" };
  if (result.outcome === "paused") return { id, take, now, outcome: "paused" };

  const { error } = result;
  const isOutage = result.outcome === "unreachable";
  if (isOutage && outage.failed(now)) logError(`${policy.queueName} wait: ${error}`, {});
  const attempts = job.attempts + (isOutage && result.counts !== true ? 0 : 1);
  const own = attempts > job.attempts ? policy.waitMs(attempts) : 0;
  const isFinal = own === null || (!isOutage && result.isFinal === true);
  if (isFinal || now - job.createdAt >= policy.giveUpAfterMs) {
    if (name !== null) logError(`${name} was given up: ${error}`, {});
    return { ...common, outcome: "dead", attempts, error, eraseAt: policy.eraseAt(job, now) };
  }
  if (name !== null && attempts > job.attempts)
    logError(`${name} waits for its next try: ${error}`, {});
  const asked = isOutage ? 0 : (result.notBeforeMs ?? 0);
  const at = Math.max(
    now + Math.max(asked, own === 0 ? 0 : withJitter(own, random)),
    outage.until(),
  );
  return { ...common, outcome: "later", at, attempts, error };
}
