import { formatCount, table } from "#site/docs/markdown.ts";
import type { DebitsReport } from "./debits.ts";
import type { GrowthPoint, GrowthReport } from "./growth.ts";
import type { HeadOfLineReport } from "./head-of-line.ts";
import type { LatencyReport, LatencyRow } from "./latency.ts";
import { PERCENTILES, SHARES } from "./latency.ts";
import type { MarkdownReport } from "./markdown.ts";
import type { MemoryReport } from "./memory.ts";
import { drawBars, drawLines } from "./plot.ts";
import type { QrReport } from "./qr.ts";
import { showSpread } from "./report.ts";
import type { Drawn } from "./report-page.ts";
import { CONTENDERS, type Contender, type ThroughputReport } from "./throughput.ts";

/** The sections of the page in their order, each drawn from the saved result of one part. */
export type Section = { part: string; draw(result: unknown): Drawn };

const LABELS: Record<Contender, string> = {
  bare: "bare node:http",
  toolbooth: "Toolbooth",
  express: "Express",
  fastify: "Fastify",
};
const NAMES = CONTENDERS.map((name) => LABELS[name]);
const image = (file: string, description: string) => `![${description}](benchmarks/${file})`;
const micros = (value: number) => formatCount(Number(value.toFixed(value < 100 ? 1 : 0)));

export const SECTIONS: readonly Section[] = [
  section("throughput", drawThroughput),
  section("latency", drawLatency),
  section("head-of-line", drawHeadOfLine),
  section("debits", drawDebits),
  section("growth", drawGrowth),
  section("memory", drawMemory),
  section("markdown", drawMarkdown),
  section("qr", drawQr),
];

function section<Result>(part: string, draw: (result: Result) => Drawn): Section {
  return { part, draw: (result) => draw(result as Result) };
}

function drawThroughput({ rows, rounds, seconds, totals }: ThroughputReport): Drawn {
  const shares = "Calls per second as a share of the bare server's, by call and contender.";
  const cpu = "CPU time per call in microseconds on a logarithmic scale, by call and contender.";
  const plots = {
    "throughput.svg": drawBars({
      title: "Calls per second, as a share of bare node:http",
      description: shares,
      series: NAMES,
      groups: rows.map(({ name, perSecond }) => ({
        name,
        values: CONTENDERS.map((one) => perSecond[one] / perSecond.bare),
      })),
      scale: "linear",
      format: (value) => value.toFixed(2),
    }),
    "cpu.svg": drawBars({
      title: "CPU µs per call (less is better)",
      description: cpu,
      series: NAMES,
      groups: rows.map(({ name, cpuMicros }) => ({
        name,
        values: CONTENDERS.map((one) => cpuMicros[one]),
      })),
      scale: "log",
      format: micros,
    }),
  };
  const each = (of: "perSecond" | "cpuMicros", format: (value: number) => string) =>
    table(
      ["Call", ...NAMES],
      rows.map((row) => [row.name, ...CONTENDERS.map((one) => format(row[of][one]))]),
    );
  const ratios = table(
    [
      "Call",
      ...["Calls/s of bare", "CPU of bare", "Calls/s over Express", "CPU under Express"],
      ...["Calls/s over Fastify", "CPU under Fastify"],
    ],
    rows.map(({ name, ofBare, overUsual }) => [
      name,
      showSpread(ofBare.throughput, 2),
      showSpread(ofBare.cpu, 2),
      ...Object.values(overUsual).flatMap((one) => [
        showSpread(one.throughput, 1),
        showSpread(one.cpu, 1),
      ]),
    ]),
  );
  const markdown = `## Calls per second and CPU time

All contenders get the same requests and take turns, ${rounds} rounds of ${seconds} s each. Each connection sends its next call as soon as it has a response. 64 connections unless the call names another number; 4 for documents of 100 KB.

${image("throughput.svg", shares)}

Calls per second, median of the rounds:

${each("perSecond", formatCount)}
${image("cpu.svg", cpu)}

CPU µs per call, all threads of the server, median of the rounds:

${each("cpuMicros", micros)}
Toolbooth's ratios within a round: median (minimum–maximum). "Over Express" says how many times more calls per second Toolbooth answers, and "under Express" how many times less CPU time a call takes.

${ratios}
At the end each server was killed. All ${formatCount(totals.responded)} calls that Toolbooth had answered were in its ledger, and no others; the ledgers of the other builds matched too.`;
  return { markdown, plots };
}

function drawLatency({ rows, seconds }: LatencyReport): Drawn {
  const percentName = (percent: number) => (percent === 100 ? "max" : `p${percent}`);
  const loadOf = (row: LatencyRow, i: number) => row.loads[i] as LatencyRow["loads"][number];
  const describe = (share: number) =>
    `Latency by percentile at ${share} % of each contender's saturation, in milliseconds on a logarithmic scale.`;
  const plots = Object.fromEntries(
    SHARES.map((share, i) => [
      `latency-${share}.svg`,
      drawLines({
        title: `Latency at ${share} % of saturation`,
        description: describe(share),
        series: rows.map((row) => ({
          name: LABELS[row.contender],
          points: loadOf(row, i).latencyMs.map((ms, x) => ({ x, y: Math.max(ms, 0.01) })),
        })),
        x: {
          scale: "linear",
          label: "percentile",
          ticks: PERCENTILES.map((percent, at) => ({ at, label: percentName(percent) })),
        },
        y: { scale: "log", label: "ms", format: formatCount },
      }),
    ]),
  );
  const cells = SHARES.flatMap((share, i) =>
    rows.map((row) => {
      const { perSecond, latencyMs, latenessP99Ms } = loadOf(row, i);
      return [
        `${share} %, ${LABELS[row.contender]}`,
        formatCount(perSecond),
        ...latencyMs.map((ms) => ms.toFixed(2)),
        latenessP99Ms.toFixed(2),
      ];
    }),
  );
  const saturations = rows.map((row) => `${LABELS[row.contender]} ${formatCount(row.saturation)}`);
  const markdown = `## Latency

Calls of \`hash\` arrive at a constant rate for ${seconds} s over 64 connections, whether or not earlier calls have their responses (open loop). A call counts from the moment at which it was due, so a pause of the server counts for each call that it delays (no coordinated omission). The rates are shares of each contender's own saturation in calls per second: ${saturations.join(", ")}. A contender that saturates earlier gets fewer calls.

${SHARES.map((share) => image(`latency-${share}.svg`, describe(share))).join("\n\n")}

Milliseconds. The last column is how late the load generator sent its calls, which is part of the latencies:

${table(["Load", "Calls/s", ...PERCENTILES.map(percentName), "Sent late, p99"], cells)}`;
  return { markdown, plots };
}

function drawHeadOfLine({
  idle,
  busy,
  p99Ratio,
  documents,
  documentBytes,
  documentMs,
}: HeadOfLineReport): Drawn {
  const markdown = `## Small calls beside large documents

200 small calls per second arrive while two connections render documents of ${formatCount(documentBytes)} bytes without a pause. Milliseconds, median of the rounds (minimum–maximum):

${table(
  ["Small calls", "p50", "p99"],
  [
    ["while the server is idle", showSpread(idle.p50Ms, 2), showSpread(idle.p99Ms, 2)],
    ["while documents render", showSpread(busy.p50Ms, 2), showSpread(busy.p99Ms, 2)],
  ],
)}
The p99 beside documents is ${showSpread(p99Ratio, 1)} times that of an idle server. ${formatCount(documents)} documents were rendered in a median of ${documentMs.toFixed(0)} ms.`;
  return { markdown, plots: {} };
}

function drawDebits({ rows, rounds, debits }: DebitsReport): Drawn {
  const markdown = `## The ledger alone

Debits without HTTP, 64 at a time, ${rounds} rounds of ${formatCount(debits)}, compared with better-sqlite3 and a transaction per debit. Both sync every commit. CPU time is that of the whole process; "ledger" is the part that is not on the calling thread. It includes moving the journal.

${table(
  ["Accounts", "Debits/s", "CPU µs", "Ledger µs", "better-sqlite3/s", "CPU µs", "Times faster"],
  rows.map(({ accounts, ours, usual, times }) => [
    formatCount(accounts),
    formatCount(ours.perSecond),
    ours.cpuMicros.toFixed(1),
    ours.ledgerMicros.toFixed(1),
    formatCount(usual.perSecond),
    usual.cpuMicros.toFixed(1),
    times.toFixed(1),
  ]),
)}`;
  return { markdown, plots: {} };
}

function drawGrowth({ accounts, calls }: GrowthReport): Drawn {
  const draw = (title: string, description: string, label: string, points: GrowthPoint[]) =>
    drawLines({
      title,
      description,
      series: [
        { name: "bare, per call", points: pointsOf(points, "bareMicros") },
        { name: "per call", points: pointsOf(points, "callMicros") },
        { name: "per debit", points: pointsOf(points, "debitMicros") },
      ],
      x: {
        scale: "log",
        label,
        ticks: points.map(({ count }) => ({ at: count, label: formatCount(count) })),
      },
      y: { scale: "linear", label: "CPU µs", format: formatCount },
    });
  const byAccounts = "CPU time per call and per debit as accounts grow, on a logarithmic scale.";
  const byCalls = "CPU time per call and per debit as the ledger grows, on a logarithmic scale.";
  const cells = (points: readonly GrowthPoint[]) =>
    points.map((point) => [
      formatCount(point.count),
      point.debitMicros.toFixed(1),
      point.ledgerMicros.toFixed(1),
      point.callMicros.toFixed(1),
      point.bareMicros.toFixed(1),
      formatCount(point.perSecond),
      formatCount(Number((point.databaseBytes / 1e6).toFixed(1))),
    ]);
  const head = ["Debit µs", "Ledger µs", "Call µs", "Bare µs", "Calls/s", "Database, MB"];
  const markdown = `## Growth

CPU time of a debit (the ledger alone) and of a call of \`hash\` over HTTP, 64 at a time, spread evenly over all accounts. The bare server runs in the same rounds.

### Accounts

${image("growth-accounts.svg", byAccounts)}

${table(["Accounts", ...head], cells(accounts))}
### Calls in the ledger

1,000 accounts, with calls of one day that are already in the ledger.

${image("growth-calls.svg", byCalls)}

${table(["Calls", ...head], cells(calls))}`;
  const plots = {
    "growth-accounts.svg": draw("Cost as accounts grow", byAccounts, "accounts", accounts),
    "growth-calls.svg": draw("Cost as the ledger grows", byCalls, "calls in the ledger", calls),
  };
  return { markdown, plots };
}

const pointsOf = (
  points: readonly GrowthPoint[],
  field: "bareMicros" | "callMicros" | "debitMicros",
) => points.map((point) => ({ x: point.count, y: point[field] }));

function drawMemory({ seconds, idleMb, samples, earlyMb, lateMb, responses }: MemoryReport): Drawn {
  const description = `Resident memory of the server over ${seconds} seconds of load, in megabytes.`;
  const last = Math.max(...samples.map(({ second }) => second));
  const plot = drawLines({
    title: "Resident memory under load",
    description,
    series: [
      {
        name: "Toolbooth",
        points: samples.map(({ second, residentMb }) => ({ x: second, y: residentMb })),
      },
    ],
    x: {
      scale: "linear",
      label: "seconds",
      ticks: [0, 0.25, 0.5, 0.75, 1].map((share) => ({
        at: last * share,
        label: String(Math.round(last * share)),
      })),
    },
    y: { scale: "linear", label: "MB", format: formatCount },
  });
  const markdown = `## Memory

All tools without a pause over 64 connections and 1,000 accounts, ${formatCount(responses)} calls in ${formatCount(seconds)} s.

${image("memory.svg", description)}

The server's process had ${idleMb.toFixed(0)} MB before the load, a median of ${earlyMb.toFixed(0)} MB in the second fifth of the time and ${lateMb.toFixed(0)} MB in the last fifth.`;
  return { markdown, plots: { "memory.svg": plot } };
}

function drawMarkdown({ corpus, sizes, bundles }: MarkdownReport): Drawn {
  const names = Object.keys(sizes[0]?.megabytes ?? {});
  const ratios = table(
    [
      "Size",
      ...names.map((name) => `${name}, MB/s`),
      ...names.slice(1).map((name) => `Times ${name}`),
    ],
    sizes.map(({ size, megabytes, ratios: of }) => [
      size,
      ...names.map((name) => (megabytes[name] ?? Number.NaN).toFixed(1)),
      ...names.slice(1).map((name) => of[name]?.median.toFixed(1) ?? ""),
    ]),
  );
  const markdown = `## Markdown engine

Megabytes of Markdown rendered per second of CPU time, without HTTP. The documents are ${formatCount(corpus.files)} Markdown files of the installed packages (${formatCount(corpus.bytes)} bytes, SHA-256 ${corpus.digest}). Engines differ in what they do: only Toolbooth and marked with DOMPurify return sanitized HTML.

${ratios}
${bundlesOf(bundles)}`;
  return { markdown, plots: {} };
}

function drawQr({ tasks, bundles }: QrReport): Drawn {
  const names = [...new Set(tasks.flatMap((task) => Object.keys(task.micros)))];
  const markdown = `## QR code engine

CPU µs per QR code at level M, without HTTP. qr and uqr draw no PNG.

${table(
  ["Task", ...names, ...names.slice(1).map((name) => `Times ${name}`)],
  tasks.map(({ task, micros: of, ratios }) => [
    task,
    ...names.map((name) => (of[name] === undefined ? "" : micros(of[name]))),
    ...names.slice(1).map((name) => ratios[name]?.median.toFixed(1) ?? ""),
  ]),
)}
${bundlesOf(bundles)}`;
  return { markdown, plots: {} };
}

const bundlesOf = (bundles: MarkdownReport["bundles"]) =>
  `Bundles for browsers: ${bundles.map((one) => `${one.name} ${formatCount(one.minifiedBytes)} bytes minified, ${formatCount(one.gzippedBytes)} gzipped`).join("; ")}.`;
