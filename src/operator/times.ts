import { DAY_MS } from "#limits.ts";

/** Times as operators type and read them, in UTC. */

export const instant = (at: number): string => new Date(at).toISOString();
export const instantOrNull = (at: number | null): string | null =>
  at === null ? null : instant(at);
export const dayOf = (at: number): string => instant(at).slice(0, 10);

/** Returns the first millisecond of a date such as 2027-01-31, or undefined if it is not a date. */
export function startOfDay(day: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) || dayOf(at) !== day ? undefined : at;
}

/** Returns the end, exclusive: a given time itself, or the midnight after a given date. Undefined if the text is neither. */
export function endOf(text: string): number | undefined {
  const start = startOfDay(text);
  return start === undefined ? instantIn(text) : start + DAY_MS;
}

/** Without an offset, the text would mean a different time on each machine. */
function instantIn(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i.exec(text);
  if (match === null || startOfDay(match[1] as string) === undefined) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
