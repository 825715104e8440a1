import { closeSync, fdatasyncSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { LOG_LEVELS } from "#config/settings.ts";
import { measureEdge } from "./edge.ts";
import { measureHeadOfLine } from "./head-of-line.ts";
import { measureMarkdown } from "./markdown.ts";
import { CONTENDERS } from "./peers/markdown-engines.ts";
import { QR_ENGINES } from "./peers/qr-engines.ts";
import { measurePostgres } from "./postgres.ts";
import { measurePostgresGrowth } from "./postgres-growth.ts";
import { measureQr } from "./qr.ts";
import { medianOf, round } from "./report.ts";
import { makeDataDir } from "./servers.ts";
import { measureThreads } from "./threads.ts";
import { measureThreshold } from "./threshold.ts";
import { measureThroughput } from "./throughput.ts";

const CONTENDER_NAMES = [...new Set([...Object.keys(CONTENDERS), ...Object.keys(QR_ENGINES)])];

/** The command line of the benchmarks: runs the requested parts one after the other and prints their results. */
const USAGE = `npm run bench -- [part ...] [options]

Parts: throughput, head-of-line, threshold, markdown, qr, edge, postgres. The default is all of them, which takes about ten
minutes. Not in the default: threads, calls with 1, 2 and 4 HTTP threads; postgres-growth, the cost of a debit from 10 thousand to --debits rows.

  --rounds <n>        number of rounds: throughput (5), head-of-line (3), markdown and qr (9), edge (10), postgres (5)
  --seconds <s>       length of a turn: throughput (1.5), edge (0.25), postgres (1.5)
  --debits <n>        number of rows in postgres-growth (10000000)
  --log-level <name>  the server's TOOLBOOTH_LOG_LEVEL (info)
  --only <names>      contenders of markdown: ${Object.keys(CONTENDERS).join(",")};
                      contenders of qr: ${Object.keys(QR_ENGINES).join(",")}
  --json <file>       also write all results to a file
`;

const PARTS = ["throughput", "head-of-line", "threshold", "markdown", "qr", "edge", "postgres"];
/** Runs only if requested, because it takes long and needs much disk space. */
const GROWTH = "postgres-growth";
/** Runs only if requested, because it shows something only where there are more cores than threads. */
const THREADS = "threads";
const DEBITS_MAX = 100_000_000;
const SYNCS = 50;

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) {
    process.stdout.write(USAGE);
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
  }
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}

type Options = NonNullable<ReturnType<typeof readOptions>>;

function runPart(
  part: string,
  { rounds, seconds, logLevel, only, debits }: Options,
): Promise<{ text: string }> {
  if (part === "throughput")
    return measureThroughput({ rounds: rounds ?? 5, seconds: seconds ?? 1.5, logLevel });
  if (part === THREADS)
    return measureThreads({ rounds: rounds ?? 5, seconds: seconds ?? 1.5, logLevel });
  if (part === "threshold") return measureThreshold(50);
  if (part === "markdown") return measureMarkdown({ rounds: rounds ?? 9, only });
  if (part === "qr") return measureQr({ rounds: rounds ?? 9, only });
  if (part === "edge") return measureEdge({ rounds: rounds ?? 10, seconds: seconds ?? 0.25 });
  if (part === "postgres")
    return measurePostgres({ rounds: rounds ?? 5, seconds: seconds ?? 1.5, logLevel });
  if (part === GROWTH) return measurePostgresGrowth(debits);
  return measureHeadOfLine({ rounds: rounds ?? 3, idleSeconds: 3, busySeconds: 6, logLevel });
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
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const known = [...PARTS, THREADS, GROWTH];
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`Unknown part "${unknown}".\n\n${USAGE}`);
  const logLevel = values["log-level"];
  if (!(LOG_LEVELS as readonly string[]).includes(logLevel)) {
    throw new Error(`--log-level must be one of ${LOG_LEVELS.join(", ")}`);
  }
  return {
    parts: positionals.length > 0 ? known.filter((name) => positionals.includes(name)) : PARTS,
    rounds: values.rounds === undefined ? undefined : readNumber("--rounds", values.rounds, 1, 100),
    seconds:
      values.seconds === undefined ? undefined : readNumber("--seconds", values.seconds, 0.2, 60),
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
