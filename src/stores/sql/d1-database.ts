import { NotCarriedOut } from "#ledger/port.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { isReading, type SqlDatabase } from "./sql-database.ts";

/** What we use of a D1 binding (developers.cloudflare.com/d1/worker-api). */
export type D1 = {
  prepare(sql: string): D1Statement;
  /** One transaction: all statements or none. There are no others, so nothing is decided between two of them. */
  batch(statements: D1Statement[]): Promise<D1Result[]>;
  exec(sql: string): Promise<unknown>;
};
export type D1Statement = {
  bind(...values: unknown[]): D1Statement;
  all(): Promise<D1Result>;
};
export type D1Result = {
  results: SqlRow[];
  meta: { changes: number; rows_read: number; rows_written: number };
};

/** Between the tries of a read; the platform has tried by itself before. */
const RETRY_AFTER_MS = [50, 250];

/** A D1 binding as a database of batches; see `sendOver` for what a fault of the way there means. */
export function createD1Database(d1: D1): SqlDatabase {
  return {
    async batch(queries) {
      const send = () =>
        d1.batch(queries.map(({ sql, values }) => d1.prepare(sql).bind(...values)));
      const results = await sendOver(send, queries.every(isReading));
      return results.map((result) => result.results);
    },
  };
}

/** The same binding for better-auth, which asks it one statement at a time. */
export function steadyD1(d1: D1): D1 {
  /** What D1 made of each: it takes no others in a batch. */
  const own = new WeakMap<D1Statement, D1Statement>();
  function wrap(statement: D1Statement, isRead: boolean): D1Statement {
    const wrapped: D1Statement = {
      bind: (...values) => wrap(statement.bind(...values), isRead),
      all: () => sendOver(() => statement.all(), isRead),
    };
    own.set(wrapped, statement);
    return wrapped;
  }
  return {
    prepare: (sql) => wrap(d1.prepare(sql), isReading({ sql })),
    batch: (statements) =>
      sendOver(() => d1.batch(statements.map((each) => own.get(each) ?? each)), false),
    exec: (sql) => d1.exec(sql),
  };
}

/** Of these the platform says that what was asked did not get to the database (developers.cloudflare.com/d1/observability/debug-d1). */
const NOT_BEGUN = /D1 DB is overloaded|Cannot resolve D1 DB/;
/** The way to the database, or the database's process, ended in the middle. */
const BROKEN_OFF =
  /Network connection lost|caused object to be reset|and was reset|reset because its code was updated|client disconnected/;

/**
 * Faults of D1 are told by their message alone. What was not begun is `NotCarriedOut`, and asking again at once would only
 * add to the load. A read that broke off is tried again, and is `NotCarriedOut` in the end, for it changed nothing. A write
 * that broke off may have been carried out: its error goes on as it is. So does that of a faulty statement.
 */
async function sendOver<Result>(send: () => Promise<Result>, isRead: boolean): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const message = error instanceof Error ? `${error.message} ${causeOf(error)}` : String(error);
      if (NOT_BEGUN.test(message)) throw notCarriedOut(error);
      if (!isRead || !BROKEN_OFF.test(message)) throw error;
      const wait = RETRY_AFTER_MS[tries];
      if (wait === undefined) throw notCarriedOut(error);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

const causeOf = ({ cause }: Error) => (cause instanceof Error ? cause.message : "");

const notCarriedOut = (cause: unknown) =>
  new NotCarriedOut("The database of people could not be asked", { cause });
