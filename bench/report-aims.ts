import { table } from "#site/docs/markdown.ts";
import type { HeadOfLineReport } from "./head-of-line.ts";
import type { MarkdownReport } from "./markdown.ts";
import type { QrReport } from "./qr.ts";
import { round } from "./report.ts";
import type { SavedResults } from "./report-page.ts";
import type { ThroughputReport, ThroughputRow } from "./throughput.ts";

/** What we aim for, and what the saved results reached. */
type AimRow = { aim: string; result: string; isReached: boolean };

const SHARE_OF_BARE_MIN = 0.6;
const CPU_OF_BARE_MAX = 1.7;
const MICROS_BEYOND_ENGINE_MAX = 15;
const OVER_EXPRESS_MIN = 6;
const OVER_EXPRESS_AT_100_KB_MIN = 20;
const P99_RATIO_MAX = 4;
const SMALL = /^(?:hash|uuid|echo)/;
const LARGE_MARKDOWN = "markdown-render, 100 KB";

/** Returns a table of the aims whose parts were measured, as Markdown; empty if there are none. */
export function aimsOf(results: SavedResults): string {
  const resultOf = <Result>(part: string) => results[part]?.result as Result | undefined;
  const rows: AimRow[] = [
    ...throughputAims(resultOf<ThroughputReport>("throughput")?.rows ?? []),
    ...headOfLineAims(resultOf<HeadOfLineReport>("head-of-line")),
    ...engineAims("Markdown engine", resultOf<MarkdownReport>("markdown")?.aims),
    ...engineAims("QR code engine", resultOf<QrReport>("qr")?.aims),
  ];
  if (rows.length === 0) return "";
  return table(
    ["Goal", "Result", "Status"],
    rows.map(({ aim, result, isReached }) => [aim, result, isReached ? "reached" : "missed"]),
  );
}

function throughputAims(rows: readonly ThroughputRow[]): AimRow[] {
  if (rows.length === 0) return [];
  const small = rows.filter(({ name }) => SMALL.test(name));
  const engines = rows.filter(({ name }) => !SMALL.test(name));
  // Large documents run on other threads, whose cost depends on the document.
  const beyond = engines.filter(({ name }) => name !== LARGE_MARKDOWN);
  const shares = small.map(({ ofBare }) => ofBare.throughput.median);
  const costs = small.map(({ ofBare }) => ofBare.cpu.median);
  const micros = beyond.map(({ cpuMicros }) => cpuMicros.toolbooth - cpuMicros.bare);
  const times = (row: ThroughputRow) => row.overUsual["express"]?.throughput.median ?? Number.NaN;
  const large = rows.filter(({ name }) => name === LARGE_MARKDOWN).map(times);
  return [
    atLeast(`hash, uuid and echo: calls per second of bare node:http`, shares, SHARE_OF_BARE_MIN),
    atMost(`hash, uuid and echo: CPU time of bare node:http`, costs, CPU_OF_BARE_MAX),
    atMost(
      `Markdown of 1 KB and QR codes: CPU µs beyond bare node:http with the same engine`,
      micros,
      MICROS_BEYOND_ENGINE_MAX,
    ),
    atLeast(`Every call: times the calls per second of Express`, rows.map(times), OVER_EXPRESS_MIN),
    atLeast(`Markdown of 100 KB: times Express`, large, OVER_EXPRESS_AT_100_KB_MIN),
  ];
}

const headOfLineAims = (report: HeadOfLineReport | undefined): AimRow[] =>
  report === undefined
    ? []
    : [
        atMost(
          "Small calls beside documents of 1 MB: p99 relative to idle",
          [report.p99Ratio.median],
          P99_RATIO_MAX,
        ),
      ];

const engineAims = (engine: string, aims: MarkdownReport["aims"] = []): AimRow[] =>
  aims.map(({ aim, reached, amount }) => ({
    aim: `${engine}: ${aim}`,
    result: String(amount),
    isReached: reached,
  }));

/** A goal that holds for all values counts as reached only if the worst one reaches it. */
function atLeast(aim: string, values: readonly number[], min: number): AimRow {
  return {
    aim: `${aim}: at least ${min}`,
    result: rangeOf(values),
    isReached: Math.min(...values) >= min,
  };
}

function atMost(aim: string, values: readonly number[], max: number): AimRow {
  return {
    aim: `${aim}: at most ${max}`,
    result: rangeOf(values),
    isReached: Math.max(...values) <= max,
  };
}

function rangeOf(values: readonly number[]): string {
  const [min, max] = [round(Math.min(...values), 2), round(Math.max(...values), 2)];
  return min === max ? String(min) : `${min} to ${max}`;
}
