/** Formats of numbers, days and time spans. Everything is in UTC. */
/**
 * Written out, because each `Intl` format takes a slow phone 10 to 20 ms to make, while the first render waits. The texts are those of
 * `en-GB` for times and `en-US` for numbers.
 */
const MONTHS = [
  "Jan",
  "Feb",
  "Mar",
  "Apr",
  "May",
  "Jun",
  "Jul",
  "Aug",
  "Sept",
  "Oct",
  "Nov",
  "Dec",
];

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** `2,000`. */
export const formatNumber = (value: number): string =>
  Number.isSafeInteger(value)
    ? String(value).replace(/\B(?=(?:\d{3})+$)/g, ",")
    : value.toLocaleString("en-US");

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
export const shortDay = (day: number | string): string => {
  const date = new Date(day);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
};

/** Formats a time or an ISO day as `21 Nov 2026`. */
export const longDay = (day: number | string): string =>
  `${shortDay(day)} ${new Date(day).getUTCFullYear()}`;

/** Formats a time as `22:26:03`. */
export const secondOf = (at: number): string => new Date(at).toISOString().slice(11, 19);

/** `21 Nov 2026, 22:26 UTC`, in every time zone and locale. */
export const timeText = (at: number): string => `${longDay(at)}, ${secondOf(at).slice(0, 5)} UTC`;

/** `22:26:03 UTC`, for what happened a moment ago. */
export const clockText = (at: number): string => `${secondOf(at)} UTC`;

/** `in 12 days`, `3 hours ago`: whole days from two days on, whole hours below that, rounded towards zero. */
export function relative(at: number, now: number): string {
  const span = at - now;
  if (Math.abs(span) >= 2 * DAY_MS) return inOrAgo(span, DAY_MS, "day");
  if (Math.abs(span) >= HOUR_MS) return inOrAgo(span, HOUR_MS, "hour");
  return span > 0 ? "in less than an hour" : "less than an hour ago";
}

function inOrAgo(span: number, unitMs: number, unit: string): string {
  const text = counted(Math.trunc(Math.abs(span) / unitMs), unit);
  return span > 0 ? `in ${text}` : `${text} ago`;
}
