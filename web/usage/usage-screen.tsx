import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import type { UsageView } from "#api/dashboard/shapes.ts";
import { formatNumber, longDay } from "../parts/numbers.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { Empty, LoadingBlock } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useUsage } from "../queries.ts";
import { filterRows, GROUPINGS, linesOf, type Row, sum, type UsageSums } from "./breakdown.ts";
import type { Choices } from "./choices.ts";
import { csvOf } from "./csv.ts";
import type { Range } from "./range.ts";
import { busiestDay, chartData } from "./series.ts";
import { UsageControls } from "./usage-controls.tsx";
import { UsageTable } from "./usage-table.tsx";
import "./usage.css";
import { useChoices } from "./use-choices.ts";

/** With its library it is larger than all the rest of the screen, and nobody has to wait for it. */
const UsageChart = lazy(() => import("./usage-chart.tsx"));
const CHART_BLOCK_HEIGHT = 316;

export default function UsageScreen() {
  // One moment for the whole visit: a span must not move while somebody reads it.
  const [now] = useState(() => Date.now());
  const [choices, choose] = useChoices(now);
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
  // Without a filter the figures are the ledger's own; their parts add up to them.
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
          The table has the same figures as the chart. A free first call counts as a call of no
          credits; failed calls are free and not counted here.
        </Text>
        <Button
          variant="default"
          onClick={() =>
            download(csvOf(lines, choices.grouping, labelOf), `usage-${view.from}-${view.to}.csv`)
          }
        >
          Download CSV
        </Button>
      </div>
      <UsageTable
        // Another way to look starts at the top again.
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
  const most = busiestDay(rows);
  const peak = most === null ? "" : ` Most on ${longDay(most.day)}: ${formatNumber(most.calls)}.`;
  const label = `Bar chart: calls a day by ${split}, ${spanText(view)}.${peak} The table below has the same figures.`;
  return (
    <Suspense
      fallback={
        <div className="tb-chart">
          <LoadingBlock height={CHART_BLOCK_HEIGHT} />
        </div>
      }
    >
      <UsageChart data={data} label={label} />
    </Suspense>
  );
}

function Totals({ totals, range }: { totals: UsageSums; range: Range }) {
  return (
    <>
      <dl className="tb-usage-totals">
        <div>
          <dt>Calls</dt>
          <dd>{formatNumber(totals.calls)}</dd>
        </div>
        <div>
          <dt>Credits</dt>
          <dd>{formatNumber(totals.credits)}</dd>
        </div>
      </dl>
      <Text size="sm" c="dimmed">
        {spanText(range)}, whole days in UTC
      </Text>
    </>
  );
}

function NoCalls({ view, choices }: { view: UsageView; choices: Choices }) {
  if (view.rows.length > 0) {
    return (
      <Empty title="No calls match">
        There were calls in these days ({spanText(view)}), but none with this tool and key. Choose
        others above.
      </Empty>
    );
  }
  return (
    <Empty
      title={choices.span === "custom" ? "No calls on these days" : "No calls yet"}
      action={
        <Button component={Link} to="/home">
          See how to make a call
        </Button>
      }
    >
      Nothing was called in the days shown: {spanText(view)} (UTC). Calls appear here as soon as
      they are made.
    </Empty>
  );
}

const spanText = ({ from, to }: Range) =>
  from === to ? longDay(from) : `${longDay(from)} to ${longDay(to)}`;

/** Labels may be the same for several keys: then the start of the key tells them apart. */
function keyTitles({ keys }: UsageView): (id: string) => string {
  return (id) => {
    const key = keys.find((candidate) => candidate.id === id);
    if (key === undefined) return id;
    const alone = keys.filter(({ label }) => label === key.label).length === 1;
    const name = alone ? key.label : `${key.label} (${key.start}…)`;
    return key.revokedAt === null ? name : `${name}, revoked`;
  };
}

function download(text: string, name: string): void {
  // Spreadsheets take a table without this mark for one in the machine's old character set.
  const url = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has its copy once the download has begun.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
