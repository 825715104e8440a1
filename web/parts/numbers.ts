import { counted, formatNumber } from "#counted.ts";

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

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Separators may stand before three digits, so that 2.5 is not read as 25. */
const WHOLE_NUMBER = /^\d+(?:[\s,._'’]\d{3})*$/;

/** The whole number that was typed; null for anything else. */
export function wholeNumberIn(text: string): number | null {
  const value = Number(text.replace(/\D/g, ""));
  return WHOLE_NUMBER.test(text.trim()) && Number.isSafeInteger(value) ? value : null;
}

/** More credits a month than any pack is meant for, and few enough digits for a sentence. */
const NEED_MAX = 1_000_000_000;
export const NO_NEED = `Enter a whole number from 1 to ${formatNumber(NEED_MAX)}.`;

/** How many credits a month somebody needs; null for what is not a number of them. */
export function needIn(text: string): number | null {
  const credits = wholeNumberIn(text);
  return credits !== null && credits >= 1 && credits <= NEED_MAX ? credits : null;
}

/** Uses `+` or U+2212, the minus sign that screen readers announce. */
export function signed(value: number): string {
  if (value === 0) return "0";
  return value > 0 ? `+${formatNumber(value)}` : `\u2212${formatNumber(-value)}`;
}

/** Formats a time as `2026-11-21`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Whether a text is a day that exists, such as `2026-11-21`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.slice(0, 10) === text;

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

/** `in 12 days`, for what is to come. */
export const timeUntil = (at: number, now: number): string => `in ${spanOf(at - now)}`;

/** `3 hours ago`, for what has happened. The clock of the service may be ahead of the browser's. */
export const timeSince = (at: number, now: number): string =>
  now - at < MINUTE_MS ? "just now" : `${spanOf(now - at)} ago`;

/**
 * `12 days`, `3 hours`: days from two days on, hours below that. Rounded to the nearest one, so that what lasts 90 days ends in
 * 90 days a minute later. Every span of time on a page is rounded like this.
 */
function spanOf(ms: number): string {
  const hours = Math.round(ms / HOUR_MS);
  if (hours < 1) return "less than an hour";
  return hours < 48 ? counted(hours, "hour") : counted(Math.round(ms / DAY_MS), "day");
}
