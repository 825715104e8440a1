import { rmSync, statSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { FREE_READ_TURNS, type ReadTurns } from "#accounts/read-turns.ts";
import type { RequestChunk, RequestLog, RequestLogBounds } from "#accounts/request-log.ts";
import type { Handed } from "#accounts/request-recorder.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import type { PostgresPool } from "#stores/postgres/pool.ts";
import { createPostgresRequestDatabase } from "#stores/postgres/request-log.ts";
import { REQUEST_LOG_MIGRATIONS } from "#stores/schema/requests.ts";
import { createRequestLog } from "#stores/sql/request-log.ts";
import type { SqlDatabase } from "#stores/sql/sql-database.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { isDamage, primaryCodeOf, SQLITE_BUSY } from "#stores/sqlite/faults.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";

/** The request log of a node: a file of its own in DATA_DIR beside the SQLite ledger, or tables in PostgreSQL. */
export type NodeRequestLog = {
  log: RequestLog;
  /** Never rejects. */
  append(chunks: readonly RequestChunk[]): Promise<Handed>;
  close(): Promise<void>;
};

type Options = {
  /** `keptDays` 0: what earlier starts recorded is deleted. */
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

export function openNodeRequestLog(
  place: { dataDir: string } | { pool: PostgresPool },
  { bounds, turns = FREE_READ_TURNS, now, logError, tidyEveryMs = TIDY_EVERY_MS }: Options,
): NodeRequestLog {
  const isOff = bounds.keptDays === 0;
  const { database, close } =
    "pool" in place ? inPostgres(place.pool) : openRequestFile(requestLogFile(place.dataDir));
  const log = createRequestLog(database, {
    ...{ bounds, turns, elapsed, pause: () => nextTurn() },
  });
  /** Closed accounts whose requests could not be deleted, because the log was locked. */
  const missed = new Map<string, Parameters<RequestLog["forget"]>[0]>();
  async function forget(order: Parameters<RequestLog["forget"]>[0]): Promise<void> {
    missed.set(order.account, order);
    await log.forget(order);
    missed.delete(order.account);
  }
  async function tidyAll(): Promise<void> {
    for (const order of missed.values()) await forget(order);
    await log.tidy(now());
  }
  let tidying: Promise<void> | null = null;
  const tidy = () => {
    tidying ??= tidyAll()
      .catch((cause) => logError("Deleting old requests from the request log failed", cause))
      .finally(() => {
        tidying = null;
      });
  };
  // A file that was removed is not made again to be tidied.
  const isRemoved = isOff && "dataDir" in place;
  if (isRemoved) removeFile(requestLogFile(place.dataDir));
  else if (isOff) tidy();
  const timer = isRemoved ? undefined : setInterval(tidy, tidyEveryMs).unref();
  return {
    log: { ...log, forget },
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
      close();
    },
  };
}

const inPostgres = (pool: PostgresPool) => ({
  database: createPostgresRequestDatabase(pool),
  close() {},
});

function removeFile(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
}

/**
 * The database in the file, which is opened at its first use, again after a failure, and again where it was deleted, moved or replaced:
 * SQLite would go on with a file that no longer has a name. A damaged file is removed.
 */
function openRequestFile(file: string): { database: SqlDatabase; close(): void } {
  let opened: { driver: NodeSqlite; database: SqlDatabase; inode: number | undefined } | null =
    null;
  let lockedUntil = Number.NEGATIVE_INFINITY;
  const inodeNow = () => statSync(file, { throwIfNoEntry: false })?.ino;

  function open(): SqlDatabase {
    // SQLite leaves the files of another database in its place alone.
    if (opened !== null && opened.inode !== inodeNow()) close();
    if (opened === null) {
      const driver = openNodeSqlite(file, REQUEST_LOG_MIGRATIONS, LOCK_WAIT_MS);
      // A power failure may lose the last seconds, but does not damage the file.
      driver.exec(`PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KB}`);
      opened = { driver, database: createSqliteDatabase(driver), inode: inodeNow() };
    }
    return opened.database;
  }

  function close(): void {
    opened?.driver.close();
    opened = null;
  }

  return {
    database: {
      async batch(queries) {
        if (elapsed() < lockedUntil) throw new NotCarriedOut(`${file} is locked`);
        try {
          return await open().batch(queries);
        } catch (error) {
          if (primaryCodeOf(error) === SQLITE_BUSY) lockedUntil = elapsed() + LOCKED_MS;
          if (isDamage(error)) {
            close();
            removeFile(file);
          }
          // SQLite rolls back what fails, so nothing was written.
          throw new NotCarriedOut((error as Error).message, { cause: error });
        }
      },
    },
    close,
  };
}
