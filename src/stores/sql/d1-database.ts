import { NotCarriedOut } from "#ledger/port.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { isReading, type SqlDatabase } from "./sql-database.ts";

/** The part of a D1 binding that we use (developers.cloudflare.com/d1/worker-api). */
export type D1 = {
  prepare(sql: string): D1Statement;
  /** Runs the statements in one transaction. D1 has no other transactions, so no code can run between two statements. */
  batch(statements: D1Statement[]): Promise<D1Result[]>;
};
export type D1Statement = { bind(...values: unknown[]): D1Statement };
export type D1Result = {
  results: SqlRow[];
  meta: { changes: number; rows_read: number; rows_written: number };
};

/** The pauses before a read is repeated. The platform itself has repeated it before. */
const RETRY_AFTER_MS = [50, 250];

/** Creates a database of batches over a D1 binding. See `sendWithRetries` for the handling of faults. */
export function createD1Database(d1: D1): SqlDatabase {
  return {
    async batch(queries) {
      const send = () =>
        d1.batch(queries.map(({ sql, values }) => d1.prepare(sql).bind(...values)));
      const results = await sendWithRetries(send, queries.every(isReading));
      return results.map((result) => result.results);
    },
  };
}

/** The request did not reach the database (developers.cloudflare.com/d1/observability/debug-d1). */
const NOT_BEGUN = /D1 DB is overloaded|Cannot resolve D1 DB/;
/** The connection or the database's process failed during the request. */
const BROKEN_OFF =
  /Network connection lost|caused object to be reset|and was reset|reset because its code was updated|client disconnected/;

/**
 * Sends a request to D1. D1 reports its faults only by their message.
 *
 * A request that did not reach the database fails with `NotCarriedOut`; it is not repeated, because that would add to the load. A
 * read that was interrupted is repeated, and finally fails with `NotCarriedOut`, because it changed nothing. A write that was
 * interrupted may have been carried out, so its error is passed on unchanged, as is the error of an invalid statement.
 */
async function sendWithRetries<Result>(
  send: () => Promise<Result>,
  isRead: boolean,
): Promise<Result> {
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

const notCarriedOut = (cause: unknown) => new NotCarriedOut("D1 could not be reached", { cause });
