import { rmSync, statSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { FREE_READ_TURNS, type ReadTurns } from "#accounts/read-turns.ts";
import type { RequestChunk, RequestLog, RequestLogBounds } from "#accounts/request-log.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import type { PostgresPool } from "#stores/postgres/pool.ts";
import { createPostgresRequestTables } from "#stores/postgres/request-log.ts";
import { createRequestLog, type RequestTables } from "#stores/sql/request-log.ts";
import { isDamage, primaryCodeOf, SQLITE_BUSY } from "#stores/sqlite/faults.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";
import { createSqliteRequestTables, REQUEST_LOG_MIGRATIONS } from "#stores/sqlite/request-log.ts";
import type { Handed } from "./request-recorder.ts";

/** The request log of a node: a file of its own in DATA_DIR beside the SQLite ledger, or tables in PostgreSQL. */
export type NodeRequestLog = {
  log: RequestLog;
  append(chunks: readonly RequestChunk[]): Promise<Handed>;
  close(): Promise<void>;
};

type Options = {
  bounds: RequestLogBounds;
  /** The turns of searches. */
  turns?: ReadTurns;
  now(): number;
  logError(message: string, cause: unknown): void;
  tidyEveryMs?: number;
};

const TIDY_EVERY_MS = 30_000;
const CACHE_KB = 8 * 1024;
/**
 * How long a server waits for a lock on the file, which occupies the thread of the pages. Nothing depends on the log, so it is read and
 * written later instead; and while it is locked, only one attempt in `LOCKED_MS` waits at all.
 */
const LOCK_WAIT_MS = 20;
const LOCKED_MS = 500;

export const requestLogFile = (dataDir: string) => path.join(dataDir, "requests.sqlite");

const elapsed = () => performance.now();

export const createNodeRequests = (
  tables: RequestTables,
  bounds: RequestLogBounds,
  turns: ReadTurns = FREE_READ_TURNS,
): RequestLog => createRequestLog(tables, { bounds, turns, elapsed, pause: () => nextTurn() });

/** `bounds.keptDays` 0: what earlier starts recorded is deleted. */
export function openNodeRequestLog(
  place: { dataDir: string } | { pool: PostgresPool },
  { bounds, turns, now, logError, tidyEveryMs = TIDY_EVERY_MS }: Options,
): NodeRequestLog {
  const opened =
    "pool" in place ? inPostgres(place.pool, bounds, turns) : inFile(place, bounds, turns);
  const { log, forgetLater } = withForgetting(opened.log);
  let tidying: Promise<void> | null = null;
  const tidy = () => {
    tidying ??= forgetLater()
      .then(() => log.tidy(now()))
      .catch((cause) => logError("Deleting old requests from the request log failed", cause))
      .finally(() => {
        tidying = null;
      });
  };
  const timer = setInterval(tidy, tidyEveryMs).unref();
  if (bounds.keptDays === 0) tidy();
  return {
    log,
    async append(chunks) {
      try {
        await log.append(chunks);
        return "logged";
      } catch (cause) {
        logError("Requests were not written to the request log", cause);
        return cause instanceof NotCarriedOut ? "again" : "lost";
      }
    },
    async close() {
      clearInterval(timer);
      await tidying;
      await log
        .flush()
        .catch((cause) => logError("The request log was not closed properly", cause));
      opened.close();
    },
  };
}

/** What could not be deleted of a closed account, because the log was locked, is deleted later. */
function withForgetting(log: RequestLog): { log: RequestLog; forgetLater(): Promise<void> } {
  const missed = new Map<string, Parameters<RequestLog["forget"]>[0]>();
  async function forget(order: Parameters<RequestLog["forget"]>[0]): Promise<void> {
    missed.set(order.account, order);
    await log.forget(order);
    missed.delete(order.account);
  }
  return {
    log: { ...log, forget },
    async forgetLater() {
      for (const order of missed.values()) await forget(order);
    },
  };
}

const inPostgres = (pool: PostgresPool, bounds: RequestLogBounds, turns?: ReadTurns) => ({
  log: createNodeRequests(createPostgresRequestTables(pool), bounds, turns),
  close() {},
});

function inFile({ dataDir }: { dataDir: string }, bounds: RequestLogBounds, turns?: ReadTurns) {
  const file = requestLogFile(dataDir);
  const remove = () => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
  };
  const opened = openRequestLogFile(file, bounds, {
    turns,
    replace: remove,
    lockWaitMs: LOCK_WAIT_MS,
  });
  if (bounds.keptDays > 0) return opened;
  remove();
  return { ...opened, log: { ...opened.log, async tidy() {} } };
}

/**
 * The log in a file, which is opened at its first use, again after a failure, and again where it was deleted, moved or replaced: SQLite
 * would go on with the file that nobody can read any more. `replace` removes the file where it is damaged; only the server may do that.
 * `lockWaitMs`: how long to wait for a lock; omitted: some seconds.
 */
export function openRequestLogFile(
  file: string,
  bounds: RequestLogBounds,
  {
    turns,
    replace = () => {},
    lockWaitMs,
  }: {
    turns?: ReadTurns | undefined;
    replace?: () => void;
    lockWaitMs?: number;
  } = {},
): { log: RequestLog; close(): void } {
  let opened: { log: RequestLog; driver: NodeSqlite; inode: number | undefined } | null = null;
  let lockedUntil = Number.NEGATIVE_INFINITY;
  const inodeNow = () => statSync(file, { throwIfNoEntry: false })?.ino;

  function open(): RequestLog {
    if (opened === null) {
      const driver = openNodeSqlite(file, REQUEST_LOG_MIGRATIONS, lockWaitMs);
      // A power failure may lose the last seconds, but does not damage the file.
      driver.exec(`PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KB}`);
      const log = createNodeRequests(createSqliteRequestTables(driver), bounds, turns);
      opened = { driver, log, inode: inodeNow() };
    }
    return opened.log;
  }

  function close(): void {
    opened?.driver.close();
    opened = null;
  }

  /** Closes a file that is no longer in its place. SQLite leaves the files of another database there alone. */
  function closeMoved(): boolean {
    if (opened === null || opened.inode === inodeNow()) return false;
    close();
    return true;
  }

  /** SQLite rolls back what fails, so nothing was written. */
  async function use<Result>(act: (log: RequestLog) => Promise<Result>): Promise<Result> {
    if (elapsed() < lockedUntil) throw new NotCarriedOut(`${file} is locked`);
    try {
      closeMoved();
      return await act(open());
    } catch (error) {
      if (primaryCodeOf(error) === SQLITE_BUSY && lockWaitMs !== undefined)
        lockedUntil = elapsed() + LOCKED_MS;
      if (isDamage(error)) {
        close();
        replace();
      }
      throw new NotCarriedOut((error as Error).message, { cause: error });
    }
  }

  return {
    log: {
      async append(chunks) {
        // The error is logged, and the requests are written a second later.
        if (closeMoved()) throw new NotCarriedOut(`${file} was deleted, moved or replaced`);
        await use((log) => log.append(chunks));
      },
      async flush() {
        if (opened !== null) await use((log) => log.flush());
      },
      list: (order) => use((log) => log.list(order)),
      summarize: (order) => use((log) => log.summarize(order)),
      counts: (order) => use((log) => log.counts(order)),
      tidy: (now) => use((log) => log.tidy(now)),
      forget: (order) => use((log) => log.forget(order)),
    },
    close,
  };
}
