import { rmSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RequestChunk, RequestLog, RequestLogBounds } from "#accounts/request-log.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import type { PostgresPool } from "#stores/postgres/pool.ts";
import { createPostgresRequestTables } from "#stores/postgres/request-log.ts";
import { createRequestLog } from "#stores/sql/request-log.ts";
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

const elapsed = () => performance.now();
const pause = () => nextTurn();

/** `bounds.keptDays` 0: what earlier starts recorded is deleted. */
export function openNodeRequestLog(
  place: { dataDir: string } | { pool: PostgresPool },
  options: Options,
): NodeRequestLog {
  const { bounds, now, logError } = options;
  const opened =
    "pool" in place
      ? {
          log: createRequestLog(createPostgresRequestTables(place.pool), {
            bounds,
            elapsed,
            pause,
          }),
          close() {},
        }
      : openFile(requestLogFile(place.dataDir), options);
  const { log } = opened;
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
      opened.close();
    },
  };
}

/** The log in a file, which is opened at its first use and again after a failure. */
function openFile(file: string, { bounds }: Options) {
  let driver: NodeSqlite | null = null;
  let opened: RequestLog | null = null;
  if (bounds.keptDays === 0) removeFile(file);

  function close(): void {
    driver?.close();
    driver = null;
    opened = null;
  }

  function open(): RequestLog {
    if (opened !== null) return opened;
    driver = openRequestFile(file);
    opened = createRequestLog(createSqliteRequestTables(driver), { bounds, elapsed, pause });
    return opened;
  }

  /** SQLite rolls back what fails, so a failure is always certain. A damaged file is worth nothing and is replaced. */
  async function use<Result>(act: (log: RequestLog) => Promise<Result>): Promise<Result> {
    try {
      return await act(open());
    } catch (error) {
      if (isDamage(error)) {
        close();
        removeFile(file);
      }
      throw new NotCarriedOut((error as Error).message, { cause: error });
    }
  }

  const log: RequestLog = {
    append: (chunks) => use((each) => each.append(chunks)),
    flush: async () => opened?.flush(),
    list: (order) => use((each) => each.list(order)),
    summarize: (order) => use((each) => each.summarize(order)),
    counts: (order) => use((each) => each.counts(order)),
    tidy: async (now) => (bounds.keptDays === 0 ? undefined : use((each) => each.tidy(now))),
    forget: (order) => use((each) => each.forget(order)),
  };
  return { log, close };
}

/** Commits are not synced: a power failure may lose the last seconds, but does not damage the file. */
export function openRequestFile(file: string): NodeSqlite {
  const driver = openNodeSqlite(file, REQUEST_LOG_MIGRATIONS);
  driver.exec(`PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KB}`);
  return driver;
}

function removeFile(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
}
