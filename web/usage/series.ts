import type { Row, UsageSums } from "./breakdown.ts";
import { daysOf, type Range } from "./range.ts";

/** The data of the stacked bar chart: the calls of each series on each day of the range. */
export type Series = { id: string; title: string; pattern: number };
export type ChartData = {
  series: Series[];
  days: ({ day: string } & Record<string, number | string>)[];
};

/** More series could not be told apart in one bar. The others are summed in the last one; the table has them all. */
const SERIES_MAX = 6;
const REST = "rest";

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
  const series = shown.map((id, pattern) => ({ id: `s${pattern}`, title: titleOf(id), pattern }));
  if (!fitsAll) {
    const title = `${ranked.length - shown.length} others`;
    series.push({ id: REST, title, pattern: SERIES_MAX - 1 });
  }
  const seriesIds = new Map(shown.map((id, index) => [id, `s${index}`]));
  const zeros = Object.fromEntries(series.map(({ id }) => [id, 0]));
  const days = new Map(
    daysOf(range).map((day) => [day, { day, ...zeros } as ChartData["days"][0]]),
  );
  for (const row of rows) {
    const day = days.get(row.day);
    const id = seriesIds.get(row[split]) ?? REST;
    if (day !== undefined) day[id] = Number(day[id]) + row.calls;
  }
  return { series, days: [...days.values()] };
}

/** The day with the most calls, for the text alternative of the chart. */
export function busiestDay(rows: Row[]): ({ day: string } & Pick<UsageSums, "calls">) | null {
  const days = new Map<string, number>();
  for (const { day, calls } of rows) days.set(day, (days.get(day) ?? 0) + calls);
  let most: { day: string; calls: number } | null = null;
  for (const [day, calls] of days) if (calls > (most?.calls ?? 0)) most = { day, calls };
  return most;
}
