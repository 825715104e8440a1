import {
  type HourCount,
  type ListedRequest,
  type RequestChunk,
  type RequestFilter,
  type RequestLog,
  type RequestLogBounds,
  type ToolRequests,
  unpackRequests,
} from "#accounts/request-log.ts";
import { DAY_MS, HOUR_MS, REQUEST_HOURS_KEPT_MS, SUMMARY_REQUESTS_MAX } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { createIsSelected, mayHave, readCursor, wantsErrors } from "./request-filter.ts";
import { limitSql, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/**
 * The request log over SQL. Rows are chunks of requests; this code looks into them, so that what a filter selects is decided in one
 * place. The database only leaves out chunks that cannot have what is searched for.
 */
export type RequestTables = SqlDatabase & {
  /** Inserts the chunks of accounts that were not forgotten. */
  insert(chunks: readonly RequestChunk[]): Promise<void>;
};

type Options = {
  bounds: RequestLogBounds;
  /** A monotonic clock in milliseconds. */
  elapsed(): number;
  /** Lets other work of the thread run between two slices. */
  pause(): Promise<void>;
};

/** A first page of a busy account needs one chunk. Of a quiet one, whose chunks have one request, it needs the next slice too. */
const FIRST_CHUNKS = 8;
const GROWTH = 8;
const CHUNKS_MAX = 2_000;
/** Requests that a slice reads, about 1 MB. */
const REQUESTS_A_SLICE = 5_000;
/** How long a search may take. A page that is not full by then says where to continue. */
const SEARCH_MS = 2_000;
const COUNTS_EVERY_MS = 10_000;
const CHUNKS_A_DELETION = 500;
const TIDY_MS = 2_000;
/** A node hands over requests at once, or as soon as the log is reachable again. */
const LATE_MS = HOUR_MS;
/** The share of an account's bound by which it may exceed it. */
const EXCESS = 0.05;

export function createRequestLog(
  tables: RequestTables,
  { bounds, elapsed, pause }: Options,
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

  /** The selected requests by chunk, newest first, and where to continue after them; null at the end. */
  async function* search(account: string, filter: RequestFilter) {
    const [before, after] = [readCursor(filter.before), readCursor(filter.after)];
    const isSelected = createIsSelected(filter);
    let belowNo = before === null ? Number.MAX_SAFE_INTEGER : before.no + 1;
    // In these words, because they are those of an index.
    const hasErrors = wantsErrors(filter) ? sql`errors > 0` : sql`1 = 1`;
    let chunks = FIRST_CHUNKS;
    for (;;) {
      const slice = sql`SELECT * FROM request_chunk WHERE account = ${account} AND no < ${belowNo}
        AND no >= ${after?.no ?? 0} AND ${hasErrors} ORDER BY no DESC ${limitSql(chunks)}`;
      const [[seen = {}] = [], rows = []] = await tables.batch([
        sql`SELECT COUNT(*) AS chunks, MIN(no) AS no, MAX(last_at) AS last, SUM(count) AS requests FROM (${slice}) s`,
        sql`SELECT no, packed FROM (${slice}) s WHERE ${mayHave(filter)} ORDER BY no DESC`,
      ]);
      const found = Number(seen["chunks"]);
      const isLast = found < chunks || Number(seen["last"]) < (filter.from ?? 0) - LATE_MS;
      for (const row of rows)
        yield { requests: readChunk(row).filter(isSelected), reached: placeAbove(row["no"]) };
      if (found > 0) belowNo = Number(seen["no"]);
      yield { requests: [], reached: isLast ? null : placeAbove(belowNo) };
      if (isLast) return;
      const perChunk = Number(seen["requests"]) / found;
      const fitting = Math.ceil(REQUESTS_A_SLICE / perChunk);
      chunks = Math.min(chunks * GROWTH, CHUNKS_MAX, Math.max(FIRST_CHUNKS, fitting));
      await pause();
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
    async list({ account, filter, max }) {
      const until = elapsed() + SEARCH_MS;
      const requests: ListedRequest[] = [];
      for await (const { requests: more, reached } of search(account, filter)) {
        for (const each of more) {
          if (requests.length === max) return { requests, next: requests.at(-1)?.cursor ?? null };
          requests.push(each);
        }
        if (elapsed() > until) return { requests, next: reached };
      }
      return { requests, next: null };
    },
    async summarize({ account, filter }) {
      const until = elapsed() + SEARCH_MS;
      const summary = createSummary();
      for await (const { requests } of search(account, filter)) {
        if (!summary.add(requests) || elapsed() > until) break;
      }
      return summary.tools();
    },
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

/** The cursor before which older chunks are. */
const placeAbove = (no: SqlRow[string] | undefined) => `${no}.0`;

/** Newest first. */
function readChunk({ no, packed }: SqlRow): ListedRequest[] {
  return unpackRequests(String(packed))
    .map((entry, index) => ({ ...entry, cursor: `${no}.${index}` }))
    .reverse();
}

function createSummary() {
  const byTool = new Map<string, { requests: number; errors: number; times: number[] }>();
  let left = SUMMARY_REQUESTS_MAX;
  return {
    /** Returns whether there is room for more. */
    add(requests: readonly ListedRequest[]): boolean {
      for (const { tool, status, times } of requests.slice(0, left)) {
        const sum = byTool.get(tool) ?? { requests: 0, errors: 0, times: [] };
        byTool.set(tool, sum);
        sum.requests += 1;
        if (status >= 400) sum.errors += 1;
        else sum.times.push(times.total);
      }
      left = Math.max(0, left - requests.length);
      return left > 0;
    },
    tools: (): ToolRequests[] =>
      [...byTool]
        .map(([tool, { requests, errors, times }]) => {
          times.sort((a, b) => a - b);
          return { tool, requests, errors, p50: rank(times, 0.5), p99: rank(times, 0.99) };
        })
        .sort((a, b) => b.requests - a.requests || (a.tool < b.tool ? -1 : 1)),
  };
}

/** The nearest rank: the smallest value that is not below this part of the values. */
const rank = (sorted: readonly number[], part: number): number | null =>
  sorted[Math.ceil(sorted.length * part) - 1] ?? null;

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
