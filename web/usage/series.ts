import type { Bar, BarSeries } from "../parts/axis.ts";
import type { Row, UsageSums } from "./breakdown.ts";
import { daysOf, type Range } from "./range.ts";

/** The data of the stacked bar chart: the calls of each series on each day of the range. */
type ChartData = { series: BarSeries[]; bars: Bar[] };

/** More series could not be told apart in one bar. The others are summed in the last one; the table has them all. */
const SERIES_MAX = 6;

export function chartData(
  rows: Row[],
  range: Range,
  split: "tool" | "key",
  titleOf: (id: string) => string,
): ChartData {
  const totals = new Map<string, number>();
  for (const row of rows) totals.set(row[split], (totals.get(row[split]) ?? 0) + row.calls);
  const ranked = [...totals].sort((one, other) => other[1] - one[1]).map(([id]) => id);
  const fitsAll = ranked.length <= SERIES_MAX;
  const shown = fitsAll ? ranked : ranked.slice(0, SERIES_MAX - 1);
  const series = shown.map((id, pattern) => ({ title: titleOf(id), pattern }));
  if (!fitsAll) {
    series.push({ title: `${ranked.length - shown.length} others`, pattern: SERIES_MAX - 1 });
  }
  const partOf = new Map(shown.map((id, part) => [id, part]));
  const days = new Map<string, number[]>(daysOf(range).map((day) => [day, series.map(() => 0)]));
  for (const row of rows) {
    const values = days.get(row.day);
    const part = partOf.get(row[split]) ?? SERIES_MAX - 1;
    if (values !== undefined) values[part] = (values[part] ?? 0) + row.calls;
  }
  return { series, bars: [...days].map(([day, values]) => ({ day, values })) };
}

/** The day with the most calls, for the text alternative of the chart. */
export function busiestDay(rows: Row[]): ({ day: string } & Pick<UsageSums, "calls">) | null {
  const days = new Map<string, number>();
  for (const { day, calls } of rows) days.set(day, (days.get(day) ?? 0) + calls);
  let most: { day: string; calls: number } | null = null;
  for (const [day, calls] of days) if (calls > (most?.calls ?? 0)) most = { day, calls };
  return most;
}
