import { USAGE_DAYS_MAX } from "#limits.ts";
import { DAY_MS, dayOf } from "../parts/numbers.ts";

/** A span of whole UTC days, both ends included, as `2026-11-21`. */
export type Range = { from: string; to: string };

export const PRESETS = [7, 30, 90] as const;
export type Preset = (typeof PRESETS)[number];

/** The last days, today included. */
export const lastDays = (days: number, now: number): Range => ({
  from: dayOf(now - (days - 1) * DAY_MS),
  to: dayOf(now),
});

export const daysIn = ({ from, to }: Range): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** Every day of the span, oldest first: a chart shows the days without calls too. */
export const daysOf = (range: Range): string[] =>
  Array.from({ length: daysIn(range) }, (_, index) =>
    dayOf(Date.parse(range.from) + index * DAY_MS),
  );

/** What is wrong with a span that a person typed; null where it is good. */
export function rangeError({ from, to }: Range, now: number): string | null {
  if (!isDay(from)) return "Enter the first day.";
  if (!isDay(to)) return "Enter the last day.";
  if (from > to) return "The first day must not be after the last one.";
  if (from > dayOf(now)) return "The first day is in the future. Choose one up to today (UTC).";
  if (daysIn({ from, to }) > USAGE_DAYS_MAX) {
    return `Choose at most ${USAGE_DAYS_MAX} days at once.`;
  }
  return null;
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
