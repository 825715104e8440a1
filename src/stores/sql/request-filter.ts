import type { ListedRequest, RequestFilter } from "#accounts/request-log.ts";
import { type SqlQuery, sql } from "./sql-database.ts";

/** What the filters of the request log select: conditions for chunks in SQL, and the decision about each request in code. */

export const wantsErrors = ({ status }: RequestFilter) =>
  status === "errors" || (typeof status === "number" && status >= 400);

/** A condition that every chunk with a selected request meets. Texts are in quotes in a chunk, and no value contains a quote. */
export function mayHave({ tool, key, code, id, status, from, to }: RequestFilter): SqlQuery {
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

export function createIsSelected(filter: RequestFilter): (request: ListedRequest) => boolean {
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
export function readCursor(text: string | undefined): Place | null {
  const [, no, index] = /^(\d{1,15})\.(\d{1,6})$/.exec(text ?? "") ?? [];
  return no === undefined ? null : { no: Number(no), index: Number(index) };
}

const comparePlaces = (a: Place | null, b: Place): number =>
  a === null ? 0 : a.no - b.no || a.index - b.index;
