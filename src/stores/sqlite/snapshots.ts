import type { SqlDriver } from "./driver.ts";
import { logFileBytes, type NodeSqlite, openNodeSqliteReadOnly } from "./node.ts";

/** An open snapshot keeps the write-ahead log from being truncated, so a snapshot ends when it was not read for this time. */
const IDLE_MS = 60_000;
/** The maximum number of open snapshots. Opening one more ends the one that was read longest ago. */
const OPEN_MAX = 4;

/**
 * A snapshot that is read for long ends when the log has grown by this much since it was opened. The reader then opens another one and
 * goes on with the account that it was at.
 */
const LOG_GROWTH_BYTES = 256 * 1024 * 1024;

type Bounds = { idleMs?: number; logGrowthBytes?: number };

/** Snapshots of a database file. Each is a read transaction on a connection of its own, so it does not block writers. */
export function createSnapshots(
  file: string,
  { idleMs = IDLE_MS, logGrowthBytes = LOG_GROWTH_BYTES }: Bounds = {},
) {
  const open = new Map<string, { driver: NodeSqlite; timer: NodeJS.Timeout; logMax: number }>();

  function end(id: string): void {
    const found = open.get(id);
    if (found === undefined) return;
    open.delete(id);
    clearTimeout(found.timer);
    found.driver.close();
  }

  return {
    open(): string {
      for (const id of [...open.keys()].slice(0, Math.max(0, open.size + 1 - OPEN_MAX))) end(id);
      const id = crypto.randomUUID();
      const driver = openNodeSqliteReadOnly(file);
      // The transaction's snapshot is taken at its first read.
      driver.exec("BEGIN; SELECT no FROM account LIMIT 1;");
      const timer = setTimeout(() => end(id), idleMs).unref();
      open.set(id, { driver, timer, logMax: logFileBytes(file) + logGrowthBytes });
      return id;
    },
    /** Returns a driver that reads the snapshot; undefined if it has ended. */
    find(id: string): SqlDriver | undefined {
      const found = open.get(id);
      if (found === undefined) return undefined;
      if (logFileBytes(file) > found.logMax) {
        end(id);
        return undefined;
      }
      found.timer.refresh();
      // Move it to the end of the order in which snapshots are ended.
      open.delete(id);
      open.set(id, found);
      return found.driver;
    },
    close(): void {
      for (const id of [...open.keys()]) end(id);
    },
  };
}
