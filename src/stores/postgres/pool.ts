import type pg from "pg";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { type ConnectionOptions, openConnections, QUERY_TIMEOUT_MS } from "./connections.ts";
import { BrokenOff, isLost, isPlain, NotReplicated, orderFault } from "./faults.ts";
import { createReach, type Visit } from "./reach.ts";

/**
 * Connections to PostgreSQL, and transactions over them. Nothing is kept on a connection between two transactions (no
 * session settings, no named statements, no LISTEN, no session locks), so each may go to another backend behind a
 * proxy that pools transactions.
 */
export type PostgresPool = {
  /** One statement in a transaction of its own, in one round trip. */
  once<Row = PostgresRow>(
    mode: PostgresMode,
    sql: string,
    values?: readonly PostgresValue[],
  ): Promise<Row[]>;
  /** Several statements in one transaction and one round trip; the rows of each. Their values are written in (`literalOf`). */
  together<Row = PostgresRow>(mode: PostgresMode, statements: readonly string[]): Promise<Row[][]>;
  /** All of `body` or nothing. */
  transaction<Result>(
    mode: PostgresMode,
    body: (query: PostgresQuery) => Promise<Result>,
  ): Promise<Result>;
  /** One statement as a library wrote it, with values of whatever kind, in a transaction of its own. */
  statement(
    mode: PostgresMode,
    sql: string,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<PostgresRow>>;
  /** For what cannot be done in a transaction. */
  connections: pg.Pool;
  close(): Promise<void>;
};

export type PostgresValue = string | number | boolean | null | readonly (string | number | null)[];
export type PostgresRow = Record<string, unknown>;
export type PostgresQuery = <Row = PostgresRow>(
  sql: string,
  values?: readonly PostgresValue[],
) => Promise<Row[]>;

/** The server gives up before the caller does, so that its answer tells what became of the order. */
const STATEMENT_TIMEOUT_MS = LEDGER_TIMEOUT_MS - 1_000;
/** Another transaction that holds an account for longer is stuck. A row that many want takes up to two waits. */
const LOCK_TIMEOUT_MS = (STATEMENT_TIMEOUT_MS - 1_000) / 2;
/** Another node's batch holds an account for some milliseconds. */
const BATCH_LOCK_TIMEOUT_MS = 500;
/**
 * A node that falls silent within a transaction (frozen, or cut off) holds its locks for so long: then the server ends it.
 * Between two statements of ours lie milliseconds.
 */
const SILENCE_MAX_MS = 2_000;
/** What only reads holds up nobody's calls. */
const LONG_SILENCE_MAX_MS = 60_000;
const LONG_TIMEOUT_MS = 600_000;
const ROLLBACK_TIMEOUT_MS = 1_000;

/** Whatever the server's defaults: what was acknowledged is on the disk, and on the synchronous standby where there is one. */
const settings = (statementMs: number, lockMs: number, silenceMs = SILENCE_MAX_MS) =>
  `SET LOCAL synchronous_commit = on; SET LOCAL jit = off;
   SET LOCAL statement_timeout = ${statementMs}; SET LOCAL lock_timeout = ${lockMs};
   SET LOCAL idle_in_transaction_session_timeout = ${silenceMs}`;

/**
 * `batch`: writes for many, who shall not wait long for one of them. `snapshot`: several statements see one moment.
 * `report`: the same, of everything there is, so it may take its time, as may `upkeep`, which writes.
 */
export type PostgresMode = "read" | "write" | "batch" | "snapshot" | "report" | "upkeep";
const SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const COMMIT = "COMMIT";
const BEGIN: Record<PostgresMode, string> = {
  read: `BEGIN READ ONLY; ${settings(STATEMENT_TIMEOUT_MS, LOCK_TIMEOUT_MS)}`,
  write: `BEGIN READ WRITE; ${settings(STATEMENT_TIMEOUT_MS, LOCK_TIMEOUT_MS)}`,
  batch: `BEGIN READ WRITE; ${settings(STATEMENT_TIMEOUT_MS, BATCH_LOCK_TIMEOUT_MS)}`,
  snapshot: `${SNAPSHOT}; ${settings(STATEMENT_TIMEOUT_MS, LOCK_TIMEOUT_MS)}`,
  report: `${SNAPSHOT}; ${settings(LONG_TIMEOUT_MS, LOCK_TIMEOUT_MS, LONG_SILENCE_MAX_MS)}`,
  upkeep: `BEGIN READ WRITE; ${settings(LONG_TIMEOUT_MS, LONG_TIMEOUT_MS)}`,
};
const isLong = (mode: PostgresMode) => mode === "report" || mode === "upkeep";

export function openPostgresPool(url: string, options: ConnectionOptions): PostgresPool {
  const { pool, take, giveBack, dropIdle } = openConnections(url, options);
  pool.on("connect", noteStandby);
  const reach = createReach(dropIdle);

  async function visit<Result>(
    mode: PostgresMode,
    act: (client: pg.PoolClient, visit: Visit) => Promise<Result>,
  ) {
    const visit = reach.enter();
    let client: pg.PoolClient | undefined;
    let fault: unknown;
    try {
      client = await take(mode === "batch");
      const result = await act(client, visit);
      visit.answered();
      return result;
    } catch (error) {
      fault = error;
      if (isPlain(error)) visit.answered();
      else visit.failed(error);
      throw error;
    } finally {
      if (client !== undefined) giveBack(client, mode === "batch", fault);
    }
  }

  const together = <Row>(mode: PostgresMode, statements: readonly string[]): Promise<Row[][]> =>
    visit(mode, async (client) => {
      const text = [BEGIN[mode], ...statements, COMMIT].join(";\n");
      const results = (await client
        .query(text)
        .catch((error) => abandon(client, broken(mode, error)))) as unknown as pg.QueryResult[];
      assertCommitted(client, results.at(-1));
      return results.slice(-1 - statements.length, -1).map(({ rows }) => rows as Row[]);
    });

  type Ask = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult<PostgresRow>>;
  const transact = <Result>(mode: PostgresMode, body: (ask: Ask) => Promise<Result>) =>
    visit(mode, async (client, { answered }) => {
      // While the server may be gone, others wait for how the BEGIN fares: it gets no longer than their own.
      let query_timeout = QUERY_TIMEOUT_MS;
      // Whatever breaks before the COMMIT is sent came to nothing.
      const ask: Ask = (text, values = []) =>
        client
          .query({ text, values: [...values], query_timeout } as pg.QueryConfig)
          .catch((error) => {
            throw broken("read", error);
          });
      try {
        await ask(BEGIN[mode]);
        answered();
        if (isLong(mode)) query_timeout = LONG_TIMEOUT_MS;
        const result = await body(ask);
        const commit = { text: COMMIT, query_timeout } as pg.QueryConfig;
        const committed = await client.query(commit).catch((error) => {
          throw broken(mode, error);
        });
        assertCommitted(client, committed);
        return result;
      } catch (error) {
        return abandon(client, error);
      }
    });

  return {
    connections: pool,
    together,
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

/** Undoes a transaction that failed, where its connection is good for another one; throws what it failed by. */
async function abandon(client: pg.PoolClient, fault: unknown): Promise<never> {
  if (!isPlain(fault)) throw fault;
  const rollback = { text: "ROLLBACK", query_timeout: ROLLBACK_TIMEOUT_MS } as pg.QueryConfig;
  await client.query(rollback).catch(() => {
    throw orderFault(fault);
  });
  throw fault;
}

/** A connection that broke, where nothing can have been written. */
function broken(mode: PostgresMode, error: Error): Error {
  if (!isLost(error) || mode === "write" || mode === "batch" || mode === "upkeep") return error;
  return new BrokenOff(`The connection to PostgreSQL broke: ${error.message}`, { cause: error });
}

/**
 * Whoever cancels a COMMIT that waits for its synchronous standby makes the server answer that it is done, with nothing but
 * a warning that it is only done here: out of this routine, in the language of the server.
 */
const WAIT_FOR_STANDBY = "SyncRepWaitForLSN";
/** Connections on which that was told. */
const unsafe = new WeakSet<object>();

function noteStandby(client: pg.PoolClient): void {
  client.on("notice", ({ routine }) => {
    if (routine === WAIT_FOR_STANDBY) unsafe.add(client);
  });
}

/** The server answers a COMMIT of what had failed with ROLLBACK, and calls it no error. */
function assertCommitted(client: pg.PoolClient, result: pg.QueryResult | undefined): void {
  if (result?.command !== COMMIT) throw new BrokenOff("PostgreSQL did not commit");
  if (unsafe.has(client))
    throw new NotReplicated("PostgreSQL no longer waited for its synchronous standby");
}

/** `$1` and so on as literals: several statements can go in one message only as text. */
function inline(sql: string, values: readonly PostgresValue[]): string {
  if (values.length === 0) return sql;
  return sql.replace(/\$(\d+)/g, (_, place) => literalOf(values[Number(place) - 1] ?? null));
}

/** A value as part of a statement. */
export function literalOf(value: PostgresValue): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return quote(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return value < 0 ? `(${value})` : String(value);
  return `ARRAY[${value.map(literalOf).join(",")}]`;
}

/** As `pg.escapeLiteral`, which goes through a batch of orders character by character. */
function quote(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return quoted.includes("\\") ? ` E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}
