import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { UsageView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { useUsage } from "../member-queries.ts";
import { BarChart } from "../parts/chart.tsx";
import { saveFile } from "../parts/download.tsx";
import { Empty } from "../parts/empty-state.tsx";
import { useFilters } from "../parts/filters.tsx";
import { longDay } from "../parts/numbers.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingBlock } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { Fact } from "../parts/section.tsx";
import { filterRows, GROUPINGS, linesOf, type Row, sum, type UsageSums } from "./breakdown.ts";
import { type Change, type Choices, readChoices, withChange } from "./choices.ts";
import { csvOf } from "./csv.ts";
import type { Range } from "./range.ts";
import { busiestDay, chartData } from "./series.ts";
import { UsageControls } from "./usage-controls.tsx";
import { UsageTable } from "./usage-table.tsx";
import "./usage.css";

const CHART_BLOCK_HEIGHT = 290;

export default function UsageScreen() {
  // Fixed when the screen opens, so that the range does not shift while the user reads it.
  const [now] = useState(() => Date.now());
  const [search, choose] = useFilters<Change>("/usage", withChange);
  const choices = readChoices(search, now);
  const usage = useUsage(choices.range.from, choices.range.to);
  return (
    <>
      <PageTitle title="Usage" />
      <UsageControls choices={choices} view={usage.data ?? null} now={now} onChoose={choose} />
      <div className="tb-section">
        <QueryResult query={usage} loading={<UsageLoading />}>
          {(view) => <UsageTotals view={view} choices={choices} />}
        </QueryResult>
      </div>
    </>
  );
}

const UsageLoading = () => (
  <>
    <LoadingBlock height={62} />
    <div className="tb-chart">
      <LoadingBlock height={CHART_BLOCK_HEIGHT} />
    </div>
  </>
);

function UsageTotals({ view, choices }: { view: UsageView; choices: Choices }) {
  const rows = filterRows(view.rows, choices);
  if (rows.length === 0) return <NoCalls view={view} choices={choices} />;
  const filtered = choices.tool !== null || choices.key !== null;
  // Without a filter the totals are the ledger's own; the rows add up to them.
  const totals = filtered ? sum(rows) : view.totals;
  const titleOf = keyTitles(view);
  const lines = linesOf(rows, choices.grouping);
  const labelOf = (id: string) => view.keys.find((key) => key.id === id)?.label ?? "";
  return (
    <>
      <Totals totals={totals} range={view} />
      <Chart rows={rows} view={view} choices={choices} titleOf={titleOf} />
      <div className="tb-section-head tb-below-chart">
        <Text size="sm" c="dimmed">
          The table shows the same data as the chart. A free first call counts as a call for 0
          credits. Failed calls are free and not counted here: see{" "}
          <Link to="/requests" search={{ status: "errors" } as never}>
            Requests
          </Link>
          .
        </Text>
        <Button
          className="tb-screen-only"
          variant="default"
          onClick={() =>
            // Without a byte order mark, spreadsheets assume a legacy encoding.
            saveFile(
              `\ufeff${csvOf(lines, choices.grouping, labelOf)}`,
              "text/csv;charset=utf-8",
              `usage-${view.from}-${view.to}.csv`,
            )
          }
        >
          Download CSV
        </Button>
      </div>
      <UsageTable
        // A change of the filters resets how many lines are shown.
        key={`${view.from} ${view.to} ${choices.grouping} ${choices.tool} ${choices.key}`}
        lines={lines}
        grouping={choices.grouping}
        totals={totals}
        titleOf={titleOf}
      />
    </>
  );
}

function Chart(props: {
  rows: Row[];
  view: UsageView;
  choices: Choices;
  titleOf: (key: string) => string;
}) {
  const { rows, view } = props;
  const { split } = GROUPINGS[props.choices.grouping];
  const data = chartData(rows, view, split, split === "key" ? props.titleOf : (tool) => tool);
  const busiest = busiestDay(rows);
  const peak =
    busiest === null
      ? ""
      : ` Busiest day: ${longDay(busiest.day)} with ${counted(busiest.calls, "call")}.`;
  const label = `Bar chart of calls per day by ${split}, ${rangeText(view)}.${peak} The table below shows the same data.`;
  return <BarChart label={label} series={data.series} bars={data.bars} />;
}

function Totals({ totals, range }: { totals: UsageSums; range: Range }) {
  return (
    <>
      <dl className="tb-usage-totals">
        <Fact name="Calls">{formatNumber(totals.calls)}</Fact>
        <Fact name="Credits">{formatNumber(totals.credits)}</Fact>
      </dl>
      <Text size="sm" c="dimmed">
        {rangeText(range)}, full days in UTC
      </Text>
    </>
  );
}

function NoCalls({ view, choices }: { view: UsageView; choices: Choices }) {
  if (view.rows.length > 0) {
    return (
      <Empty icon="filter" title="No matching calls">
        There are calls in this period ({rangeText(view)}), but none with this tool and key. Change
        the filters above.
      </Empty>
    );
  }
  return (
    <Empty
      icon="usage"
      title={choices.span === "custom" ? "No calls in this period" : "No calls yet"}
      action={
        <Button component={Link} to="/home">
          Learn how to make a call
        </Button>
      }
    >
      You made no calls in this period: {rangeText(view)} (UTC). Calls appear here as soon as you
      make them.
    </Empty>
  );
}

const rangeText = ({ from, to }: Range) =>
  from === to ? longDay(from) : `${longDay(from)} to ${longDay(to)}`;

/** Adds the start of the key where several keys have the same label. */
function keyTitles({ keys }: UsageView): (id: string) => string {
  return (id) => {
    const key = keys.find((candidate) => candidate.id === id);
    if (key === undefined) return id;
    const isUnique = keys.filter(({ label }) => label === key.label).length === 1;
    const name = isUnique ? key.label : `${key.label} (${key.start}…)`;
    return key.revokedAt === null ? name : `${name}, revoked`;
  };
}
