import type { RequestChunk, RequestLog, RequestLogBounds } from "#accounts/request-log.ts";
import { DAY_MS, HOUR_MS, REQUEST_HOURS_KEPT_MS } from "#limits.ts";
import { createRequestSearch, type SearchOptions } from "./request-search.ts";
import { limitSql, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/** The request log of a server over SQL: rows are chunks of requests of all accounts. */

type Options = SearchOptions & {
  bounds: RequestLogBounds;
  /** Lets other work of the thread run between two slices of a deletion. */
  pause(): Promise<void>;
};

const CHUNKS_A_DELETION = 500;
const TIDY_MS = 2_000;
/** The share of an account's bound by which it may exceed it. */
const EXCESS = 0.05;

export function createRequestLog(
  database: SqlDatabase,
  { bounds, elapsed, pause, turns }: Options,
): RequestLog {
  /** Requests of each account since it was last checked against its bound. */
  const sinceCheck = new Map<string, number>();

  async function deleteChunks(where: (no: number) => SqlQuery, slice: SqlQuery): Promise<boolean> {
    const [rows = []] = await database.batch([slice]);
    const last = rows.at(-1)?.["no"];
    if (last === undefined) return false;
    await database.batch([sql`DELETE FROM request_chunk WHERE ${where(Number(last))}`]);
    await pause();
    return true;
  }

  /** The oldest chunks are those with the smallest numbers, but for some that were late. */
  function deleteOld(now: number): Promise<boolean> {
    const until = now - bounds.keptDays * DAY_MS;
    return deleteChunks(
      (no) => sql`no <= ${no} AND last_at < ${until}`,
      sql`SELECT no FROM (SELECT no, last_at FROM request_chunk ORDER BY no ${limitSql(CHUNKS_A_DELETION)}) s
        WHERE last_at < ${until} ORDER BY no`,
    );
  }

  /** Returns whether more of the account may be too much. */
  async function deleteExcess(account: string): Promise<boolean> {
    const [[row] = []] = await database.batch([
      sql`SELECT no FROM (SELECT no, SUM(count) OVER (ORDER BY no DESC) AS total FROM request_chunk WHERE account = ${account}) s
        WHERE total > ${bounds.keptMax} ORDER BY no DESC ${limitSql(1)}`,
    ]);
    if (row === undefined) return false;
    const highest = Number(row["no"]);
    return deleteChunks(
      (no) => sql`account = ${account} AND no <= ${no}`,
      sql`SELECT no FROM request_chunk WHERE account = ${account} AND no <= ${highest} ORDER BY no ${limitSql(CHUNKS_A_DELETION)}`,
    );
  }

  return {
    async append(chunks) {
      await database.batch([...chunks.map(insertOf), ...chunks.flatMap(countsOf)]);
      for (const { account, count } of chunks) {
        // After a start, every account is checked once.
        sinceCheck.set(account, (sinceCheck.get(account) ?? bounds.keptMax) + count);
      }
    },
    ...createRequestSearch(database, { elapsed, turns }),
    async counts({ account, from }) {
      const first = Math.floor(from / HOUR_MS) * HOUR_MS;
      const [rows = []] = await database.batch([
        sql`SELECT hour, tool, requests, errors FROM request_hour WHERE account = ${account} AND hour >= ${first} ORDER BY hour, tool`,
      ]);
      return rows.map(({ hour, tool, requests, errors }) => ({
        ...{ hour: Number(hour), tool: String(tool) },
        ...{ requests: Number(requests), errors: Number(errors) },
      }));
    },
    async tidy(now) {
      const until = elapsed() + TIDY_MS;
      while (elapsed() < until && (await deleteOld(now)));
      for (const [account, count] of sinceCheck) {
        if (count < bounds.keptMax * EXCESS) continue;
        if (elapsed() > until) return;
        while (await deleteExcess(account));
        sinceCheck.set(account, 0);
      }
      await database.batch([
        sql`DELETE FROM request_hour WHERE hour < ${now - REQUEST_HOURS_KEPT_MS}`,
        sql`DELETE FROM request_forgotten WHERE at < ${now - DAY_MS}`,
      ]);
    },
    async forget({ account, now }) {
      await database.batch([
        sql`INSERT INTO request_forgotten (account, at) VALUES (${account}, ${now}) ON CONFLICT (account) DO NOTHING`,
        sql`DELETE FROM request_hour WHERE account = ${account}`,
      ]);
      const slice = sql`SELECT no FROM request_chunk WHERE account = ${account} ORDER BY no ${limitSql(CHUNKS_A_DELETION)}`;
      while (await deleteChunks((no) => sql`account = ${account} AND no <= ${no}`, slice));
    },
  };
}

/** Nothing is written of an account that was closed: nodes may still hold some of its requests. */
const unlessForgotten = (account: string) =>
  sql`WHERE NOT EXISTS (SELECT 1 FROM request_forgotten WHERE account = ${account})`;

const insertOf = ({ account, firstAt, lastAt, count, errors, packed }: RequestChunk) =>
  sql`INSERT INTO request_chunk (account, first_at, last_at, count, errors, packed)
    SELECT ${account}, ${firstAt}, ${lastAt}, ${count}, ${errors}, ${packed} ${unlessForgotten(account)}`;

/** A chunk covers seconds, so its requests count to the hour of the first. */
const countsOf = ({ account, firstAt, tools }: RequestChunk): SqlQuery[] =>
  tools.map(
    ({ tool, count, errors }) =>
      sql`INSERT INTO request_hour (account, hour, tool, requests, errors)
        SELECT ${account}, ${firstAt - (firstAt % HOUR_MS)}, ${tool}, ${count}, ${errors} ${unlessForgotten(account)}
        ON CONFLICT (account, hour, tool) DO UPDATE SET requests = request_hour.requests + excluded.requests,
          errors = request_hour.errors + excluded.errors`,
  );
