import type {
  HourCount,
  RequestChunk,
  RequestLog,
  RequestLogBounds,
} from "#accounts/request-log.ts";
import { DAY_MS, HOUR_MS, REQUEST_HOURS_KEPT_MS } from "#limits.ts";
import { createRequestSearch, type SearchOptions } from "./request-search.ts";
import { limitSql, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/** The request log of a server over SQL: rows are chunks of requests of all accounts. */
export type RequestTables = SqlDatabase & {
  /** Inserts the chunks of accounts that were not forgotten. */
  insert(chunks: readonly RequestChunk[]): Promise<void>;
};

type Options = SearchOptions & {
  bounds: RequestLogBounds;
  /** Lets other work of the thread run between two slices of a deletion. */
  pause(): Promise<void>;
};

const COUNTS_EVERY_MS = 10_000;
const CHUNKS_A_DELETION = 500;
const TIDY_MS = 2_000;
/** The share of an account's bound by which it may exceed it. */
const EXCESS = 0.05;

export function createRequestLog(
  tables: RequestTables,
  { bounds, elapsed, pause, turns }: Options,
): RequestLog {
  const counts = createCounts();
  let countedAt = elapsed();
  /** Requests of each account since it was last checked against its bound. */
  const sinceCheck = new Map<string, number>();

  async function flush(): Promise<void> {
    countedAt = elapsed();
    const rows = counts.take();
    if (rows.length === 0) return;
    try {
      await tables.batch(upserts(rows));
    } catch (error) {
      for (const row of rows) counts.add(row);
      throw error;
    }
  }

  async function deleteChunks(where: (no: number) => SqlQuery, slice: SqlQuery): Promise<boolean> {
    const [rows = []] = await tables.batch([slice]);
    const last = rows.at(-1)?.["no"];
    if (last === undefined) return false;
    await tables.batch([sql`DELETE FROM request_chunk WHERE ${where(Number(last))}`]);
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
    const [[row] = []] = await tables.batch([
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
      await tables.insert(chunks);
      for (const { account, firstAt, count, tools } of chunks) {
        const hour = Math.floor(firstAt / HOUR_MS) * HOUR_MS;
        for (const { tool, count: requests, errors } of tools)
          counts.add({ account, hour, tool, requests, errors });
        // After a start, every account is checked once.
        sinceCheck.set(account, (sinceCheck.get(account) ?? bounds.keptMax) + count);
      }
      // The requests are in the log, so a failure must not have them sent again; the counts are written later.
      if (elapsed() - countedAt >= COUNTS_EVERY_MS) await flush().catch(() => {});
    },
    flush,
    ...createRequestSearch(tables, { elapsed, turns }),
    async counts({ account, from }) {
      const first = Math.floor(from / HOUR_MS) * HOUR_MS;
      const [rows = []] = await tables.batch([
        sql`SELECT hour, tool, requests, errors FROM request_hour WHERE account = ${account} AND hour >= ${first} ORDER BY hour, tool`,
      ]);
      const sums = createCounts();
      for (const { hour, tool, requests, errors } of rows) {
        const sum = { requests: Number(requests), errors: Number(errors) };
        sums.add({ account, hour: Number(hour), tool: String(tool), ...sum });
      }
      for (const row of counts.of(account)) if (row.hour >= first) sums.add(row);
      return sums.take().map(({ account: _, ...count }) => count);
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
      await tables.batch([
        sql`DELETE FROM request_hour WHERE hour < ${now - REQUEST_HOURS_KEPT_MS}`,
        sql`DELETE FROM request_forgotten WHERE at < ${now - DAY_MS}`,
      ]);
    },
    async forget({ account, now }) {
      counts.drop(account);
      await tables.batch([
        sql`INSERT INTO request_forgotten (account, at) VALUES (${account}, ${now}) ON CONFLICT (account) DO NOTHING`,
        sql`DELETE FROM request_hour WHERE account = ${account}`,
      ]);
      const slice = sql`SELECT no FROM request_chunk WHERE account = ${account} ORDER BY no ${limitSql(CHUNKS_A_DELETION)}`;
      while (await deleteChunks((no) => sql`account = ${account} AND no <= ${no}`, slice));
    },
  };
}

type AccountCount = HourCount & { account: string };

/** Sums by account, hour and tool. */
function createCounts() {
  let sums = new Map<string, AccountCount>();
  return {
    add(count: AccountCount): void {
      const name = `${count.account} ${count.hour} ${count.tool}`;
      const sum = sums.get(name);
      if (sum === undefined) sums.set(name, { ...count });
      else {
        sum.requests += count.requests;
        sum.errors += count.errors;
      }
    },
    of: (account: string) => [...sums.values()].filter((sum) => sum.account === account),
    drop(account: string): void {
      for (const [name, sum] of sums) if (sum.account === account) sums.delete(name);
    },
    /** Returns all sums, and starts again at zero. */
    take(): AccountCount[] {
      const taken = [...sums.values()];
      sums = new Map();
      return taken;
    },
  };
}

/** In the order of the keys, so that two nodes do not wait for each other. */
function upserts(rows: readonly AccountCount[]): SqlQuery[] {
  const nameOf = ({ account, hour, tool }: AccountCount) => `${account} ${hour} ${tool}`;
  return rows
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .map(
      ({ account, hour, tool, requests, errors }) =>
        sql`INSERT INTO request_hour (account, hour, tool, requests, errors) VALUES (${account}, ${hour}, ${tool}, ${requests}, ${errors})
          ON CONFLICT (account, hour, tool) DO UPDATE SET requests = request_hour.requests + excluded.requests,
            errors = request_hour.errors + excluded.errors`,
    );
}
