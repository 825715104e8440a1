/** Numbers, days and spans as a person reads them. Everything is in UTC. */
const GROUPED = new Intl.NumberFormat("en-US");
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "always" });
const SHORT_DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});
const LONG_DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const formatNumber = (value: number): string => GROUPED.format(value);

/** `1 call`, `2,000 calls`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;

/** The sign is a character that screen readers say: a plus, or a real minus. */
export function signed(value: number): string {
  if (value === 0) return "0";
  return value > 0 ? `+${formatNumber(value)}` : `\u2212${formatNumber(-value)}`;
}

/** `2026-11-21` of a moment. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** `21 Nov` of a moment or of `2026-11-21`. */
export const shortDay = (day: number | string): string => SHORT_DAY.format(new Date(day));

/** `21 Nov 2026` of a moment or of `2026-11-21`. */
export const longDay = (day: number | string): string => LONG_DAY.format(new Date(day));

/** `in 12 days`, `3 hours ago`: whole days from two days on, whole hours below, never more than there is. */
export function relative(at: number, now: number): string {
  const span = at - now;
  if (Math.abs(span) >= 2 * DAY_MS) return RELATIVE.format(Math.trunc(span / DAY_MS), "day");
  if (Math.abs(span) >= HOUR_MS) return RELATIVE.format(Math.trunc(span / HOUR_MS), "hour");
  return span > 0 ? "in less than an hour" : "less than an hour ago";
}
