import { VisuallyHidden } from "@mantine/core";
import { type KeyboardEvent, type PointerEvent, useId, useState } from "react";
import { formatNumber } from "#counted.ts";
import { type Bar, type BarSeries, countTicks, hasLabel } from "./axis.ts";
import { longDay, shortDay } from "./numbers.ts";
import { PatternDefinitions, Swatch } from "./pattern.tsx";
import "./chart.css";

/** How many labels of days fit below the bars, by the width of the chart (chart.css). */
const LABELS = { wide: 14, medium: 7, narrow: 4 } as const;
/** The part of its slot that a bar fills. Few bars would be too wide otherwise. */
const barFill = (count: number): number => Math.min(0.7, 0.06 * count);

/**
 * Stacked bars by day, as one SVG whose coordinates are percentages, so that it needs no measuring and no script to fit its
 * width. Pointing at a day, or an arrow key, shows its values. `label` is the text alternative; the page shows the same data as a table.
 */
export function BarChart(props: {
  label: string;
  series: readonly BarSeries[];
  bars: readonly Bar[];
}) {
  const { label, series, bars } = props;
  const name = `p${useId().replace(/\W/g, "")}`;
  const [chosen, setChosen] = useState<number | null>(null);
  const ticks = countTicks(Math.max(0, ...bars.map(({ values }) => sumOf(values))));
  const chosenBar = chosen === null ? undefined : bars[chosen];

  const point = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * bars.length);
    setChosen(Math.min(bars.length - 1, Math.max(0, at)));
  };
  const press = (event: KeyboardEvent) => {
    const next = nextBar(event.key, chosen, bars.length);
    if (next === undefined) return;
    event.preventDefault();
    setChosen(next);
  };
  return (
    <figure className="tb-chart">
      <div className="tb-chart-frame">
        <div className="tb-chart-ticks" aria-hidden="true">
          {ticks.toReversed().map((tick) => (
            <span key={tick}>{formatNumber(tick)}</span>
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls */}
        <div
          className="tb-chart-plot"
          role="group"
          aria-label="Chart: the arrow keys show the values of a day"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys show the values of a day
          tabIndex={0}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setChosen(null)}
          onKeyDown={press}
          onBlur={() => setChosen(null)}
        >
          <svg role="img" aria-label={label} width="100%" height="100%">
            <PatternDefinitions name={name} />
            <Bars name={name} series={series} bars={bars} ticks={ticks} chosen={chosen} />
          </svg>
          {chosenBar !== undefined && (
            <Values
              name={name}
              bar={chosenBar}
              series={series}
              at={(((chosen ?? 0) + 0.5) / bars.length) * 100}
            />
          )}
          <VisuallyHidden role="status">
            {chosenBar === undefined ? "" : valuesText(chosenBar, series)}
          </VisuallyHidden>
        </div>
        <Days bars={bars} />
      </div>
      <figcaption>
        <ul className="tb-legend" aria-label="Legend">
          {series.map(({ title, pattern }) => (
            <li key={title}>
              <Swatch name={name} pattern={pattern} />
              <span>{title}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0);

/** Undefined for a key that does nothing here; null: no bar. */
function nextBar(key: string, at: number | null, count: number): number | null | undefined {
  if (key === "ArrowLeft") return Math.max(0, (at ?? count) - 1);
  if (key === "ArrowRight") return Math.min(count - 1, (at ?? -1) + 1);
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return key === "Escape" ? null : undefined;
}

function Bars(props: {
  name: string;
  series: readonly BarSeries[];
  bars: readonly Bar[];
  ticks: number[];
  chosen: number | null;
}) {
  const { bars, ticks, chosen } = props;
  const top = ticks.at(-1) ?? 1;
  const slot = 100 / bars.length;
  const width = slot * barFill(bars.length);
  const heightOf = (value: number) => (value / top) * 100;
  return (
    <>
      {chosen !== null && (
        <rect className="tb-chart-slot" x={`${chosen * slot}%`} width={`${slot}%`} height="100%" />
      )}
      {ticks.map((tick) => (
        <line
          key={tick}
          className="tb-chart-line"
          x1="0"
          x2="100%"
          y1={`${100 - heightOf(tick)}%`}
          y2={`${100 - heightOf(tick)}%`}
        />
      ))}
      <g className="tb-chart-bars">
        {bars.flatMap(({ day, values }, index) =>
          props.series.map(({ title, pattern }, part) => {
            const height = heightOf(values[part] ?? 0);
            if (height === 0) return null;
            const below = heightOf(sumOf(values.slice(0, part)));
            return (
              <rect
                key={`${day} ${title}`}
                x={`${index * slot + (slot - width) / 2}%`}
                y={`${100 - below - height}%`}
                width={`${width}%`}
                height={`${height}%`}
                fill={`url(#${props.name}-${pattern})`}
              />
            );
          }),
        )}
      </g>
    </>
  );
}

/** The days below the bars; chart.css shows as many as fit. */
function Days({ bars }: { bars: readonly Bar[] }) {
  const count = bars.length;
  return (
    <div className="tb-chart-days" aria-hidden="true">
      {bars.map(({ day }, index) => {
        const widths = Object.entries(LABELS).filter(([, max]) => hasLabel(index, count, max));
        if (widths.length === 0) return null;
        // The last label would leave the chart if its bar is narrow.
        const isEnd = index === count - 1 && count > LABELS.wide;
        const at = isEnd ? 100 : ((index + 0.5) / count) * 100;
        return (
          <span
            key={day}
            data-at={widths.map(([width]) => width).join(" ")}
            data-end={isEnd}
            style={{ left: `${at}%` }}
          >
            {shortDay(day)}
          </span>
        );
      })}
    </div>
  );
}

/** The values of the chosen day, beside its bar. */
function Values(props: { name: string; bar: Bar; series: readonly BarSeries[]; at: number }) {
  const { bar, series, at } = props;
  const side = at < 50 ? { left: `${at}%` } : { right: `${100 - at}%` };
  return (
    <div className="tb-chart-values" style={side} aria-hidden="true">
      <strong>{longDay(bar.day)}</strong>
      {series.map(({ title, pattern }, part) => (
        <div key={title}>
          <Swatch name={props.name} pattern={pattern} />
          <span>{title}</span>
          <span className="tb-numeric">{formatNumber(bar.values[part] ?? 0)}</span>
        </div>
      ))}
    </div>
  );
}

const valuesText = ({ day, values }: Bar, series: readonly BarSeries[]): string =>
  `${longDay(day)}: ${series.map(({ title }, part) => `${title} ${formatNumber(values[part] ?? 0)}`).join(", ")}`;
