import { closeSync, fdatasyncSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { LOG_LEVELS } from "#config/settings.ts";
import { measureDebits } from "./debits.ts";
import { measureEdge } from "./edge.ts";
import { measureGrowth } from "./growth.ts";
import { measureHeadOfLine } from "./head-of-line.ts";
import { measureLatency } from "./latency.ts";
import { measureMarkdown } from "./markdown.ts";
import { measureMemory } from "./memory.ts";
import { CONTENDERS } from "./peers/markdown-engines.ts";
import { QR_ENGINES } from "./peers/qr-engines.ts";
import { measurePostgres } from "./postgres.ts";
import { measurePostgresGrowth } from "./postgres-growth.ts";
import { measureQr } from "./qr.ts";
import { medianOf, round } from "./report.ts";
import { drawReport, PAGE, saveResult } from "./report-page.ts";
import { makeDataDir } from "./servers.ts";
import { measureThreshold } from "./threshold.ts";
import { measureThroughput } from "./throughput.ts";

const CONTENDER_NAMES = [...new Set([...Object.keys(CONTENDERS), ...Object.keys(QR_ENGINES)])];

const PARTS = [
  ...["throughput", "latency", "debits", "head-of-line", "threshold", "markdown", "qr"],
  ...["edge", "postgres"],
];
/** Run only if requested, because they take long or need much disk space. */
const LONG_PARTS = ["growth", "memory", "postgres-growth"];
/** The parts of a report, which takes at most 25 minutes. */
const REPORT_PARTS = [
  ...["throughput", "latency", "debits", "growth", "head-of-line", "markdown", "qr"],
];

/** The command line of the benchmarks: runs the requested parts one after the other and prints their results. */
const USAGE = `npm run bench -- [part ...] [options]

Parts: throughput, latency, debits, head-of-line, threshold, markdown, qr, edge, postgres. The default is all of them, which takes
about 20 minutes. Not in the default: growth (accounts and calls that accumulate; needs 4 GB of disk), memory (ten minutes of load)
and postgres-growth (the cost of a debit from 10 thousand to --debits rows).

  --rounds <n>        number of rounds: throughput, latency, debits, postgres (5), head-of-line (3), growth (2), markdown and qr (9),
                      edge (10)
  --seconds <s>       length of a turn: throughput, growth (1), latency (15), memory (600), edge (0.25), postgres (1.5)
  --debits <n>        number of rows in postgres-growth (10000000)
  --log-level <name>  the server's TOOLBOOTH_LOG_LEVEL (info)
  --only <names>      contenders of markdown: ${Object.keys(CONTENDERS).join(",")};
                      contenders of qr: ${Object.keys(QR_ENGINES).join(",")}
  --quick             a short run, which shows that everything works. Its results say nothing about speed
  --json <file>       also write all results to a file
  --report            save the results and draw ${PAGE}. Without parts: ${REPORT_PARTS.join(", ")}
  --redraw            draw ${PAGE} from the saved results, without a run
`;

const DEBITS_MAX = 100_000_000;
const SYNCS = 50;

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) {
    process.stdout.write(USAGE);
    return;
  }
  if (options.redraw) {
    drawReport();
    return;
  }
  const machine = describeMachine();
  process.stdout.write(
    `Node ${machine.node}, ${machine.cores} cores (${machine.cpu}), load ${machine.load} before the run, disk sync ${machine.syncMs} ms\n\n`,
  );
  const report: Record<string, unknown> = { machine, options };
  for (const part of options.parts) {
    const { text, ...usage } = await runPart(part, options);
    process.stdout.write(`${text}\n\n`);
    report[part] = usage;
    // After each part, so that an interrupted run keeps its results.
    if (options.report) saveResult(part, { machine, isQuick: options.quick, result: usage });
  }
  if (options.report) drawReport();
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}

type Options = NonNullable<ReturnType<typeof readOptions>>;

function runPart(
  part: string,
  { rounds, seconds, logLevel, only, debits, quick }: Options,
): Promise<{ text: string }> {
  /** The number that was asked for; otherwise the usual one, or that of a quick run. */
  const roundsOr = (usual: number, short = 1) => rounds ?? (quick ? short : usual);
  const secondsOr = (usual: number, short = 0.3) => seconds ?? (quick ? short : usual);
  switch (part) {
    case "throughput":
      return measureThroughput({ rounds: roundsOr(5), seconds: secondsOr(1), logLevel });
    case "latency":
      return measureLatency({ rounds: roundsOr(2), seconds: secondsOr(15, 1), logLevel });
    case "debits":
      return measureDebits({ rounds: roundsOr(5), debits: quick ? 5_000 : 50_000 });
    case "growth":
      return measureGrowth({
        accounts: quick ? [10, 1_000] : [10, 100, 1_000, 10_000, 100_000],
        calls: quick ? [10_000, 50_000] : [10_000, 100_000, 1_000_000, 10_000_000],
        debits: quick ? 2_000 : 50_000,
        rounds: roundsOr(2),
        seconds: secondsOr(1),
        logLevel,
      });
    case "memory":
      return measureMemory({ seconds: secondsOr(600, 10), logLevel });
    case "threshold":
      return measureThreshold(quick ? 10 : 50);
    case "markdown":
      return measureMarkdown({ rounds: roundsOr(9), only });
    case "qr":
      return measureQr({ rounds: roundsOr(9), only });
    case "edge":
      return measureEdge({ rounds: roundsOr(10), seconds: secondsOr(0.25, 0.2) });
    case "postgres":
      return measurePostgres({ rounds: roundsOr(5), seconds: secondsOr(1.5), logLevel });
    case "postgres-growth":
      return measurePostgresGrowth(debits);
    default:
      return measureHeadOfLine({
        rounds: roundsOr(3),
        idleSeconds: quick ? 1 : 3,
        busySeconds: quick ? 2 : 6,
        logLevel,
      });
  }
}

/** Returns null for --help. */
function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: "string" },
      seconds: { type: "string" },
      "log-level": { type: "string", default: "info" },
      only: { type: "string" },
      debits: { type: "string", default: "10000000" },
      json: { type: "string" },
      quick: { type: "boolean", default: false },
      report: { type: "boolean", default: false },
      redraw: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const known = [...PARTS, ...LONG_PARTS];
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`Unknown part "${unknown}".\n\n${USAGE}`);
  const logLevel = values["log-level"];
  if (!(LOG_LEVELS as readonly string[]).includes(logLevel)) {
    throw new Error(`--log-level must be one of ${LOG_LEVELS.join(", ")}`);
  }
  return {
    parts:
      positionals.length > 0
        ? known.filter((name) => positionals.includes(name))
        : values.report
          ? REPORT_PARTS
          : PARTS,
    quick: values.quick,
    report: values.report,
    redraw: values.redraw,
    rounds: values.rounds === undefined ? undefined : readNumber("--rounds", values.rounds, 1, 100),
    seconds:
      values.seconds === undefined
        ? undefined
        : readNumber("--seconds", values.seconds, 0.2, 3_600),
    logLevel,
    only: values.only === undefined ? CONTENDER_NAMES : readContenders(values.only),
    debits: readNumber("--debits", values.debits, 10_000, DEBITS_MAX),
    json: values.json,
  };
}

function readContenders(text: string): string[] {
  const names = text.split(",");
  const unknown = names.find((name) => !CONTENDER_NAMES.includes(name));
  if (unknown === undefined) return names;
  throw new Error(`--only must be a comma-separated list of ${CONTENDER_NAMES.join(", ")}`);
}

function readNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (value >= min && value <= max) return value;
  throw new Error(`${name} must be a number from ${min} to ${max}`);
}

/** Describes the machine, which the results depend on. */
function describeMachine() {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    memoryGb: round(totalmem() / 1e9, 0),
    load: round(loadavg()[0] ?? 0, 2),
    syncMs: measureSync(),
  };
}

/** Measures a disk sync in ms: a durable ledger is cheap on a disk whose sync takes almost no time. */
function measureSync(): number {
  const { dataDir, remove } = makeDataDir();
  const file = path.join(dataDir, "sync");
  const descriptor = openSync(file, "w");
  const page = Buffer.alloc(4_096, 1);
  const times: number[] = [];
  for (let i = 0; i < SYNCS; i += 1) {
    const before = performance.now();
    writeSync(descriptor, page, 0, page.length, 0);
    fdatasyncSync(descriptor);
    times.push(performance.now() - before);
  }
  closeSync(descriptor);
  rmSync(file);
  remove();
  return round(medianOf(times), 2);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
