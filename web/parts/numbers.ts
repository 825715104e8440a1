/** Formats of numbers, days and time spans. Everything is in UTC. */
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
const DAY_AND_MINUTE = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: "UTC" });

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const formatNumber = (value: number): string => GROUPED.format(value);

/** `1 call`, `2,000 calls`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;

/** Uses `+` or U+2212, the minus sign that screen readers announce. */
export function signed(value: number): string {
  if (value === 0) return "0";
  return value > 0 ? `+${formatNumber(value)}` : `\u2212${formatNumber(-value)}`;
}

/** Formats a time as `2026-11-21`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Formats a time or an ISO day as `21 Nov`. */
export const shortDay = (day: number | string): string => SHORT_DAY.format(new Date(day));

/** Formats a time or an ISO day as `21 Nov 2026`. */
export const longDay = (day: number | string): string => LONG_DAY.format(new Date(day));

/** `21 Nov 2026, 22:26 UTC`, in every time zone and locale. */
export const timeText = (at: number): string => `${DAY_AND_MINUTE.format(at)} UTC`;

/** `22:26:03 UTC`, for what happened a moment ago. */
export const clockText = (at: number): string => `${CLOCK.format(at)} UTC`;

/** `in 12 days`, `3 hours ago`: whole days from two days on, whole hours below that, rounded towards zero. */
export function relative(at: number, now: number): string {
  const span = at - now;
  if (Math.abs(span) >= 2 * DAY_MS) return RELATIVE.format(Math.trunc(span / DAY_MS), "day");
  if (Math.abs(span) >= HOUR_MS) return RELATIVE.format(Math.trunc(span / HOUR_MS), "hour");
  return span > 0 ? "in less than an hour" : "less than an hour ago";
}
