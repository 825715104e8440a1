/** What a bar chart shows, and the ticks of its axes. In a file without JSX, so that modules tested in Node can import it. */

/** `pattern` is an index of `PATTERNS` (pattern.tsx). */
export type BarSeries = { title: string; pattern: number };
/** One day, as `2026-11-21`, with a value for each series. */
export type Bar = { day: string; values: readonly number[] };

/** Ticks of an axis of counts: 0, then equal steps of 1, 2 or 5 times a power of ten, up to `max` or a little more. */
export function countTicks(max: number, stepsMax = 4): number[] {
  const rough = Math.max(1, max) / stepsMax;
  const power = 10 ** Math.floor(Math.log10(rough));
  // Calls are whole numbers, so no step is below 1.
  const step = Math.max(1, ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power);
  const steps = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/**
 * Whether the bar at `index` of `count` has a label if at most `labelsMax` fit. They are evenly spaced, and the last bar has one,
 * because it is the newest.
 */
export function hasLabel(index: number, count: number, labelsMax: number): boolean {
  return (count - 1 - index) % Math.ceil(count / labelsMax) === 0;
}
