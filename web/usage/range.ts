import { USAGE_DAYS_MAX } from "#limits.ts";
import { DAY_MS, dayOf, isDay } from "../parts/numbers.ts";

/** A range of whole UTC days, both inclusive, such as `2026-11-21`. */
export type Range = { from: string; to: string };

export const PRESETS = [7, 30, 90] as const;

/** The last `days` days, including today. */
export const lastDays = (days: number, now: number): Range => ({
  from: dayOf(now - (days - 1) * DAY_MS),
  to: dayOf(now),
});

const daysIn = ({ from, to }: Range): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** Every day of the range, oldest first, because the chart also shows days without calls. */
export const daysOf = (range: Range): string[] =>
  Array.from({ length: daysIn(range) }, (_, index) =>
    dayOf(Date.parse(range.from) + index * DAY_MS),
  );

/** Returns a sentence about what is wrong with a custom range, or null if it is valid. */
export function rangeError({ from, to }: Range, now: number): string | null {
  if (!isDay(from)) return "Enter the first day.";
  if (!isDay(to)) return "Enter the last day.";
  if (from > to) return "The first day must not be after the last day.";
  if (from > dayOf(now)) return "The first day must not be in the future (UTC).";
  if (daysIn({ from, to }) > USAGE_DAYS_MAX) {
    return `Choose a range of at most ${USAGE_DAYS_MAX} days.`;
  }
  return null;
}
