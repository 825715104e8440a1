import type { FieldError, ProblemError } from "#errors.ts";

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

/** What the request log has of a call. */
export type RequestEntry = {
  /** The `X-Request-Id` of the response. */
  id: string;
  /** When the request was received, in milliseconds since 1970 UTC. */
  at: number;
  tool: string;
  status: number;
  /** The error code; null for a 200. */
  code: string | null;
  /** The id of the key. */
  key: string;
  via: "http" | "mcp";
  /** In credits; null if it is not known what the call cost. */
  charged: number | null;
  replayed: boolean;
  /** In milliseconds; null for what did not happen. */
  times: { total: number; body: number | null; tool: number | null; ledger: number | null };
  /**
   * Of the bodies as transferred. `received` is null where the body was not read, `sent` where the connection was lost before the
   * response had left.
   */
  bytes: { received: number | null; sent: number | null };
  /** The network address of the client; null where it is not known. */
  address: string | null;
  /** The sentence of the error, cut (`keptProblem`). Null for a 200, and where it was not kept. */
  detail: string | null;
  /** The first errors of the request, cut; null where the problem named none. */
  errors: readonly FieldError[] | null;
};

/** What a node or an isolate hands over at once: requests of one account in the order of their responses, as `packRequest` (request-recorder.ts) writes them. */
export type RequestChunk = {
  account: string;
  firstAt: number;
  lastAt: number;
  count: number;
  errors: number;
  /** How many of them each tool has. */
  tools: { tool: string; count: number; errors: number }[];
  /** The entries, separated by commas. */
  packed: string;
};

/**
 * What the request log keeps of a problem. Bodies and query strings are not kept, but the sentences may quote a value: of that the beginning
 * stays, which shows a typing error, and of a key nothing.
 */
const DETAIL_CHARS_MAX = 300;
const ERRORS_MAX = 3;
const ERROR_CHARS_MAX = 120;
const NAME_CHARS_MAX = 60;
const QUOTED_CHARS_MAX = 20;

export type KeptProblem = Pick<RequestEntry, "detail" | "errors">;

/** Of a call that succeeded. */
export const NO_PROBLEM: KeptProblem = { detail: null, errors: null };

export function keptProblem({
  message,
  details,
}: Pick<ProblemError, "message" | "details">): KeptProblem {
  const errors = details.errors?.slice(0, ERRORS_MAX).map(keptError) ?? null;
  return { detail: cut(message, DETAIL_CHARS_MAX), errors };
}

function keptError({ pointer, parameter, header, detail }: FieldError): FieldError {
  return {
    ...(pointer !== undefined && { pointer: cut(pointer, NAME_CHARS_MAX) }),
    ...(parameter !== undefined && { parameter: cut(parameter, NAME_CHARS_MAX) }),
    ...(header !== undefined && { header: cut(header, NAME_CHARS_MAX) }),
    detail: cut(detail, ERROR_CHARS_MAX),
  };
}

/** Control characters and halves of characters are replaced: PostgreSQL's JSON cannot hold some of them. */
function cut(text: string, max: number): string {
  const plain = text
    .replace(KEY, (key) => `${key.slice(0, key.indexOf("_") + 1)}…`)
    .replace(LONG_QUOTE, (_, quoted: string) => `"${quoted.slice(0, QUOTED_CHARS_MAX)}…"`);
  const short = plain.length > max ? `${plain.slice(0, max - 1)}…` : plain;
  return short.replace(/[\p{Cc}\p{Cs}]/gu, "\ufffd");
}

const LONG_QUOTE = new RegExp(`"([^"]{${QUOTED_CHARS_MAX + 1},})"`, "g");
/** A client may have sent its key in a field. The ids that a sentence of ours names are kept. */
const KEY = /\b(?!acc_|key_|call_|req_)[a-z]{2,8}_[0-9A-Za-z]{12,}/g;
