import type { RequestSummaryView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { SUMMARY_REQUESTS_MAX } from "#limits.ts";
import { service } from "../page-facts.ts";
import type { Filters, Search } from "./filters.ts";
import type { useRequestSummary } from "./live.ts";
import { durations, percent } from "./request-text.ts";

type Sums = RequestSummaryView["tools"][number];

/**
 * Success rate and latency of each tool, for the requests that the filters select. Each tool is a button that filters by it. All tools
 * are listed before the response is there, so that the list below does not move.
 */
export function SummaryStrip(props: {
  query: ReturnType<typeof useRequestSummary>;
  filters: Filters;
  onChoose: (change: Search) => void;
}) {
  const { query, filters } = props;
  const sums = new Map((query.data?.tools ?? []).map((each) => [each.tool, each]));
  const tools = [...new Set([...service().tools.map(({ name }) => name), ...sums.keys()])];
  return (
    <section className="tb-log-summary" aria-label="Success rate and latency by tool">
      <Totals
        tools={[...sums.values()]}
        isLoading={query.data === undefined}
        failed={query.isError}
      />
      <ul aria-busy={query.data === undefined && !query.isError}>
        {tools.map((tool) => (
          <li key={tool}>
            <button
              type="button"
              aria-pressed={filters.tool === tool}
              onClick={() => props.onChoose({ tool: filters.tool === tool ? "" : tool })}
            >
              <span className="tb-log-tool">{tool}</span>
              <ToolSums sums={sums.get(tool)} isLoading={query.data === undefined} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Totals(props: { tools: Sums[]; isLoading: boolean; failed: boolean }) {
  const requests = props.tools.reduce((sum, each) => sum + each.requests, 0);
  const errors = props.tools.reduce((sum, each) => sum + each.errors, 0);
  if (props.isLoading) return <p>{props.failed ? "The sums could not be loaded." : "Adding up"}</p>;
  if (requests === 0) return <p>No requests</p>;
  const newest = requests < SUMMARY_REQUESTS_MAX ? "" : "the newest ";
  return (
    <p>
      {percent(requests - errors, requests)} of {newest}
      {counted(requests, "request")} succeeded
    </p>
  );
}

function ToolSums({ sums, isLoading }: { sums: Sums | undefined; isLoading: boolean }) {
  if (sums === undefined || sums.requests === 0) {
    return (
      <>
        <span className="tb-log-rate">–</span>
        <span className="tb-log-latency">{isLoading ? "\u00a0" : "No requests"}</span>
      </>
    );
  }
  const { requests, errors, p50, p99 } = sums;
  return (
    <>
      <span className="tb-log-rate" data-tone={toneOf(sums)}>
        {percent(requests - errors, requests)}
        <small>of {formatNumber(requests)}</small>
      </span>
      <span className="tb-log-latency">
        {p50 === null || p99 === null ? "No latency" : durations(p50, p99)}
      </span>
    </>
  );
}

/** A few errors are the ordinary life of an API. */
const toneOf = ({ requests, errors }: Sums) => {
  if (errors / requests <= 0.01) return "ok";
  return errors / requests > 0.05 ? "bad" : "warn";
};
