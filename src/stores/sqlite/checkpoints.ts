import type { SqlDriver, SqlStatement } from "./driver.ts";

/**
 * Checkpoints: copying the write-ahead log into the database file (sqlite.org/wal.html). SQLite's own automatic checkpoints run inside
 * a COMMIT and swallow their errors, so a database file that cannot be written would go unnoticed while the log grows. Here they run
 * between two batches, and what they achieve is reported.
 */
export type WalState = {
  /** The length of the part of the log that is in use. The file itself may be longer, because SQLite overwrites it from its start. */
  bytes: number;
  /** How long ago a checkpoint copied something or found nothing to copy. */
  stuckMs: number;
  /** The number of checkpoints that failed since the connection was opened. */
  failures: number;
  /** Why the last checkpoint failed; null if it did not. */
  error: string | null;
};

export type Checkpoints = {
  /** Call after each batch of this many orders. Copies the log if it has grown enough. */
  afterBatch(orders: number): void;
  /** Call about once a second. Copies what is left from time to time, and returns the state. */
  tick(): WalState;
};

/** SQLite's own default. A checkpoint of this many pages takes some milliseconds, for which the next batch waits. */
const PAGES = 1_000;
/** Looking at the log takes 2 µs, a tenth of a small batch. So many orders write fewer pages than PAGES. */
const ORDERS_A_LOOK = 32;
/** With fewer new pages, a checkpoint still runs at this interval, so that a file that cannot be written is noticed. */
const AT_LATEST_MS = 10_000;
/** After a failure, or while a reader needs the old pages, the next attempt waits. */
const RETRY_MS = 1_000;
/**
 * SQLite starts the log over only in a moment without readers. Readers that overlap can prevent that for good, so from this size on the
 * connection waits for those that have begun, while new ones read the database file.
 */
const RESTART_BYTES = 64 * 1024 * 1024;
const RESTART_EVERY_MS = 10_000;
/** Calls wait for this long at most. A reader that takes longer keeps the log growing. */
const RESTART_WAIT_MS = 50;

/** `busy`: another connection has the lock that a checkpoint needs. */
type Row = { busy: number; log: number; checkpointed: number };

/** `elapsed`: a monotonic clock in milliseconds. */
export function createCheckpoints(driver: SqlDriver, elapsed: () => number): Checkpoints {
  driver.exec("PRAGMA wal_autocheckpoint = 0");
  const look = driver.prepare("PRAGMA wal_checkpoint(NOOP)");
  const copy = driver.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  const restart = driver.prepare("PRAGMA wal_checkpoint(RESTART)");
  const pageBytes = Number(driver.prepare("PRAGMA page_size").get()?.["page_size"]);
  const patienceMs = Number(driver.prepare("PRAGMA busy_timeout").get()?.["timeout"]);
  let progressAt = elapsed();
  let lastAt = elapsed();
  let retryAt = 0;
  let restartAt = 0;
  let copied = 0;
  let bytes = 0;
  let failures = 0;
  let error: string | null = null;

  /** Returns the pages of the log that are still to be copied. */
  function read(statement: SqlStatement): number {
    // Both numbers are -1 if the database has no log.
    const { busy, log, checkpointed } = statement.get() as Row;
    const left = Math.max(0, log - checkpointed);
    // The number falls when the log starts over.
    if (left === 0 || checkpointed !== copied) progressAt = elapsed();
    // A checkpoint of another connection, which is running, says nothing about the file.
    if (left === 0 || (statement !== look && busy === 0)) error = null;
    copied = checkpointed;
    bytes = Math.max(0, log) * pageBytes;
    return left;
  }

  function copyLog(): void {
    lastAt = elapsed();
    if (read(copy) > 0) retryAt = elapsed() + RETRY_MS;
  }

  /** Waits for the readers of the log, so that the next write starts it over. */
  function startOver(): void {
    restartAt = elapsed() + RESTART_EVERY_MS;
    driver.exec(`PRAGMA busy_timeout = ${RESTART_WAIT_MS}`);
    try {
      read(restart);
    } finally {
      driver.exec(`PRAGMA busy_timeout = ${patienceMs}`);
    }
  }

  function attempt(leftMin: number): void {
    if (elapsed() < retryAt) return;
    try {
      if (read(look) >= leftMin) copyLog();
      const isHeld = elapsed() - progressAt >= RESTART_EVERY_MS;
      if (bytes >= RESTART_BYTES && elapsed() >= restartAt && !isHeld) startOver();
    } catch (cause) {
      failures += 1;
      error = (cause as Error).message;
      retryAt = elapsed() + RETRY_MS;
    }
  }

  let orders = 0;
  return {
    afterBatch(count) {
      orders += count;
      if (orders < ORDERS_A_LOOK) return;
      orders = 0;
      attempt(PAGES);
    },
    tick() {
      const isDue = error !== null || elapsed() - lastAt >= AT_LATEST_MS;
      attempt(isDue ? 1 : PAGES);
      return { bytes, stuckMs: elapsed() - progressAt, failures, error };
    },
  };
}
