import { ERRORS, type ErrorCode } from "#errors.ts";

/** The filters of the request log. They are kept in the query string, so that they can be bookmarked and shared. */
export type Filters = {
  tool: string | null;
  key: string | null;
  /** `ok`, `errors`, or a status such as `429`. */
  status: string | null;
  code: string | null;
  /** An exact request id. */
  id: string | null;
  /** A key of `SPANS`, `all` or `custom`. */
  span: string;
  /** The custom range, in UTC to the minute, such as `2026-11-21T14:30`; empty: unbounded. */
  from: string;
  to: string;
};
const NAMES = ["tool", "key", "status", "code", "id", "span", "from", "to"] as const;
export type Search = Partial<Record<(typeof NAMES)[number], string>>;

const MINUTE_MS = 60_000;
export const SPANS = {
  "15m": { title: "Last 15 minutes", ms: 15 * MINUTE_MS },
  "1h": { title: "Last hour", ms: 60 * MINUTE_MS },
  "24h": { title: "Last 24 hours", ms: 24 * 60 * MINUTE_MS },
} as const;

/** The statuses of the API's errors, in ascending order. */
export const ERROR_STATUSES: readonly number[] = [
  ...new Set(Object.values(ERRORS).map(({ status }) => status)),
].sort((a, b) => a - b);
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** The code of the error table; null for a 200, or for a code of another version. */
export const knownCode = (code: string | null): ErrorCode | null =>
  code !== null && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : null;

/** Reads the query string. A value that no filter has is left out: the page shows all requests rather than an error. */
export function readFilters(search: Search): Filters {
  const [from, to] = [readMinute(search.from), readMinute(search.to)];
  const isCustom = search.span === undefined && (from !== "" || to !== "");
  const span = Object.hasOwn(SPANS, search.span ?? "") ? (search.span ?? "all") : "all";
  return {
    tool: readText(search.tool),
    key: readText(search.key),
    status: isStatus(search.status) ? search.status : null,
    code: knownCode(search.code ?? null),
    id: readText(search.id?.trim()),
    span: isCustom ? "custom" : span,
    from: isCustom ? from : "",
    to: isCustom ? to : "",
  };
}

/** What an id or a name can be; the service rejects anything else. */
const TEXT = /^[\w.:=+/-]{1,128}$/;
const readText = (text = ""): string | null => (TEXT.test(text) ? text : null);

/** The id in what was typed or pasted: an id, in quotes or not, or an error response that contains it. Null: it cannot be one. */
export function idIn(text: string): string | null {
  const [, member] = /"requestId"\s*:\s*"([^"]+)"/.exec(text) ?? [];
  const id = (member ?? text).trim().replace(/^["'`]+|["'`,;]+$/g, "");
  return id === "" ? "" : readText(id);
}

const isStatus = (text: string | undefined): text is string =>
  text === "ok" || text === "errors" || ERROR_STATUSES.some((status) => String(status) === text);

/** A minute such as `2026-11-21T14:30`; anything else becomes empty. */
function readMinute(text = ""): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && !Number.isNaN(timeOf(text)) ? text : "";
}

const timeOf = (minute: string): number => Date.parse(`${minute}Z`);

/** Applies a change. An empty string resets a filter; a span and a custom range replace each other. */
export function withChange(search: Search, change: Search): Search {
  const next = { ...search, ...change };
  if (change.span !== undefined) {
    delete next.from;
    delete next.to;
  } else if (change.from !== undefined || change.to !== undefined) delete next.span;
  if (next.span === "all") delete next.span;
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = next[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}

/** The change that resets every filter. */
export const CLEARED: Search = { tool: "", key: "", status: "", code: "", id: "", span: "all" };

export const isFiltered = (filters: Filters): boolean =>
  [filters.tool, filters.key, filters.status, filters.code, filters.id].some(
    (value) => value !== null,
  ) || filters.span !== "all";

/** Returns a sentence about what is wrong with a custom range, or null. */
export function rangeError({ from, to }: Pick<Filters, "from" | "to">): string | null {
  if (from === "" && to === "") return "Enter a start, an end, or both.";
  if (from !== "" && to !== "" && from >= to) return "The start must be before the end.";
  return null;
}

/** The query of the API for the filters; spans end now. */
export function queryOf(filters: Filters, now: number): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ["tool", "key", "status", "code", "id"] as const) {
    const value = filters[name];
    if (value !== null) query.set(name, value);
  }
  const span = Object.entries(SPANS).find(([id]) => id === filters.span)?.[1];
  if (span !== undefined) query.set("from", String(now - span.ms));
  if (filters.from !== "") query.set("from", String(timeOf(filters.from)));
  // The end is inclusive for people, and exclusive for the API.
  if (filters.to !== "") query.set("to", String(timeOf(filters.to) + MINUTE_MS));
  return query;
}

/** Whether requests that come now can match. */
export const isOpenEnded = (filters: Filters, now: number): boolean =>
  filters.to === "" || timeOf(filters.to) + MINUTE_MS > now;
