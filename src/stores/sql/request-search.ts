import type { ReadTurns } from "#accounts/read-turns.ts";
import type {
  ListedRequest,
  RequestFilter,
  RequestLogReads,
  ToolRequests,
} from "#accounts/request-log.ts";
import { unpackRequests } from "#accounts/request-recorder.ts";
import { HOUR_MS, SUMMARY_REQUESTS_MAX } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { limitSql, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/**
 * Searches the chunks of a request log in every store. This code looks into them, so that what a filter selects is decided in one
 * place. The database only leaves out chunks that cannot have what is searched for.
 */
export type SearchOptions = {
  /** A monotonic clock in milliseconds. */
  elapsed(): number;
  /** Each slice of a search takes a turn. */
  turns: ReadTurns;
};

/** A first page of a busy account needs one chunk. Of a quiet one, whose chunks have one request, it needs the next slice too. */
const FIRST_CHUNKS = 8;
const GROWTH = 8;
const CHUNKS_MAX = 2_000;
/** Requests that a slice reads: some 300 KB, and 5 ms of the thread. */
const REQUESTS_A_SLICE = 2_000;
/** How long a search may take. A page that is not full by then says where to continue. */
const SEARCH_MS = 2_000;
/** A node hands over requests at once, or as soon as the log is reachable again. */
const LATE_MS = HOUR_MS;

export function createRequestSearch(
  tables: SqlDatabase,
  { elapsed, turns }: SearchOptions,
): Pick<RequestLogReads, "list" | "summarize"> {
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
      // The turn lasts while the chunks are read, which the reader may end early.
      const endTurn = await turns.take(account);
      try {
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
      } finally {
        endTurn();
      }
    }
  }

  return {
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
  };
}

const wantsErrors = ({ status }: RequestFilter) =>
  status === "errors" || (typeof status === "number" && status >= 400);

/** A condition that every chunk with a selected request meets. Texts are in quotes in a chunk, and no value contains a quote. */
function mayHave({ tool, key, code, id, status, from, to }: RequestFilter): SqlQuery {
  const conditions = [tool, key, code, id]
    .filter((text) => text !== undefined)
    .map((text) => sql`packed LIKE ${patternOf(text)}`);
  if (status === "ok") conditions.push(sql`errors < count`);
  if (from !== undefined) conditions.push(sql`last_at >= ${from}`);
  if (to !== undefined) conditions.push(sql`first_at < ${to}`);
  return conditions.reduce((all, each) => sql`${all} AND ${each}`, sql`1 = 1`);
}

/**
 * Cloudflare's databases take patterns of 50 bytes (developers.cloudflare.com/durable-objects/platform/limits). Of a longer text, its
 * beginning is enough to leave out most chunks.
 */
const TEXT_MAX = 46;

function patternOf(text: string): string {
  const part = text.slice(0, TEXT_MAX).replaceAll(/[^\x20-\x7e]|[%\\]/g, "_");
  return text.length > TEXT_MAX ? `%"${part}%` : `%"${part}"%`;
}

function createIsSelected(filter: RequestFilter): (request: ListedRequest) => boolean {
  const { tool, key, status, code, id, from = 0, to = Number.POSITIVE_INFINITY } = filter;
  const [before, after] = [readCursor(filter.before), readCursor(filter.after)];
  const isOfStatus = (of: number) =>
    status === undefined ||
    (status === "ok" ? of < 400 : status === "errors" ? of >= 400 : of === status);
  return (request) =>
    (tool === undefined || request.tool === tool) &&
    (key === undefined || request.key === key) &&
    (code === undefined || request.code === code) &&
    (id === undefined || request.id === id) &&
    isOfStatus(request.status) &&
    request.at >= from &&
    request.at < to &&
    (before === null || comparePlaces(readCursor(request.cursor), before) < 0) &&
    (after === null || comparePlaces(readCursor(request.cursor), after) > 0);
}

type Place = { no: number; index: number };

/** Null where there is none, and for text that is no cursor. */
function readCursor(text: string | undefined): Place | null {
  const [, no, index] = /^(\d{1,15})\.(\d{1,6})$/.exec(text ?? "") ?? [];
  return no === undefined ? null : { no: Number(no), index: Number(index) };
}

const comparePlaces = (a: Place | null, b: Place): number =>
  a === null ? 0 : a.no - b.no || a.index - b.index;

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
