import type { EdgeOptions, Run, Times, TotalsRow } from "./edge.ts";
import { STEP_NAMES, type Step } from "./edge-steps.ts";
import { medianOf, showSpread, showTable, spreadOf } from "./report.ts";

/** Formats the results of the part `edge`, with their targets. */
type Who = "bare" | "smallest" | "free" | "own";
export type EdgeRuns = Record<Who, Run>;
export type EdgeRow = {
  name: string;
  connections: number;
  runs: EdgeRuns[];
  times: Record<Who, Times>;
};
export type StepRow = { step: Step; cpuMicros: number };
export type EdgeReport = {
  options: EdgeOptions;
  rows: EdgeRow[];
  steps: StepRow[];
  totals: TotalsRow[];
};

const CPU_AIM = 2;
const P99_AIM = 1.5;

const amount = (row: EdgeRow, of: (runs: EdgeRuns) => number, digits: number) =>
  medianOf(row.runs.map(of)).toFixed(digits);
const spread = (row: EdgeRow, of: (runs: EdgeRuns) => number) =>
  showSpread(spreadOf(row.runs.map(of)), 2);

const p99Ratio = ({ times }: EdgeRow) => times.own.p99 / times.smallest.p99;

export function showEdge({ options, rows, steps, totals }: EdgeReport): string {
  const { rounds, seconds } = options;
  const busy = rows.filter(({ connections }) => connections > 1);
  return [
    `Edge: workerd, ${rounds} rounds of ${seconds} s. ours: Toolbooth; free: Toolbooth without the debit; smallest: the smallest metered Worker, with Toolbooth's tools`,
    "CPU time of the process per call in µs, 10 connections (4 with 100 KB)",
    showTable(
      ["call", "bare", "smallest", "free", "ours", "ours/bare", "ours/smallest", "free/bare"],
      busy.map((row) => [
        row.name,
        amount(row, ({ bare }) => bare.cpuMicros, 0),
        amount(row, ({ smallest }) => smallest.cpuMicros, 0),
        amount(row, ({ free }) => free.cpuMicros, 0),
        amount(row, ({ own }) => own.cpuMicros, 0),
        spread(row, ({ own, bare }) => own.cpuMicros / bare.cpuMicros),
        spread(row, ({ own, smallest }) => own.cpuMicros / smallest.cpuMicros),
        spread(row, ({ free, bare }) => free.cpuMicros / bare.cpuMicros),
      ]),
    ),
    "Time of a call on loopback in ms, and calls per second",
    showTable(
      [
        "call",
        "conns",
        "smallest p50",
        "ours",
        "smallest p99",
        "ours",
        "ratio",
        "smallest/s",
        "ours/s",
      ],
      rows.map((row) => [
        row.name,
        String(row.connections),
        row.times.smallest.p50.toFixed(2),
        row.times.own.p50.toFixed(2),
        row.times.smallest.p99.toFixed(2),
        row.times.own.p99.toFixed(2),
        p99Ratio(row).toFixed(2),
        amount(row, ({ smallest }) => smallest.perSecond, 0),
        amount(row, ({ own }) => own.perSecond, 0),
      ]),
    ),
    "CPU time of a hash call by step in µs, 10 connections",
    showTable(
      ["step", "total", "added"],
      steps.map(({ step, cpuMicros }, i) => [
        STEP_NAMES[step],
        cpuMicros.toFixed(0),
        (cpuMicros - (steps[i - 1]?.cpuMicros ?? 0)).toFixed(0),
      ]),
    ),
    ...showAims(rows, busy),
    ...totals.map(
      ({ name, responded, recorded, ok }) =>
        `Ledger of ${name}: ${responded} responses and ${recorded} debits after SIGKILL. ${ok ? "It reconciles" : "IT DOES NOT RECONCILE"}.`,
    ),
  ].join("\n");
}

function showAims(rows: EdgeRow[], busy: EdgeRow[]): string[] {
  const worst = (among: EdgeRow[], ratioOf: (row: EdgeRow) => number) =>
    among
      .map((row) => ({ ratio: ratioOf(row), row }))
      .reduce((most, one) => (one.ratio > most.ratio ? one : most));
  const cpu = worst(busy, ({ runs }) =>
    medianOf(runs.map(({ own, smallest }) => own.cpuMicros / smallest.cpuMicros)),
  );
  const p99 = worst(rows, p99Ratio);
  const line = (aim: string, max: number, { ratio, row }: ReturnType<typeof worst>) =>
    `${ratio <= max ? "reached" : "missed "}  ${aim} at most ${max} times that of the smallest metered Worker: ${ratio.toFixed(2)} (${row.name}, connections ${row.connections})`;
  return [line("CPU", CPU_AIM, cpu), line("p99", P99_AIM, p99)];
}
