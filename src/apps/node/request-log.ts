import { rmSync, statSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RequestChunk, RequestLog, RequestLogBounds } from "#accounts/request-log.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import type { PostgresPool } from "#stores/postgres/pool.ts";
import { createPostgresRequestTables } from "#stores/postgres/request-log.ts";
import { createRequestLog, type RequestTables } from "#stores/sql/request-log.ts";
import { isDamage } from "#stores/sqlite/faults.ts";
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
  now(): number;
  logError(message: string, cause: unknown): void;
};

const TIDY_EVERY_MS = 30_000;
const CACHE_KB = 8 * 1024;

export const requestLogFile = (dataDir: string) => path.join(dataDir, "requests.sqlite");

export const createNodeRequests = (tables: RequestTables, bounds: RequestLogBounds): RequestLog =>
  createRequestLog(tables, { bounds, elapsed: () => performance.now(), pause: () => nextTurn() });

/** `bounds.keptDays` 0: what earlier starts recorded is deleted. */
export function openNodeRequestLog(
  place: { dataDir: string } | { pool: PostgresPool },
  { bounds, now, logError }: Options,
): NodeRequestLog {
  const { log, close } = "pool" in place ? inPostgres(place.pool, bounds) : inFile(place, bounds);
  let tidying: Promise<void> | null = null;
  const tidy = () => {
    tidying ??= log
      .tidy(now())
      .catch((cause) => logError("Deleting old requests from the request log failed", cause))
      .finally(() => {
        tidying = null;
      });
  };
  const timer = setInterval(tidy, TIDY_EVERY_MS).unref();
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
      close();
    },
  };
}

const inPostgres = (pool: PostgresPool, bounds: RequestLogBounds) => ({
  log: createNodeRequests(createPostgresRequestTables(pool), bounds),
  close() {},
});

function inFile({ dataDir }: { dataDir: string }, bounds: RequestLogBounds) {
  const file = requestLogFile(dataDir);
  const remove = () => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
  };
  const opened = openRequestLogFile(file, bounds, remove);
  if (bounds.keptDays > 0) return opened;
  remove();
  return { ...opened, log: { ...opened.log, async tidy() {} } };
}

/**
 * The log in a file, which is opened at its first use, again after a failure, and again where it was deleted, moved or replaced: SQLite
 * would go on with the file that nobody can read any more. `replace` removes the file where it is damaged; only the server may do that.
 */
export function openRequestLogFile(
  file: string,
  bounds: RequestLogBounds,
  replace: () => void = () => {},
): { log: RequestLog; close(): void } {
  let opened: { log: RequestLog; driver: NodeSqlite; inode: number | undefined } | null = null;
  const inodeNow = () => statSync(file, { throwIfNoEntry: false })?.ino;

  function open(): RequestLog {
    if (opened === null) {
      const driver = openNodeSqlite(file, REQUEST_LOG_MIGRATIONS);
      // A power failure may lose the last seconds, but does not damage the file.
      driver.exec(`PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KB}`);
      const log = createNodeRequests(createSqliteRequestTables(driver), bounds);
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
    try {
      closeMoved();
      return await act(open());
    } catch (error) {
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
      flush: async () => opened?.log.flush(),
      list: (order) => use((log) => log.list(order)),
      summarize: (order) => use((log) => log.summarize(order)),
      counts: (order) => use((log) => log.counts(order)),
      tidy: (now) => use((log) => log.tidy(now)),
      forget: (order) => use((log) => log.forget(order)),
    },
    close,
  };
}
