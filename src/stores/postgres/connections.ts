import pg from "pg";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { isCrowded, isPlain, OutOfReach } from "./faults.ts";
import { isTimeOut } from "./reach.ts";

/** The connections of one pool, and who gets one. */
export type Connections = {
  pool: pg.Pool;
  /** `isReserved`: may have those that are kept back from the others. */
  take(isReserved: boolean): Promise<pg.PoolClient>;
  /** `fault`: what it failed by; undefined where all went well. */
  release(client: pg.PoolClient, isReserved: boolean, fault: unknown): void;
  /** Those that nobody uses lead nowhere any more. */
  dropIdle(): void;
};

export type ConnectionOptions = {
  max: number;
  /** So many stay open while nobody needs them: where strangers take all that the server has, these are there. */
  min?: number;
  /** So many are kept back for batches, however many others wait. */
  reserved?: number;
  onIdleError?: (error: Error) => void;
};

/** Where the network swallows everything, the server's own time-outs never arrive. */
export const QUERY_TIMEOUT_MS = LEDGER_TIMEOUT_MS;
const CONNECT_TIMEOUT_MS = 2_000;
const CROWDED_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;
/** A network that forgets a quiet connection is found out before an order needs it. */
const KEEP_ALIVE_MS = 30_000;

/** Whole numbers come as numbers: amounts and times lie within 2^53 (limits.ts). */
const INT8 = 20;
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    return oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text");
  },
} as pg.CustomTypesConfig;

export function openConnections(url: string, options: ConnectionOptions): Connections {
  const { max, min = 0, reserved = 0 } = options;
  const pool = openPool(url, { ...options, min });
  const turns = createTurns(() => Math.max(1, pool.options.max - reserved));
  let inUse = 0;
  let isOpening = false;
  const ours = () => inUse + pool.idleCount;

  /** The server has no more for us: for a while those that we have do it. */
  function makeDo(): void {
    pool.options.max = Math.max(1, ours());
    setTimeout(() => {
      pool.options.max = max;
    }, CROWDED_MS).unref();
  }

  async function open(isAgain = false): Promise<pg.PoolClient> {
    try {
      return await pool.connect();
    } catch (error) {
      // One that is being opened just now may be let in.
      const mayHaveOne = ours() > 0 || (pool.totalCount > 0 && !isAgain);
      if (!isCrowded(error) || !mayHaveOne) throw error;
      makeDo();
      return open(true);
    }
  }

  /** Opens what is missing to `min`, one after the other. */
  function fillUp(): void {
    const isEnough = pool.totalCount >= Math.min(min, pool.options.max);
    if (isEnough || isOpening || pool.idleCount > 0) return;
    isOpening = true;
    const over = () => {
      isOpening = false;
    };
    pool
      .connect()
      .then(
        (client) => client.release(),
        (error) => {
          if (isCrowded(error) && ours() > 0) makeDo();
        },
      )
      .finally(over);
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
        throw new OutOfReach(`PostgreSQL is out of reach: ${message}`, { cause: error });
      }
    },
    release(client, isReserved, fault) {
      // While this one is not free: or it would be the one that is taken.
      if (fault === undefined) fillUp();
      inUse -= 1;
      // What lies unsent before a network that swallows everything must not arrive later, when nobody waits for it.
      if (isTimeOut((fault as Error | undefined)?.cause ?? fault ?? {})) reset(client);
      // After most faults nobody knows what it is in the middle of, or whether the server takes writes still.
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

function openPool(
  url: string,
  { max, min, onIdleError }: ConnectionOptions & { min: number },
): pg.Pool {
  const pool = new pg.Pool({
    ...{ connectionString: url, max, min, types },
    application_name: "toolbooth",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    allowExitOnIdle: true,
  });
  // A connection that breaks while nobody uses it: the next order gets another one.
  pool.on("error", (error) => onIdleError?.(error));
  // One that breaks while it is used: whoever uses it hears of it, but without this the process would end.
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

function reset(client: pg.PoolClient): void {
  const { stream } = (client as unknown as pg.Client).connection;
  (stream as Partial<{ resetAndDestroy(): void }>).resetAndDestroy?.();
}

/** Turns at something of which there is a number: first come, first served, and nobody waits for long. */
function createTurns(limit: () => number) {
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
        }, CONNECT_TIMEOUT_MS);
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

/** As pg-pool says it. */
const BUSY = "timeout exceeded when trying to connect";
