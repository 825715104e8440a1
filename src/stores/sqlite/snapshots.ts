import type { SqlDriver } from "./driver.ts";
import { type NodeSqlite, openNodeSqliteReadOnly } from "./node.ts";

/** While a snapshot is open, the file of the write-ahead log only grows: one that nobody reads any more must end. */
const IDLE_MS = 60_000;
/** Exports that are under way at once; one more ends the snapshot that was read longest ago. */
const OPEN_MAX = 4;

/** Snapshots of a database file, each in a read transaction on a connection of its own: writers go on beside them. */
export function createSnapshots(file: string, idleMs = IDLE_MS) {
  const open = new Map<string, { driver: NodeSqlite; timer: NodeJS.Timeout }>();

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
      // The first read of the transaction fixes what it sees.
      driver.exec("BEGIN; SELECT no FROM account LIMIT 1;");
      open.set(id, { driver, timer: setTimeout(() => end(id), idleMs).unref() });
      return id;
    },
    /** Undefined once it has ended. */
    find(id: string): SqlDriver | undefined {
      const found = open.get(id);
      if (found === undefined) return undefined;
      found.timer.refresh();
      // Last in the order in which they are ended.
      open.delete(id);
      open.set(id, found);
      return found.driver;
    },
    close(): void {
      for (const id of [...open.keys()]) end(id);
    },
  };
}
