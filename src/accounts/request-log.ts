import type { RequestChunk, RequestEntry } from "./request-chunk.ts";

/**
 * The request log: every call to a tool by a key of an account, kept for some days. It is apart from the ledger: a call never waits for
 * it, and entries may be lost in a crash or when the log cannot keep up. Bodies and query strings are never in it.
 */

/** `cursor` is the entry's place in the log, which is unique within the account. */
export type ListedRequest = RequestEntry & { cursor: string };

/** What selects requests; omitted members select all. */
export type RequestFilter = {
  tool?: string | undefined;
  key?: string | undefined;
  status?: "ok" | "errors" | number | undefined;
  code?: string | undefined;
  id?: string | undefined;
  /** In milliseconds since 1970 UTC; `from` is included, `to` is not. */
  from?: number | undefined;
  to?: number | undefined;
  /** Cursors: only older, and only newer requests than these. */
  before?: string | undefined;
  after?: string | undefined;
};

export type ToolRequests = {
  tool: string;
  requests: number;
  errors: number;
  /** Of `times.total` of successful requests, in milliseconds; null without any. */
  p50: number | null;
  p99: number | null;
};

/** Requests and errors of a tool within an hour, which starts at `hour`. */
export type HourCount = { hour: number; tool: string; requests: number; errors: number };

export type RequestLogReads = {
  /**
   * Lists at most `max` requests, newest first. `next`: the `before` of the next page, null on the last. A page may be shorter
   * although more follow, where the search has taken long.
   */
  list(order: {
    account: string;
    filter: RequestFilter;
    max: number;
  }): Promise<{ requests: ListedRequest[]; next: string | null }>;
  /** Sums the newest `SUMMARY_REQUESTS_MAX` requests that the filter selects, by tool, most requests first. */
  summarize(order: { account: string; filter: RequestFilter }): Promise<ToolRequests[]>;
  /** Counts requests by hour and tool since the hour of `from`, also of those that the log no longer has. */
  counts(order: { account: string; from: number }): Promise<HourCount[]>;
};

export type RequestLog = RequestLogReads & {
  /** Rejects with `NotCarriedOut` if nothing was written. */
  append(chunks: readonly RequestChunk[]): Promise<void>;
  /** Deletes what is too old or too much, in slices. */
  tidy(now: number): Promise<void>;
  /** Deletes all requests of an account, and ignores those that arrive afterwards. */
  forget(order: { account: string; now: number }): Promise<void>;
};

/** A page for an export; `log` is null where there is none. */
export async function requestsPage(
  log: Pick<RequestLogReads, "list"> | null,
  account: string,
  before: string | null,
  max: number,
): Promise<{ rows: RequestEntry[]; next: string | null }> {
  if (log === null) return { rows: [], next: null };
  const filter = before === null ? {} : { before };
  const { requests, next } = await log.list({ account, filter, max });
  return { rows: requests.map(({ cursor: _, ...entry }) => entry), next };
}

/** How long requests are kept, and how many of an account. Their oldest are deleted first. */
export type RequestLogBounds = { keptDays: number; keptMax: number };
