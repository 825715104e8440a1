import type { SqlRow } from "../sqlite/driver.ts";
import { codeOf } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/** An open snapshot keeps PostgreSQL from removing old row versions, so a snapshot ends when it was not read for this time. */
const IDLE_MS = 60_000;
/** A snapshot that is read for longer ends too. The reader then opens another one and goes on with the account that it was at. */
const OPEN_MS = 15 * 60_000;
/** The maximum number of open snapshots. Each occupies one of the few connections that are not used for calls. */
const OPEN_MAX = 2;

/**
 * Snapshots of the database. The node that opened a snapshot keeps its transaction open. All nodes can read it, because it is exported
 * (pg_export_snapshot).
 */
export function createSnapshots(pool: PostgresPool, idleMs = IDLE_MS, openMs = OPEN_MS) {
  type Snapshot = {
    end(): void;
    over: Promise<unknown>;
    timers: [idle: NodeJS.Timeout, long: NodeJS.Timeout];
  };
  const open = new Map<string, Snapshot>();

  function end(id: string): Promise<unknown> | undefined {
    const found = open.get(id);
    if (found === undefined) return undefined;
    open.delete(id);
    found.timers.forEach(clearTimeout);
    found.end();
    return found.over;
  }

  return {
    async open(): Promise<string> {
      for (const id of [...open.keys()].slice(0, Math.max(0, open.size + 1 - OPEN_MAX))) end(id);
      const opened = Promise.withResolvers<string>();
      const ended = Promise.withResolvers<void>();
      const over = pool
        .transaction("report", async (query) => {
          await query(`SET LOCAL idle_in_transaction_session_timeout = '1h'`);
          const [row] = await query<{ id: string }>("SELECT pg_export_snapshot() AS id");
          opened.resolve(row?.id as string);
          await ended.promise;
        })
        // The next read finds that the snapshot has ended.
        .catch(opened.reject);
      const id = await opened.promise;
      const endAfter = (ms: number) => setTimeout(() => end(id), ms).unref();
      open.set(id, { end: ended.resolve, over, timers: [endAfter(idleMs), endAfter(openMs)] });
      return id;
    },
    /** Returns the rows of a statement as of the snapshot; null if the snapshot has ended. */
    async read(id: string, statement: string): Promise<SqlRow[] | null> {
      const own = open.get(id);
      own?.timers[0].refresh();
      // The id becomes part of a statement, so anything else must be rejected.
      if (!/^[0-9A-F]{1,8}-[0-9A-F]{1,8}-\d{1,9}$/.test(id)) return null;
      try {
        const asOf = `SET TRANSACTION SNAPSHOT '${id}'`;
        const [, rows] = await pool.together<SqlRow>("report", [asOf, statement]);
        return rows ?? [];
      } catch (error) {
        if (!GONE.has(codeOf(error) ?? "")) throw error;
        return null;
      }
    },
    async close(): Promise<void> {
      await Promise.all([...open.keys()].map(end));
    },
  };
}

/** undefined_object, and before PostgreSQL 17 invalid_parameter_value. */
const GONE: ReadonlySet<string> = new Set(["42704", "22023"]);
