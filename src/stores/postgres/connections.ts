import pg from "pg";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { isCrowded, isPlain, OutOfReach } from "./faults.ts";
import { isTimeOut } from "./reach.ts";

/** The connections of one pool, and the order in which they are handed out. */
export type Connections = {
  pool: pg.Pool;
  /** Waits for a connection. `isReserved`: the reserved connections may be used. */
  take(isReserved: boolean): Promise<pg.PoolClient>;
  /** Returns a connection. `fault`: the error of its last use; undefined if it succeeded. */
  release(client: pg.PoolClient, isReserved: boolean, fault: unknown): void;
  /** Closes the idle connections, because the server is known to be unreachable. */
  dropIdle(): void;
};

export type ConnectionOptions = {
  max: number;
  /** The number of idle connections that stay open, so that they are available even if other clients use up the server's limit. */
  min?: number;
  /** The number of connections that are reserved for batches. */
  reserved?: number;
  onIdleError?: (error: Error) => void;
  /** The time limit of an order, by default LEDGER_TIMEOUT_MS; `timesOf` has those of its parts. Tests, whose machine may be busy, set more. */
  orderMs?: number;
};

/** The time limits of what an order does. */
export const timesOf = ({ orderMs = LEDGER_TIMEOUT_MS }: Pick<ConnectionOptions, "orderMs">) => ({
  orderMs,
  connectMs: orderMs * 0.4,
  /** The server gives up before the caller does, so that the caller learns the outcome. */
  statementMs: orderMs * 0.8,
  /** A transaction that holds an account for longer is stuck. Locking a contended row takes up to two waits. */
  lockMs: orderMs * 0.3,
  /** A batch of another node holds an account for some milliseconds. */
  batchLockMs: orderMs * 0.1,
  /**
   * If a node falls silent within a transaction, because it is frozen or cut off, the server ends the transaction after this time and
   * releases its locks. Normally, milliseconds pass between two statements.
   */
  silenceMs: orderMs * 0.4,
  /** A batch holds hundreds of accounts, and decides about them without waiting for anything. */
  batchSilenceMs: orderMs * 0.2,
});

const CROWDED_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;
/** Detects a connection that the network dropped before an order needs it. */
const KEEP_ALIVE_MS = 30_000;

/** 64-bit integers are read as numbers, because amounts and times are below 2^53 (limits.ts). */
const INT8 = 20;
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    return oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text");
  },
} as pg.CustomTypesConfig;

export function openConnections(url: string, options: ConnectionOptions): Connections {
  const { max, min = 0, reserved = 0 } = options;
  const { connectMs } = timesOf(options);
  const pool = openPool(url, { ...options, min });
  const turns = createTurns(() => Math.max(1, pool.options.max - reserved), connectMs);
  let inUse = 0;
  let isOpening = false;
  const ours = () => inUse + pool.idleCount;

  /** The server has no connection left: for a while, use only those that are open. */
  function limitToOpen(): void {
    pool.options.max = Math.max(1, ours());
    setTimeout(() => {
      pool.options.max = max;
    }, CROWDED_MS).unref();
  }

  async function open(isAgain = false): Promise<pg.PoolClient> {
    try {
      return await pool.connect();
    } catch (error) {
      // A connection that is being opened may still succeed.
      const mayHaveOne = ours() > 0 || (pool.totalCount > 0 && !isAgain);
      if (!isCrowded(error) || !mayHaveOne) throw error;
      limitToOpen();
      return open(true);
    }
  }

  /** Opens connections up to `min`, one at a time. */
  function fillUp(): void {
    const isEnough = pool.totalCount >= Math.min(min, pool.options.max);
    if (isEnough || isOpening || pool.idleCount > 0) return;
    isOpening = true;
    const finish = () => {
      isOpening = false;
    };
    pool
      .connect()
      .then(
        (client) => client.release(),
        (error) => {
          if (isCrowded(error) && ours() > 0) limitToOpen();
        },
      )
      .finally(finish);
  }

  return {
    pool,
    async take(isReserved) {
      let hasTurn = isReserved;
      try {
        if (!isReserved) await turns.take();
        hasTurn = true;
        const client = await open();
        inUse += 1;
        return client;
      } catch (error) {
        if (hasTurn && !isReserved) turns.end();
        const { message } = error as Error;
        throw new OutOfReach(`PostgreSQL is unreachable: ${message}`, { cause: error });
      }
    },
    release(client, isReserved, fault) {
      // Before this connection is released, or fillUp would take it.
      if (fault === undefined) fillUp();
      inUse -= 1;
      // Unsent data must not reach the server later, after the caller gave up.
      if (isTimeOut((fault as Error | undefined)?.cause ?? fault ?? {})) reset(client);
      // After most faults, the state of the connection is unknown, so it is closed.
      client.release(fault !== undefined && !isPlain(fault));
      if (!isReserved) turns.end();
    },
    dropIdle() {
      for (let left = pool.idleCount; left > 0; left -= 1) {
        pool.connect().then(
          (client) => client.release(true),
          () => {},
        );
      }
    },
  };
}

function openPool(url: string, options: ConnectionOptions & { min: number }): pg.Pool {
  const { max, min, onIdleError } = options;
  const { connectMs, orderMs } = timesOf(options);
  const pool = new pg.Pool({
    connectionString: url,
    max,
    min,
    types,
    application_name: "toolbooth",
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    // If the network drops all packets, the server's own timeouts never arrive.
    query_timeout: orderMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    allowExitOnIdle: true,
  });
  // An idle connection that breaks. The next order gets another one.
  pool.on("error", (error) => onIdleError?.(error));
  // A connection that breaks in use rejects its query. Without a listener, the process would end.
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

function reset(client: pg.PoolClient): void {
  const { stream } = (client as unknown as pg.Client).connection;
  (stream as Partial<{ resetAndDestroy(): void }>).resetAndDestroy?.();
}

/** A semaphore: first come, first served. */
function createTurns(limit: () => number, waitMs: number) {
  const waiting = new Set<() => void>();
  let taken = 0;
  return {
    async take(): Promise<void> {
      if (taken < limit()) {
        taken += 1;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const begin = () => {
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(() => {
          waiting.delete(begin);
          reject(new Error(BUSY));
        }, waitMs);
        waiting.add(begin);
      });
    },
    end(): void {
      taken -= 1;
      for (const begin of waiting) {
        if (taken >= limit()) return;
        waiting.delete(begin);
        taken += 1;
        begin();
      }
    },
  };
}

/** The message that pg-pool uses (see reach.ts). */
const BUSY = "timeout exceeded when trying to connect";
