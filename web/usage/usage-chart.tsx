import { BarChart } from "@mantine/charts";
import "@mantine/charts/styles.css";
import { useId } from "react";
import { formatNumber, longDay, shortDay } from "../parts/numbers.ts";
import { PatternDefinitions, Swatch } from "./pattern.tsx";
import type { ChartData } from "./series.ts";

export const CHART_HEIGHT = 260;

/**
 * The calls of each day as stacked bars, without animation. Screen readers get the sentence in `label` instead; the table
 * below has the same data.
 */
export default function UsageChart({ data, label }: { data: ChartData; label: string }) {
  const name = `p${useId().replace(/\W/g, "")}`;
  return (
    <figure className="tb-chart">
      <div role="img" aria-label={label}>
        <BarChart
          h={CHART_HEIGHT}
          data={data.days}
          dataKey="day"
          type="stacked"
          series={data.series.map(({ id, title, pattern }) => ({
            name: id,
            label: title,
            color: `var(--tb-series-${pattern})`,
          }))}
          barProps={({ name: id }) => {
            const pattern = data.series.find((series) => series.id === id)?.pattern ?? 0;
            return { fill: `url(#${name}-${pattern})`, isAnimationActive: false };
          }}
          maxBarWidth={36}
          accessibilityLayer={false}
          valueFormatter={formatNumber}
          tickLine="none"
          gridProps={{ strokeDasharray: "none" }}
          xAxisProps={{ tickFormatter: (day: string) => shortDay(day), minTickGap: 28 }}
          yAxisProps={{ allowDecimals: false, width: 56 }}
          tooltipProps={{
            labelFormatter: (day) => (day === undefined ? "" : longDay(String(day))),
            isAnimationActive: false,
          }}
        >
          <PatternDefinitions name={name} />
        </BarChart>
      </div>
      <figcaption>
        <ul className="tb-legend" aria-label="Legend">
          {data.series.map(({ id, title, pattern }) => (
            <li key={id}>
              <Swatch name={`${name}l${pattern}`} pattern={pattern} />
              <span>{title}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
