/** The loop that runs jobs on Node: immediately after this process added one, and when the queue says that one is due. */
import { setTimeout as sleep } from "node:timers/promises";
import type { JobRunner } from "./job-runner.ts";

/** While jobs are under way, others may become due, or another process may add some. */
const LOOK_WHILE_BUSY_MS = 1_000;
const LOOK_AT_LEAST_MS = 60_000;
const AFTER_FAULT_MS = 5_000;
/** On shutdown, jobs get this time to finish. After that they are aborted and stay in the queue. */
const STOP_GRACE_MS = 1_200;
export const STOP_ABORT_MS = 500;

export type Schedule = {
  /** Called after a job was added. */
  wake(): void;
  stop(): Promise<void>;
};

export type ScheduleWiring = {
  logError(message: string, details: { cause?: unknown }): void;
  /** The maximum time until a job that another process added is found. */
  lookAtLeastMs?: number | undefined;
  graceMs?: number;
};

export function startJobs(
  runner: JobRunner,
  { logError, lookAtLeastMs = LOOK_AT_LEAST_MS, graceMs = STOP_GRACE_MS }: ScheduleWiring,
): Schedule {
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isStopped = false;

  function wakeIn(ms: number): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(wake, ms).unref();
  }

  function wake(): void {
    if (isStopped) return;
    if (isRunning) {
      runner.look();
      wakeIn(LOOK_WHILE_BUSY_MS);
    } else void run();
  }

  async function run(): Promise<void> {
    isRunning = true;
    wakeIn(LOOK_WHILE_BUSY_MS);
    let waitMs = AFTER_FAULT_MS;
    try {
      const next = await runner.runDue();
      waitMs = next === null ? lookAtLeastMs : Math.max(0, next - Date.now());
    } catch (cause) {
      logError(`The job queue could not be read; trying again in ${AFTER_FAULT_MS} ms`, { cause });
    }
    isRunning = false;
    wakeIn(Math.min(waitMs, lookAtLeastMs));
  }

  setImmediate(wake).unref();
  return {
    wake() {
      // Later, so that the code that adds a job does not wait for more than the queue.
      setImmediate(wake).unref();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      runner.close();
      await within(runner.idle(), graceMs);
      runner.abort();
      await within(runner.idle(), STOP_ABORT_MS);
    },
  };
}

async function within(ended: Promise<void>, ms: number): Promise<void> {
  const early = new AbortController();
  const late = sleep(ms, null, { signal: early.signal }).catch(() => null);
  await Promise.race([ended, late]);
  early.abort();
}
