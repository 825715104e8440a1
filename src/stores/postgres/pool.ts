import type pg from "pg";
import { OutcomeUnknown } from "#ledger/port.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { type ConnectionOptions, openConnections, timesOf } from "./connections.ts";
import { queryWithCopy } from "./copy-query.ts";
import { BrokenOff, isLost, isPlain, NotReplicated, orderFault } from "./faults.ts";
import { inline, type PostgresValue } from "./literals.ts";
import { type Attempt, createReach } from "./reach.ts";

/**
 * Connections to PostgreSQL and transactions over them. A connection has no state between two transactions (no session settings,
 * named statements, LISTEN or session locks). So a proxy that pools transactions may send each one to a different backend.
 */
export type PostgresPool = {
  /** Runs one statement in a transaction of its own, in one round trip. */
  once<Row = PostgresRow>(
    mode: PostgresMode,
    sql: string,
    values?: readonly PostgresValue[],
  ): Promise<Row[]>;
  /** Runs several statements, with literals instead of parameters, in one transaction and one round trip. Returns the rows of each. */
  together<Row = PostgresRow>(mode: PostgresMode, statements: readonly string[]): Promise<Row[][]>;
  /** Runs `body` in a transaction, which is rolled back if `body` throws. */
  transaction<Result>(
    mode: PostgresMode,
    body: (query: PostgresQuery) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Runs `body` in a transaction with one round trip per message. The first message begins the transaction, and the last one may
   * commit it.
   */
  roundTrips<Result>(
    mode: PostgresMode,
    body: (send: PostgresSend) => Promise<Result>,
  ): Promise<Result>;
  /** Runs one statement of a library, with any parameters, in a transaction of its own. */
  statement(
    mode: PostgresMode,
    sql: string,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<PostgresRow>>;
  /** For statements that cannot run in a transaction. */
  connections: pg.Pool;
  /** The time limit of an order. */
  orderMs: number;
  close(): Promise<void>;
};

/** Statements that are sent together, with literals instead of parameters (`literals.ts`). */
export type PostgresMessage = {
  statements: readonly string[];
  /** Rows that are copied into a table after the statements (`copyLine`). */
  copy?: { into: string; rows: string } | undefined;
  /** Whether the message also commits the transaction. */
  isLast?: boolean;
};
/** Sends a message and returns the rows of each statement. */
export type PostgresSend = (message: PostgresMessage) => Promise<SqlRow[][]>;

export type PostgresRow = Record<string, unknown>;
export type PostgresQuery = <Row = PostgresRow>(
  sql: string,
  values?: readonly PostgresValue[],
) => Promise<Row[]>;

/** A transaction that only reads does not block calls. */
const LONG_SILENCE_MAX_MS = 60_000;
const LONG_TIMEOUT_MS = 600_000;
const ROLLBACK_TIMEOUT_MS = 1_000;

/** Overrides the server's defaults, so that every acknowledged commit is on the disk and on the synchronous standby, if there is one. */
const settings = (statementMs: number, lockMs: number, silenceMs: number) =>
  `SET LOCAL synchronous_commit = on; SET LOCAL jit = off;
   SET LOCAL statement_timeout = ${statementMs}; SET LOCAL lock_timeout = ${lockMs};
   SET LOCAL idle_in_transaction_session_timeout = ${silenceMs}`;

/**
 * - `batch`: writes for many accounts, and must not wait long for one of them.
 * - `snapshot`: reads with several statements as of one moment.
 * - `report`: does the same for all data, with a long time limit.
 * - `upkeep`: writes with a long time limit.
 */
export type PostgresMode = "read" | "write" | "batch" | "snapshot" | "report" | "upkeep";
const SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/** Whatever the database's default is: what waits for a lock has to see afterwards what the other transaction has committed. */
const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";
const COMMIT = "COMMIT";
const beginOf = (times: ReturnType<typeof timesOf>): Record<PostgresMode, string> => {
  const { statementMs, lockMs, silenceMs, batchLockMs, batchSilenceMs } = times;
  return {
    read: `${BEGIN} READ ONLY; ${settings(statementMs, lockMs, silenceMs)}`,
    write: `${BEGIN} READ WRITE; ${settings(statementMs, lockMs, silenceMs)}`,
    batch: `${BEGIN} READ WRITE; ${settings(statementMs, batchLockMs, batchSilenceMs)}`,
    snapshot: `${SNAPSHOT}; ${settings(statementMs, lockMs, silenceMs)}`,
    report: `${SNAPSHOT}; ${settings(LONG_TIMEOUT_MS, lockMs, LONG_SILENCE_MAX_MS)}`,
    upkeep: `${BEGIN} READ WRITE; ${settings(LONG_TIMEOUT_MS, LONG_TIMEOUT_MS, silenceMs)}`,
  };
};
const isLong = (mode: PostgresMode) => mode === "report" || mode === "upkeep";

export function openPostgresPool(url: string, options: ConnectionOptions): PostgresPool {
  const { pool, take, release, dropIdle } = openConnections(url, options);
  const times = timesOf(options);
  const begins = beginOf(times);
  pool.on("connect", recordStandby);
  const reach = createReach(dropIdle);

  async function withClient<Result>(
    mode: PostgresMode,
    act: (client: pg.PoolClient, attempt: Attempt) => Promise<Result>,
  ) {
    const attempt = reach.enter();
    let client: pg.PoolClient | undefined;
    let fault: unknown;
    try {
      client = await take(mode === "batch");
      const result = await act(client, attempt);
      attempt.responded();
      return result;
    } catch (error) {
      fault = error;
      if (isPlain(error)) attempt.responded();
      else attempt.failed(error);
      throw error;
    } finally {
      if (client !== undefined) release(client, mode === "batch", fault);
    }
  }

  const roundTrips = <Result>(
    mode: PostgresMode,
    body: (send: PostgresSend) => Promise<Result>,
  ): Promise<Result> =>
    withClient(mode, async (client, { responded }) => {
      let begin = [begins[mode]];
      let isOver = false;
      let sent: PostgresMode = "read";
      const send: PostgresSend = async ({ statements, copy, isLast = false }) => {
        const after = copy === undefined ? [] : [`COPY ${copy.into} FROM STDIN`];
        if (isLast) after.push(COMMIT);
        const text = [...begin, ...statements, ...after].join(";\n");
        begin = [];
        if (isLast) sent = mode;
        const results = await ask(client, text, times.orderMs, copy?.rows).catch((error) => {
          throw broken(sent, error);
        });
        responded();
        isOver = isLast;
        if (isLast) assertCommitted(client, results.at(-1));
        const end = results.length - after.length;
        return results.slice(end - statements.length, end).map(({ rows }) => rows as SqlRow[]);
      };
      try {
        const result = await body(send);
        if (!isOver) await send({ statements: [], isLast: true });
        return result;
      } catch (error) {
        return abandon(client, error, sent);
      }
    });

  async function together<Row>(mode: PostgresMode, statements: readonly string[]) {
    const rows = await roundTrips(mode, (send) => send({ statements, isLast: true }));
    return rows as unknown[][] as Row[][];
  }

  type Ask = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult<PostgresRow>>;
  const transact = <Result>(mode: PostgresMode, body: (ask: Ask) => Promise<Result>) =>
    withClient(mode, async (client, { responded }) => {
      // While the server may be unreachable, other orders wait for this BEGIN, so it always gets the short timeout.
      let query_timeout = times.orderMs;
      // If the connection breaks before the COMMIT is sent, nothing was changed.
      const ask: Ask = (text, values = []) =>
        client
          .query({ text, values: [...values], query_timeout } as pg.QueryConfig)
          .catch((error) => {
            throw broken("read", error);
          });
      let sent: PostgresMode = "read";
      try {
        await ask(begins[mode]);
        responded();
        if (isLong(mode)) query_timeout = LONG_TIMEOUT_MS;
        const result = await body(ask);
        const commit = { text: COMMIT, query_timeout } as pg.QueryConfig;
        sent = mode;
        const committed = await client.query(commit).catch((error) => {
          throw broken(mode, error);
        });
        assertCommitted(client, committed);
        return result;
      } catch (error) {
        return abandon(client, error, sent);
      }
    });

  return {
    connections: pool,
    orderMs: times.orderMs,
    together,
    roundTrips,
    async once<Row>(mode: PostgresMode, sql: string, values: readonly PostgresValue[] = []) {
      const [rows = []] = await together<Row>(mode, [inline(sql, values)]);
      return rows;
    },
    transaction: (mode, body) =>
      transact(mode, (ask) =>
        body(async <Row>(sql: string, values?: readonly PostgresValue[]) => {
          return (await ask(sql, values)).rows as Row[];
        }),
      ),
    statement: (mode, sql, values) => transact(mode, (ask) => ask(sql, values)),
    close: () => pool.end(),
  };
}

/** Sends statements, and the rows for the COPY among them. */
async function ask(
  client: pg.PoolClient,
  text: string,
  timeoutMs: number,
  rows?: string,
): Promise<pg.QueryResult[]> {
  const results = await (rows === undefined
    ? client.query(text)
    : new Promise((resolve, reject) => {
        const done = (error: Error | undefined, result: unknown) =>
          error ? reject(error) : resolve(result);
        client.query(queryWithCopy(text, rows, timeoutMs, done));
      }));
  return Array.isArray(results) ? results : [results as pg.QueryResult];
}

/**
 * Rolls back a failed transaction if its connection is still usable, and throws the fault. `sent`: the mode if the COMMIT was sent,
 * else "read". A connection that is gone after the error of a COMMIT means that the error was fatal, whatever its code, so the outcome
 * is unknown: the severity of an error is in the server's language.
 */
async function abandon(client: pg.PoolClient, fault: unknown, sent: PostgresMode): Promise<never> {
  if (!isPlain(fault)) throw fault;
  const rollback = { text: "ROLLBACK", query_timeout: ROLLBACK_TIMEOUT_MS } as pg.QueryConfig;
  await client.query(rollback).catch(() => {
    if (isWriting(sent)) throw new OutcomeUnknown((fault as Error).message, { cause: fault });
    throw orderFault(fault);
  });
  throw fault;
}

const isWriting = (mode: PostgresMode) => mode === "write" || mode === "batch" || mode === "upkeep";

/** Converts the fault of a broken connection to `BrokenOff` if nothing can have been written. */
function broken(mode: PostgresMode, error: Error): Error {
  if (!isLost(error) || isWriting(mode)) return error;
  return new BrokenOff(`The connection to PostgreSQL broke: ${error.message}`, { cause: error });
}

/**
 * If a COMMIT that waits for its synchronous standby is cancelled, the server reports success, with only a warning that the standby may
 * not have the commit. The warning comes from this routine; its text depends on the server's language.
 */
const WAIT_FOR_STANDBY = "SyncRepWaitForLSN";
/** The connections that received this warning. */
const unsafe = new WeakSet<object>();

function recordStandby(client: pg.PoolClient): void {
  client.on("notice", ({ routine }) => {
    if (routine === WAIT_FOR_STANDBY) unsafe.add(client);
  });
}

/** The server responds to the COMMIT of a failed transaction with ROLLBACK, without an error. */
function assertCommitted(client: pg.PoolClient, result: pg.QueryResult | undefined): void {
  if (result?.command === "ROLLBACK") throw new BrokenOff("PostgreSQL rolled the transaction back");
  if (result?.command !== COMMIT)
    throw new OutcomeUnknown("PostgreSQL did not say whether it committed");
  if (unsafe.has(client))
    throw new NotReplicated("PostgreSQL did not wait for its synchronous standby");
}
