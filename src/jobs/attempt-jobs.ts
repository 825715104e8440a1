import { type Outage, withJitter } from "./back-off.ts";
import type { JobGroup, JobResult, JobRunnerWiring } from "./job-policy.ts";
import type { Settlement, TakenJob } from "./job-queue.ts";

/** Attempts jobs of one target, and returns what becomes of each. Never rejects. */
export async function attemptJobs(
  wiring: JobRunnerWiring,
  group: JobGroup,
  signal: AbortSignal,
  outage: Outage,
): Promise<Settlement[]> {
  const startedAt = wiring.now();
  const isExpired = ({ usefulUntil }: TakenJob) => usefulUntil !== null && usefulUntil <= startedAt;
  const dropped = group.filter(isExpired).map((job) => drop(wiring, job));
  const [first, ...others] = group.filter((job) => !isExpired(job));
  if (first === undefined) return dropped;
  const jobs: JobGroup = [first, ...others];
  const results = await wiring.attempt(jobs, signal).catch((cause: unknown): JobResult[] => {
    const error = `unexpected ${cause instanceof Error ? cause.name : "error"}`;
    if (!signal.aborted) wiring.logError(`The job ${first.id} failed unexpectedly`, { cause });
    return jobs.map(() => ({ outcome: "failed", error }));
  });
  const attempted = jobs.map((job, at) => ({ job, result: results[at] ?? NO_RESULT }));
  return [...dropped, ...settle(wiring, attempted, signal, outage)];
}

const NO_RESULT: JobResult = { outcome: "failed", error: "it has no result" };

function drop({ policy, now, logError }: JobRunnerWiring, job: TakenJob): Settlement {
  const { id, take, attempts } = job;
  const name = policy.nameOf(job);
  const error = "it expired before an attempt succeeded";
  if (name !== null) logError(`${name} was dropped: ${error}`, {});
  return { id, take, now: now(), outcome: "dead", attempts, error, eraseAt: now() };
}

type Attempted = { job: TakenJob; result: JobResult };
type Conclusive = { job: TakenJob; result: Exclude<JobResult, { outcome: "aborted" }> };

function settle(
  wiring: JobRunnerWiring,
  attempted: readonly Attempted[],
  { aborted }: AbortSignal,
  outage: Outage,
): Settlement[] {
  const now = wiring.now();
  // An attempt that was aborted before it got a response says nothing about the target.
  const isConclusive = (each: Attempted): each is Conclusive =>
    each.result.outcome !== "aborted" &&
    !(aborted && each.result.outcome !== "done" && each.result.status == null);
  const conclusive = attempted.filter(isConclusive);
  const again = attempted
    .filter((each) => !isConclusive(each))
    .map(({ job }): Settlement => {
      const { id, take, attempts } = job;
      return { id, take, now, outcome: "later", at: now, attempts, error: null };
    });
  recordOutage(wiring, conclusive, now, outage);
  // One random byte, so that the jobs of a group are due together again.
  const chance = wiring.random(1);
  const log = createGroupLog(wiring);
  const context = {
    wiring: { ...wiring, random: () => chance },
    now,
    log,
    pausedUntil: outage.until(),
  };
  const settled = conclusive.map((each) => settleOne(context, each));
  log.write();
  const hadFailed = conclusive.some(({ job }) => job.attempts > 0);
  return [...again, ...withTurn(wiring, settled, hadFailed)];
}

/** Jobs that fail together count once. */
function recordOutage(
  { policy, logError }: JobRunnerWiring,
  conclusive: readonly Conclusive[],
  now: number,
  outage: Outage,
): void {
  const unreachable = conclusive.find(({ result }) => result.outcome === "unreachable")?.result;
  if (unreachable === undefined) {
    if (conclusive.length > 0) outage.succeeded();
  } else if (outage.failed(now) && "error" in unreachable)
    logError(`${policy.queueName} are paused: ${unreachable.error}`, {});
}

type Context = {
  wiring: JobRunnerWiring;
  now: number;
  log: ReturnType<typeof createGroupLog>;
  pausedUntil: number;
};

function settleOne(
  { wiring, now, log, pausedUntil }: Context,
  { job, result }: Conclusive,
): Settlement {
  const { policy, random } = wiring;
  const { id, take } = job;
  const { status } = result;
  const common = { id, take, now, ...(status !== undefined && { status }) };
  if (result.outcome === "done") return { ...common, outcome: "done" };
  if (result.outcome === "paused") return { id, take, now, outcome: "paused" };

  const { error } = result;
  const isOutage = result.outcome === "unreachable";
  const attempts = job.attempts + (isOutage && result.counts !== true ? 0 : 1);
  const own = attempts > job.attempts ? policy.waitMs(attempts) : 0;
  const isFinal = own === null || (!isOutage && result.isFinal === true);
  if (isFinal || now - job.createdAt >= policy.giveUpAfterMs) {
    log.add(job, `failed for good: ${error}`);
    return { ...common, outcome: "dead", attempts, error, eraseAt: policy.eraseAt(job, now) };
  }
  if (attempts > job.attempts) log.add(job, `failed and will be retried: ${error}`);
  const notBeforeMs = isOutage ? 0 : (result.notBeforeMs ?? 0);
  const at = Math.max(
    now + Math.max(notBeforeMs, own === 0 ? 0 : withJitter(own, random)),
    pausedUntil,
  );
  return { ...common, outcome: "later", at, attempts, error };
}

/**
 * Adds the target's turn to one of the settlements. A paused target had none.
 *
 * `hadFailed`: whether one of the jobs had failed before, without which there is no turn to forget.
 */
function withTurn({ policy }: JobRunnerWiring, settled: Settlement[], hadFailed: boolean) {
  const counted = settled.find(({ outcome }) => outcome !== "paused");
  if (counted === undefined || policy.turns === null) return settled;
  const didWell = settled.every(({ outcome }) => outcome === "done");
  let turn: Settlement["turn"] = { didWell };
  if (policy.turns === "failing last") {
    const isOver = settled.every(({ outcome }) => outcome === "done" || outcome === "dead");
    if (isOver && !hadFailed) return settled;
    if (isOver) turn = "forgotten";
  }
  return settled.map((each) => (each === counted ? { ...each, turn } : each));
}

/** Logs what happened to jobs, once for all of a group to which the same happened. */
function createGroupLog({ policy, logError }: Pick<JobRunnerWiring, "policy" | "logError">) {
  const names = new Map<string, string[]>();
  return {
    add(job: TakenJob, what: string): void {
      const name = policy.nameOf(job);
      if (name !== null) names.set(what, [...(names.get(what) ?? []), name]);
    },
    write(): void {
      for (const [what, [name, ...others]] of names) {
        const more = others.length === 0 ? "" : ` and ${others.length} more`;
        logError(`${name}${more} ${what}`, {});
      }
    },
  };
}
