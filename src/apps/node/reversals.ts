import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { AppContext } from "#calls/app-context.ts";
import { callRef } from "#ids.ts";
import { countJobs, type JobCount, type JobQueue } from "#jobs/job-queue.ts";
import { type Schedule, STOP_ABORT_MS, startJobs } from "#jobs/node-schedule.ts";
import type { OperatorQueue } from "#jobs/operator-jobs.ts";
import { createReverser, reversalJob, reverseEach, STEADY_PACE } from "#jobs/reverse-calls.ts";
import type { Ledger, Reversal } from "#ledger/port.ts";
import { sqliteJobs } from "#stores/schema/sqlite-jobs.ts";
import { createJobQueue } from "#stores/sql/jobs.ts";
import { addJobRows, readJobRows, SIDECARS } from "#stores/sqlite/backup.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import type { SqlRow } from "#stores/sqlite/driver.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { dropFile, makeFolder } from "./data-folder.ts";

export type Reversals = {
  /** See `AppContext.reverseLater`. Resolves when the call is on disk, so that the next start reverses it even after a kill. */
  reverseLater(call: Reversal): Promise<void>;
  countJobs(): Promise<JobCount[]>;
  /** Starts no more reversals and waits a moment for running ones. Later calls are stored. */
  stop(): Promise<void>;
  /** Runs after the ledger is closed: stores the remaining calls, logs what is left, and closes the file. */
  close(): Promise<void>;
};

const FILE_NAME = "reversals.sqlite";
const MIGRATIONS = [{ name: "initial", sql: sqliteJobs, readableFrom: 1 }];
const LISTED_MAX = 1_000;
/** Calls whose reversal cannot be stored are kept in memory up to this number; all of them are in the log. */
const UNKEPT_MAX = 10_000;
const RETRY_MS = 5_000;
const MAY_BE_CHARGED =
  "The server keeps trying while it runs. If it stops before it succeeds, these calls may stay charged: check each with calls show, and settle it with calls reverse.";
/** How long running reversals may take before the ledger is closed. */
const STOP_TIMEOUT_MS = 2_000;

export const reversalFile = (dataDir: string) => path.join(dataDir, FILE_NAME);

export function openReversalFile(file: string) {
  const driver = openNodeSqlite(file, MIGRATIONS);
  const { dev, ino } = statSync(file);
  return {
    jobs: createJobQueue(createSqliteDatabase(driver)),
    /** Whether the open file is still at its path. */
    isInPlace(): boolean {
      const found = statSync(file, { throwIfNoEntry: false });
      return found?.dev === dev && found.ino === ino;
    },
    allRows: () => readJobRows(driver),
    addRows: (rows: readonly SqlRow[]) => addJobRows(driver, rows),
    close: () => driver.close(),
  };
}

/** The operator's view of the file. It opens the file per request, because a node creates it only when needed. */
export function reversalsForOperator(dataDir: string): OperatorQueue {
  const file = reversalFile(dataDir);
  async function ask<Outcome>(
    question: (jobs: JobQueue) => Promise<Outcome>,
    ifNone: Outcome,
  ): Promise<Outcome> {
    if (!existsSync(file)) return ifNone;
    const { jobs, close } = openReversalFile(file);
    try {
      return await question(jobs);
    } finally {
      close();
    }
  }
  return {
    list: (order) => ask((jobs) => jobs.list(order), { jobs: [], next: null }),
    retry: (order) => ask((jobs) => jobs.retry(order), { outcome: "not_found" }),
  };
}

type Opened = ReturnType<typeof openReversalFile> & { schedule: Schedule };

/** How often to look whether the file was deleted. */
const LOOK_EVERY_MS = 1_000;

/**
 * The calls that a node has to reverse, in a small SQLite file in the data folder: the node can write there while the
 * ledger is unreachable. The first call creates the file. Nodes may share a folder.
 */
export function openReversals(
  dataDir: string,
  ledger: Pick<Ledger, "reverse">,
  random: AppContext["random"],
  logError: AppContext["logError"],
  { lookEveryMs = LOOK_EVERY_MS, retryMs = RETRY_MS } = {},
): Reversals {
  const file = reversalFile(dataDir);
  const now = () => Date.now();
  let opened: Opened | null = null;
  /** Calls of one event-loop turn are stored in one transaction. */
  let fresh: Reversal[] = [];
  let keeping = Promise.resolve();
  /** Calls that could not be stored yet. */
  let unkept: Reversal[] = [];
  let isRetrying = false;
  let isStopped = false;
  let looking: NodeJS.Timeout | undefined;

  /** Moves the calls of a file that was deleted or replaced to the file at the path, which this creates if necessary. */
  async function moveLost(): Promise<void> {
    const lost = opened;
    if (lost === null || lost.isInPlace()) return;
    opened = null;
    clearInterval(looking);
    await lost.schedule.stop();
    const rows = lost.allRows();
    lost.close();
    // Left beside a new database, they would damage it.
    if (!existsSync(file)) for (const suffix of SIDECARS) dropFile(file + suffix);
    const fresh = open();
    fresh.addRows(rows);
    fresh.schedule.wake();
    const what = `${file} was deleted or replaced while the server was running`;
    logError(`${what}; its ${rows.length} calls to reverse were written to it again`, {});
  }

  const failedToRead = (cause: unknown) =>
    logError(`Reading pending reversals from ${file} failed`, { cause });

  function open(): Opened {
    if (opened !== null) return opened;
    makeFolder(path.resolve(dataDir));
    const opening = openReversalFile(file);
    const { jobs } = opening;
    const reverseAll = reverseEach(ledger);
    const runner = createReverser({ jobs, reverseAll, now, random, logError }, STEADY_PACE);
    if (isStopped) runner.close();
    looking = setInterval(() => {
      keeping = keeping.then(moveLost).catch(failedToRead);
    }, lookEveryMs).unref();
    opened = {
      ...opening,
      schedule: startJobs(runner, { logError, graceMs: STOP_TIMEOUT_MS - STOP_ABORT_MS }),
    };
    return opened;
  }

  async function keepFresh(): Promise<void> {
    const calls = fresh;
    fresh = [];
    if (calls.length === 0) return;
    try {
      await keep(calls);
    } catch (cause) {
      // Each is named, so that an operator can settle it if the file stays out of reach.
      const ids = calls.map(callRef).join(", ");
      // The ids come first, because errors that begin in the same way are counted together.
      logError(`Storing the reversals of ${ids} in ${file} failed. ${MAY_BE_CHARGED}`, { cause });
      const dropped = unkept.push(...calls) - UNKEPT_MAX;
      if (dropped > 0) unkept.splice(0, dropped);
      retryLater();
    }
  }

  async function keep(calls: readonly Reversal[]): Promise<void> {
    const { jobs, schedule } = open();
    await jobs.add({ jobs: calls.map(reversalJob), now: now() });
    schedule.wake();
  }

  /** Tries to store the calls that could not be stored, as long as the server runs. */
  function retryLater(): void {
    if (isRetrying || isStopped) return;
    isRetrying = true;
    setTimeout(async () => {
      isRetrying = false;
      await keepUnkept().catch(retryLater);
    }, retryMs).unref();
  }

  async function keepUnkept(): Promise<void> {
    const calls = unkept;
    if (calls.length === 0) return;
    unkept = [];
    try {
      await keep(calls);
    } catch (error) {
      // The ledger may be within reach although the folder is not.
      unkept = (await reverseNow(calls)).concat(unkept);
      if (unkept.length > 0) throw error;
    }
  }

  /** Returns the calls that are still to be reversed. */
  async function reverseNow(calls: readonly Reversal[]): Promise<Reversal[]> {
    for (const [index, call] of calls.entries()) {
      try {
        // A debit that is not found may still arrive. The ledger rejects it then.
        await ledger.reverse({ ...call, now: now() });
      } catch {
        return calls.slice(index);
      }
    }
    return [];
  }

  if (existsSync(file)) {
    try {
      open();
    } catch (cause) {
      failedToRead(cause);
    }
  }

  return {
    async reverseLater(call) {
      fresh.push(call);
      await turn();
      keeping = fresh.length === 0 ? keeping : keepFresh();
      await keeping;
    },
    countJobs: async () => (opened === null ? [] : countJobs(opened.jobs, ["reversal"])),
    async stop() {
      isStopped = true;
      await keepFresh();
      await opened?.schedule.stop();
    },
    async close() {
      clearInterval(looking);
      await turn();
      await keeping;
      await moveLost().catch(failedToRead);
      await keepFresh();
      await keepUnkept().catch(() => {});
      if (opened === null) return;
      const { jobs } = await opened.jobs.list({ state: "waiting", after: null, max: LISTED_MAX });
      for (const { id } of jobs)
        logError(
          `Call ${id} was not reversed before shutdown; it stays in ${file} for the next start`,
          {},
        );
      const { waiting } = await opened.jobs.count({ queues: ["reversal"] });
      if (waiting > jobs.length)
        logError(`${waiting - jobs.length} more calls to reverse stay in ${file}`, {});
      opened.close();
    },
  };
}
